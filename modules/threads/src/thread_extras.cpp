#include "thread_extras.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/fold.h"
#include "svc/common/record_id.h"

#include "thread_limits.h"
#include "thread_record.h"

namespace svc::threads {
namespace {

using common::Json;
using storage::ThreadRow;
using storage::ThreadSectionRow;

Error noSuchSection(std::string_view section_id) {
  return {errc::kNotFound,
          fmt::format("there is no section \"{}\"; GET /api/v1/thread-sections lists them",
                      section_id)};
}

std::optional<ThreadSectionRow> findSection(const ThreadBook& book, std::string_view id) {
  for (auto& row : book.sections()) {
    if (row.id == id) {
      return std::move(row);
    }
  }
  return std::nullopt;
}

/// What people and agents count: UTF-16 units of UTF-8 text.
std::int64_t unitsOf(std::string_view text) {
  std::int64_t units = 0;
  for (const char byte : text) {
    const auto value = static_cast<unsigned char>(byte);
    units += (value & 0xC0U) == 0x80U ? 0 : (value >= 0xF0U ? 2 : 1);
  }
  return units;
}

/// The text around the first place it is at, with the place; nullopt when it is not.
std::optional<Json> matchIn(std::string_view text, const std::string& needle, const char* kind,
                            std::int64_t seq) {
  const auto at = common::foldCase(text).find(needle);
  if (at == std::string::npos) {
    return std::nullopt;
  }
  auto begin = at > kSearchExcerpt / 2 ? at - kSearchExcerpt / 2 : 0;
  while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0U) == 0x80U) {
    --begin;
  }
  const auto excerpt = clipped(text.substr(begin), kSearchExcerpt + needle.size());
  const auto start = unitsOf(text.substr(begin, at - begin));
  auto ranges = Json::array();
  ranges.push(Json::object()
                  .set("start", start)
                  .set("end", start + unitsOf(text.substr(at, needle.size()))));
  return Json::object()
      .set("sourceKind", kind)
      .set("sourceSeq", timeOrNull(seq))
      .set("text", excerpt)
      .set("highlightRanges", std::move(ranges));
}

std::optional<Json> matchIn(const storage::ThreadEventRow& row, const std::string& needle) {
  const auto data = parsed(row.data);
  if (row.type == "client/turn/requested") {
    const bool by_system = data["initiator"].asString() == "system";
    return matchIn(textOf(data["input"]), needle, by_system ? "system_message" : "user_message",
                   row.seq);
  }
  const auto& item = data["item"];
  if (item["type"].asString() != "agentMessage") {
    return std::nullopt;
  }
  return matchIn(item["text"].asString(), needle, "assistant_message", row.seq);
}

}  // namespace

Json ThreadExtras::sections() const {
  auto out = Json::array();
  for (const auto& row : book_.sections()) {
    out.push(toRecord(row));
  }
  return out;
}

Result<Json> ThreadExtras::createSection(const std::string& name) {
  Edit edit(book_);
  ThreadSectionRow row{.id = common::newRecordId("sec", edit.now()),
                       .name = name,
                       .created_at = edit.now(),
                       .updated_at = edit.now()};
  edit.change.sections.push_back(row);
  edit.tell({}, "order-changed");
  if (auto stored = edit.commit(); !stored) {
    return std::move(stored).error();
  }
  return toRecord(row);
}

Result<Json> ThreadExtras::renameSection(const std::string& section_id, const std::string& name) {
  Edit edit(book_);
  auto row = findSection(book_, section_id);
  if (!row) {
    return noSuchSection(section_id);
  }
  row->name = name;
  row->updated_at = edit.now();
  edit.change.sections.push_back(*row);
  edit.tell({}, "order-changed");
  if (auto stored = edit.commit(); !stored) {
    return std::move(stored).error();
  }
  return Json::object().set("id", section_id).set("name", name).set("updatedThreadCount", 0);
}

Result<Json> ThreadExtras::removeSection(const std::string& section_id) {
  Edit edit(book_);
  const auto row = findSection(book_, section_id);
  if (!row) {
    return noSuchSection(section_id);
  }
  std::int64_t moved = 0;
  for (const auto& each : book_.threads()) {
    if (each.section_id == section_id) {
      auto& thread = *edit.thread(each.id).value();
      thread.section_id.clear();
      edit.tell(thread, "order-changed");
      ++moved;
    }
  }
  edit.change.gone_sections.push_back(section_id);
  edit.tell({}, "order-changed");
  if (auto stored = edit.commit(); !stored) {
    return std::move(stored).error();
  }
  return Json::object()
      .set("id", section_id)
      .set("name", row->name)
      .set("updatedThreadCount", moved);
}

Result<Json> ThreadExtras::tabs(const std::string& thread_id) const {
  if (const auto row = book_.thread(thread_id); !row) {
    return row.error();
  }
  auto stored = book_.store().tabs(thread_id);
  if (!stored) {
    return std::move(stored).error();
  }
  return Json::object()
      .set("revision", stored.value().revision)
      .set("tabs", parsed(stored.value().tabs));
}

Result<Json> ThreadExtras::setTabs(const std::string& thread_id, std::int64_t expected,
                                   const Json& tabs) {
  if (const auto count = tabs.items().size(); count > kTabs) {
    return Error{errc::kInvalidInput,
                 fmt::format("a thread may have {} tabs, these are {}", kTabs, count)};
  }
  Edit edit(book_);
  const auto row = edit.thread(thread_id);
  if (!row) {
    return row.error();
  }
  auto stored = book_.store().tabs(thread_id);
  if (!stored) {
    return std::move(stored).error();
  }
  if (stored.value().revision != expected) {
    return Error{errc::kConflict,
                 fmt::format("the tabs are at revision {}, not {}; read them again",
                             stored.value().revision, expected),
                 Json::object().set("revision", stored.value().revision).dump()};
  }
  edit.change.tabs.push_back(
      {.thread_id = thread_id, .revision = expected + 1, .tabs = tabs.dump()});
  edit.tell(*row.value(), "tabs-changed");
  if (auto done = edit.commit(); !done) {
    return std::move(done).error();
  }
  return Json::object().set("revision", expected + 1).set("tabs", tabs);
}

Result<Json> ThreadExtras::metadata(const std::string& thread_id,
                                    const std::string& plugin_id) const {
  if (const auto row = book_.thread(thread_id); !row) {
    return row.error();
  }
  const auto stored = book_.store().metadata(thread_id, plugin_id);
  if (!stored) {
    return stored.error();
  }
  return stored.value().empty() ? Json::object() : parsed(stored.value());
}

Result<Json> ThreadExtras::setMetadata(const std::string& thread_id, const std::string& plugin_id,
                                       const Json& members) {
  Edit edit(book_);
  if (const auto row = edit.thread(thread_id); !row) {
    return row.error();
  }
  const auto before = book_.store().metadata(thread_id, plugin_id);
  if (!before) {
    return before.error();
  }
  auto merged = Json::object();
  const auto old = parsed(before.value());
  for (const auto& [key, value] : old.members()) {
    if (members.find(key) == nullptr) {
      merged.set(key, value);
    }
  }
  for (const auto& [key, value] : members.members()) {
    if (!value.isNull()) {
      merged.set(key, value);
    }
  }
  auto text = merged.dump();
  if (text.size() > kThreadMetadata) {
    return Error{errc::kTooLarge,
                 fmt::format("a plugin may keep {} bytes with a thread, these are {}; keep large "
                             "data in the storage of the plugin",
                             kThreadMetadata, text.size())};
  }
  edit.change.metadata.push_back({thread_id, plugin_id, std::move(text)});
  if (auto stored = edit.commit(); !stored) {
    return std::move(stored).error();
  }
  return merged;
}

Result<Json> ThreadExtras::search(const std::string& text, std::size_t per_group) const {
  const auto needle = common::foldCase(text);
  // The log has the text as JSON writes it.
  const auto quoted = common::jsonString(text);
  const auto found =
      book_.store().findEvents(quoted.substr(1, quoted.size() - 2),
                               {"client/turn/requested", "item/completed"}, kSearchScan);
  if (!found) {
    return found.error();
  }
  std::map<std::string, Json> matches;
  const auto note = [&matches](const std::string& id, std::optional<Json> match) {
    if (match) {
      auto& all = matches.try_emplace(id, Json::array()).first->second;
      all.push(*std::move(match));
    }
  };
  auto rows = book_.threads();
  std::erase_if(rows, [](const ThreadRow& row) { return row.hidden; });
  for (const auto& row : rows) {
    note(row.id, matchIn(row.title, needle, "title", 0));
    if (row.title.empty()) {
      note(row.id, matchIn(row.title_fallback, needle, "title_fallback", 0));
    }
  }
  for (const auto& event : found.value()) {
    note(event.thread_id, matchIn(event, needle));
  }
  std::sort(rows.begin(), rows.end(), [](const ThreadRow& left, const ThreadRow& right) {
    return left.latest_attention_at > right.latest_attention_at;
  });
  const auto group = [&](bool archived) {
    auto results = Json::array();
    std::size_t total = 0;
    for (const auto& row : rows) {
      const auto match = matches.find(row.id);
      if ((row.archived_at != 0) != archived || match == matches.end()) {
        continue;
      }
      if (++total <= per_group) {
        results.push(Json::object().set("thread", book_.record(row)).set("matches", match->second));
      }
    }
    return Json::object().set("results", std::move(results)).set("total", total);
  };
  return Json::object().set("active", group(false)).set("archived", group(true));
}

}  // namespace svc::threads
