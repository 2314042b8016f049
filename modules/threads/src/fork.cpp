#include "fork.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "svc/common/record_id.h"

#include "thread_limits.h"
#include "thread_record.h"

namespace svc::threads {

using common::Json;
using storage::ThreadEventRow;
using storage::ThreadRow;

namespace {

constexpr const char* kOperation = "system/operation";
constexpr const char* kFork = "fork";

/// What logFork() has written; null for a thread that is no fork.
Json forkOf(const Edit& edit, const ThreadRow& thread) {
  const auto metadataOf = [](const ThreadEventRow& event) {
    const auto data = parsed(event.data);
    return data["operation"].asString() == kFork ? data["metadata"] : Json();
  };
  for (const auto& event : edit.change.events) {
    if (event.thread_id == thread.id && event.type == kOperation) {
      return metadataOf(event);
    }
  }
  const auto stored =
      edit.book().store().events({.thread_id = thread.id, .types = {kOperation}, .limit = 1});
  return stored && !stored.value().empty() ? metadataOf(stored.value().front()) : Json();
}

bool wasAsked(const Edit& edit, const ThreadRow& thread) {
  const auto stored = edit.book().store().events(
      {.thread_id = thread.id, .types = {"client/turn/requested"}, .limit = 1});
  return !stored || !stored.value().empty();
}

/// One thing that was said; nullopt for events that are none.
std::optional<std::string> saidIn(const ThreadEventRow& event) {
  const auto data = parsed(event.data);
  if (event.type == "client/turn/requested") {
    return "User:\n" + textOf(data["input"]);
  }
  const auto& item = data["item"];
  if (item["type"].asString() != "agentMessage" || item["text"].asString().empty()) {
    return std::nullopt;
  }
  return "Assistant:\n" + item["text"].asString();
}

/// What was said in the source, the newest of it when it is long.
std::string transcriptOf(const ThreadBook& book, const std::string& source, std::int64_t last_seq) {
  std::deque<std::string> said;
  std::size_t bytes = 0;
  bool cut = false;
  std::int64_t before = last_seq == 0 ? 0 : last_seq + 1;
  for (bool more = true; more;) {
    const auto page = book.store().events({.thread_id = source,
                                           .before_seq = before,
                                           .descending = true,
                                           .types = {"client/turn/requested", "item/completed"},
                                           .limit = kPageMax});
    more = page && page.value().size() == kPageMax;
    for (const auto& event : page ? page.value() : std::vector<ThreadEventRow>()) {
      before = event.seq;
      auto text = saidIn(event);
      if (!text) {
        continue;
      }
      if (bytes + text->size() > kForkTranscript) {
        cut = true;
        more = false;
        break;
      }
      bytes += text->size();
      said.push_front(*std::move(text));
    }
  }
  std::string out;
  for (const auto& text : said) {
    out += "\n\n" + text;
  }
  return said.empty() ? std::string()
                      : fmt::format("This conversation goes on from another one. {} said there:{}",
                                    cut ? "The last things that were" : "This was", out);
}

}  // namespace

void logFork(Edit& edit, ThreadRow& thread, std::int64_t source_seq_end, const Json& seed) {
  const auto source = edit.book().thread(thread.source_thread_id);
  const auto name = source ? shownTitle(source.value()) : thread.source_thread_id;
  const auto last = source_seq_end != 0 ? source_seq_end : source ? source.value().last_seq : 0;
  edit.log(thread, kOperation, {},
           Json::object()
               .set("operation", kFork)
               .set("operationId", common::newRecordId("op", edit.now()))
               .set("status", "completed")
               .set("message", fmt::format("Goes on from \"{}\"", name))
               .set("metadata", Json::object()
                                    .set("sourceThreadId", thread.source_thread_id)
                                    .set("sourceSeqEnd", last)
                                    .set("agentContextSeed", seed)));
}

Json withForkSeed(const Edit& edit, const ThreadRow& thread, Json input) {
  if (thread.origin_kind != kFork || thread.source_thread_id.empty() || wasAsked(edit, thread)) {
    return input;
  }
  const auto fork = forkOf(edit, thread);
  if (fork.isNull()) {
    return input;
  }
  auto out = Json::array();
  if (auto text =
          transcriptOf(edit.book(), thread.source_thread_id, fork["sourceSeqEnd"].asInteger());
      !text.empty()) {
    out.push(Json::object()
                 .set("type", "text")
                 .set("text", std::move(text))
                 .set("visibility", "agent-only"));
  }
  for (auto block : fork["agentContextSeed"].items()) {
    out.push(std::move(block.set("visibility", "agent-only")));
  }
  for (const auto& block : input.items()) {
    out.push(block);
  }
  return out;
}

}  // namespace svc::threads
