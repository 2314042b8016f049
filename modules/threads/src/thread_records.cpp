#include "thread_records.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/sort_key.h"

#include "thread_record.h"
#include "turn_edit.h"

namespace svc::threads {
namespace {

using common::Json;
using storage::ThreadRow;

bool isUnless(const std::optional<std::string>& wanted, const std::string& value) {
  return !wanted || *wanted == value;
}

bool matches(const ThreadFilter& filter, const ThreadRow& row) {
  return isUnless(filter.project_id, row.project_id) &&
         (!filter.archived || *filter.archived == (row.archived_at != 0)) &&
         (!filter.has_parent || *filter.has_parent == !row.parent_thread_id.empty()) &&
         isUnless(filter.parent_thread_id, row.parent_thread_id) &&
         isUnless(filter.source_thread_id, row.source_thread_id) &&
         isUnless(filter.origin_kind, row.origin_kind) &&
         isUnless(filter.origin_plugin_id, row.origin_plugin_id) &&
         isUnless(filter.section_id, row.section_id) &&
         (!filter.unsectioned || row.section_id.empty()) && (filter.include_hidden || !row.hidden);
}

/// Nobody looks for what is read; a hidden one is not looked at.
bool isUnread(const ThreadRow& row) {
  return !row.hidden && row.archived_at == 0 && row.latest_attention_at > row.last_read_at;
}

}  // namespace

Result<Json> ThreadRecords::get(const std::string& thread_id) const {
  const auto row = book_.thread(thread_id);
  if (!row) {
    return row.error();
  }
  return book_.record(row.value());
}

Json ThreadRecords::list(const ThreadFilter& filter) const {
  auto rows = book_.threads();
  std::erase_if(rows, [&filter](const ThreadRow& row) { return !matches(filter, row); });
  std::sort(rows.begin(), rows.end(), [](const ThreadRow& left, const ThreadRow& right) {
    return std::tie(left.latest_attention_at, left.id) >
           std::tie(right.latest_attention_at, right.id);
  });
  auto out = Json::array();
  for (std::size_t at = filter.offset; at < rows.size() && at - filter.offset < filter.limit;
       ++at) {
    out.push(book_.record(rows[at]));
  }
  return out;
}

Result<std::size_t> ThreadRecords::childCount(const std::string& thread_id) const {
  if (const auto row = book_.thread(thread_id); !row) {
    return row.error();
  }
  return family(thread_id).size() - 1;
}

Json ThreadRecords::mentions(const std::vector<std::string>& thread_ids) const {
  auto out = Json::array();
  for (const auto& id : thread_ids) {
    if (const auto row = book_.thread(id)) {
      const auto& found = row.value();
      out.push(Json::object()
                   .set("threadId", id)
                   .set("projectId", found.project_id)
                   .set("label", shownTitle(found)));
    }
  }
  return out;
}

std::vector<ThreadRow> ThreadRecords::family(const std::string& thread_id) const {
  std::vector<ThreadRow> out;
  const auto rows = book_.threads();
  for (const auto& row : rows) {
    if (row.id == thread_id) {
      out.push_back(row);
    }
  }
  // A parent is never a descendant, so this ends.
  for (std::size_t at = 0; at < out.size(); ++at) {
    const auto parent = out[at].id;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(out),
                 [&parent](const ThreadRow& row) { return row.parent_thread_id == parent; });
  }
  return out;
}

std::vector<std::string> ThreadRecords::inEnvironment(const std::string& environment_id) const {
  std::vector<std::string> out;
  for (const auto& row : book_.threads()) {
    if (row.environment_id == environment_id && row.archived_at == 0) {
      out.push_back(row.id);
    }
  }
  return out;
}

std::string ThreadRecords::titleOfWork(const std::string& environment_id) const {
  const auto there = inEnvironment(environment_id);
  if (there.size() != 1) {
    return {};
  }
  const auto row = book_.thread(there.front());
  return row ? shownTitle(row.value()) : std::string();
}

std::string ThreadRecords::atWorkIn(const std::string& environment_id) const {
  for (const auto& id : inEnvironment(environment_id)) {
    if (book_.openTurn(id)) {
      return id;
    }
  }
  return {};
}

Status ThreadRecords::checkParent(const std::string& thread_id, const std::string& parent) const {
  const auto above = book_.thread(parent);
  if (!above) {
    return above.error();
  }
  if (above.value().archived_at != 0) {
    return Error{errc::kConflict,
                 fmt::format("the thread \"{}\" is archived and gets no children; unarchive it "
                             "first",
                             parent)};
  }
  for (const auto& row : family(thread_id)) {
    if (row.id == parent) {
      return Error{errc::kConflict,
                   fmt::format("\"{}\" is this thread or one below it and cannot become its "
                               "parent; choose another one",
                               parent)};
    }
  }
  return {};
}

Result<Json> ThreadRecords::update(const std::string& thread_id, const ThreadPatch& patch) {
  Edit edit(book_);
  auto found = edit.thread(thread_id);
  if (!found) {
    return std::move(found).error();
  }
  auto& row = *found.value();
  const auto before = row;
  if (patch.title) {
    row.title = *patch.title;
    row.title_is_own = !row.title.empty();
  }
  if (patch.section_id) {
    const auto sections = book_.sections();
    if (!patch.section_id->empty() &&
        std::none_of(sections.begin(), sections.end(),
                     [&](const auto& each) { return each.id == *patch.section_id; })) {
      return Error{errc::kNotFound,
                   fmt::format("there is no section \"{}\"; GET /api/v1/thread-sections lists them",
                               *patch.section_id)};
    }
    row.section_id = *patch.section_id;
  }
  if (patch.parent_thread_id) {
    if (!patch.parent_thread_id->empty()) {
      if (auto allowed = checkParent(thread_id, *patch.parent_thread_id); !allowed) {
        return std::move(allowed).error();
      }
    }
    row.parent_thread_id = *patch.parent_thread_id;
  }
  row.hidden = patch.hidden.value_or(row.hidden);
  auto execution = parsed(row.execution);
  for (const auto& [member, value] :
       {std::pair("model", patch.model), std::pair("reasoningLevel", patch.reasoning_level)}) {
    if (value) {
      execution.set(member, textOrNull(*value));
    }
  }
  if (patch.model || patch.reasoning_level) {
    row.execution = execution.dump();
  }
  if (row == before) {
    return book_.record(row);
  }
  row.updated_at = edit.now();
  if (row.title != before.title) {
    edit.tell(row, "title-changed");
  }
  if (row.parent_thread_id != before.parent_thread_id) {
    edit.tell(row, "parent-changed");
    edit.emitThread(
        "experimental_thread.parentChanged", row,
        Json::object().set("previousParentThreadId", textOrNull(before.parent_thread_id)));
  }
  if (row.section_id != before.section_id || row.hidden != before.hidden) {
    // Whoever lists the threads hears of one that leaves the list, too.
    auto told = row;
    told.hidden = row.hidden && before.hidden;
    edit.tell(told, "order-changed");
  }
  if (auto stored = edit.commit(); !stored) {
    return std::move(stored).error();
  }
  return book_.record(row);
}

Result<std::vector<std::string>> ThreadRecords::archive(
    const std::vector<std::string>& thread_ids) {
  Edit edit(book_);
  std::vector<std::string> archived;
  for (const auto& id : thread_ids) {
    if (auto found = edit.thread(id); !found) {
      return std::move(found).error();
    }
    for (const auto& each : family(id)) {
      auto& row = *edit.thread(each.id).value();
      if (row.archived_at == 0) {
        row.archived_at = edit.now();
        row.updated_at = edit.now();
        archived.push_back(row.id);
        edit.tell(row, "archived-changed");
        edit.emitThread("thread.archived", row);
      }
    }
  }
  if (archived.empty()) {
    return archived;
  }
  if (auto stored = edit.commit(); !stored) {
    return std::move(stored).error();
  }
  return archived;
}

Result<Json> ThreadRecords::unarchive(const std::string& thread_id) {
  Edit edit(book_);
  auto found = edit.thread(thread_id);
  if (!found) {
    return std::move(found).error();
  }
  auto& row = *found.value();
  if (row.archived_at != 0) {
    row.archived_at = 0;
    row.updated_at = edit.now();
    edit.tell(row, "archived-changed");
    edit.emitThread("thread.unarchived", row);
    if (auto stored = edit.commit(); !stored) {
      return std::move(stored).error();
    }
  }
  return book_.record(row);
}

Result<std::vector<std::string>> ThreadRecords::remove(const std::string& thread_id,
                                                       bool with_children) {
  Edit edit(book_);
  if (auto found = edit.thread(thread_id); !found) {
    return std::move(found).error();
  }
  const auto gone = family(thread_id);
  if (const auto children = gone.size() - 1; children > 0 && !with_children) {
    return Error{errc::kConflict,
                 fmt::format("{} threads below this one would be deleted with it; say "
                             "childThreadsConfirmed=true to delete them, too",
                             children),
                 Json::object().set("nonDeletedChildCount", children).dump()};
  }
  std::vector<std::string> ids;
  for (const auto& each : gone) {
    auto& row = *edit.thread(each.id).value();
    row.deleted_at = edit.now();
    row.updated_at = edit.now();
    ids.push_back(row.id);
    // Nothing of it is sent any more.
    for (const auto& waiting : book_.queue(row.id)) {
      edit.change.gone_queued.push_back(waiting.id);
      edit.emit("message.cancelled", Json::object().set("entry", leavingRecord(waiting)));
    }
    edit.tell(row, "thread-deleted");
    edit.emitThread("thread.deleted", row);
  }
  if (auto stored = edit.commit(); !stored) {
    return std::move(stored).error();
  }
  return ids;
}

std::vector<ThreadRow> ThreadRecords::pinned() const {
  auto rows = book_.threads();
  std::erase_if(rows, [](const ThreadRow& row) { return row.pin_sort_key.empty(); });
  std::sort(rows.begin(), rows.end(), [](const ThreadRow& left, const ThreadRow& right) {
    return std::tie(left.pin_sort_key, left.id) < std::tie(right.pin_sort_key, right.id);
  });
  return rows;
}

Result<Json> ThreadRecords::pin(const std::string& thread_id, bool pinned_now) {
  Edit edit(book_);
  auto found = edit.thread(thread_id);
  if (!found) {
    return std::move(found).error();
  }
  auto& row = *found.value();
  if (row.pin_sort_key.empty() != pinned_now) {
    return book_.record(row);
  }
  const auto others = pinned();
  row.pinned_at = pinned_now ? edit.now() : 0;
  row.pin_sort_key =
      pinned_now ? common::sortKeyBetween(others.empty() ? "" : others.back().pin_sort_key, {})
                 : std::string();
  row.updated_at = edit.now();
  edit.tell(row, "pin-state-changed");
  if (auto stored = edit.commit(); !stored) {
    return std::move(stored).error();
  }
  return book_.record(row);
}

Result<Json> ThreadRecords::reorderPinned(const std::string& thread_id,
                                          const std::optional<std::string>& previous,
                                          const std::optional<std::string>& next) {
  Edit edit(book_);
  auto found = edit.thread(thread_id);
  if (!found) {
    return std::move(found).error();
  }
  auto order = pinned();
  if (std::erase_if(order, [&](const auto& each) { return each.id == thread_id; }) == 0) {
    return Error{errc::kConflict, "the thread is not pinned; pin it first"};
  }
  const auto id_at = [&order](std::size_t at) {
    return at < order.size() ? std::optional(order[at].id) : std::nullopt;
  };
  std::size_t gap = 0;
  while (gap <= order.size() &&
         !(id_at(gap) == next && (gap == 0 ? std::nullopt : id_at(gap - 1)) == previous)) {
    ++gap;
  }
  if (gap > order.size()) {
    return Error{errc::kConflict,
                 "previousThreadId and nextThreadId are no neighbours (any more), null stands for "
                 "the beginning and the end of the pinned threads; read the list again"};
  }
  auto key = common::sortKeyBetween(gap == 0 ? std::string() : order[gap - 1].pin_sort_key,
                                    gap == order.size() ? std::string() : order[gap].pin_sort_key);
  if (key.size() <= common::kSortKeyLength) {
    found.value()->pin_sort_key = std::move(key);
  } else {
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(gap), *found.value());
    auto keys = common::sortKeys(order.size());
    for (std::size_t at = 0; at < order.size(); ++at) {
      edit.thread(order[at].id).value()->pin_sort_key = std::move(keys[at]);
    }
  }
  edit.tell(*found.value(), "order-changed");
  if (auto stored = edit.commit(); !stored) {
    return std::move(stored).error();
  }
  auto out = Json::array();
  for (const auto& row : pinned()) {
    out.push(book_.record(row));
  }
  return out;
}

Result<Json> ThreadRecords::mark(const std::string& thread_id, bool read) {
  Edit edit(book_);
  auto found = edit.thread(thread_id);
  if (!found) {
    return std::move(found).error();
  }
  auto& row = *found.value();
  const auto before = row.last_read_at;
  row.last_read_at = read ? edit.now() : 0;
  if (row.last_read_at != before) {
    edit.tell(row, "read-state-changed");
    if (auto stored = edit.commit(); !stored) {
      return std::move(stored).error();
    }
  }
  return book_.record(row);
}

Status ThreadRecords::purge(const std::function<void(const std::string& thread_id)>& before) {
  auto rows = book_.store().threads();
  if (!rows) {
    return std::move(rows).error();
  }
  for (const auto& row : rows.value()) {
    if (row.deleted_at != 0) {
      before(row.id);
      // One at a time: a long log holds nobody else up for longer than itself.
      Edit edit(book_);
      edit.change.gone_threads.push_back(row.id);
      if (auto stored = edit.commit(); !stored) {
        return std::move(stored).error();
      }
    }
  }
  return {};
}

bool ThreadRecords::hasAttention() const {
  for (const auto& row : book_.threads()) {
    if (isUnread(row) || (!row.hidden && !book_.interactions(row.id).empty())) {
      return true;
    }
  }
  return false;
}

}  // namespace svc::threads
