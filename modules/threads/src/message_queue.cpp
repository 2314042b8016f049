#include "message_queue.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/sort_key.h"

#include "thread_record.h"
#include "turn_edit.h"

namespace svc::threads {

using common::Json;
using storage::QueuedMessageRow;

namespace {

Error noSuchMessage(std::string_view id) {
  return {
      errc::kNotFound,
      fmt::format("no message \"{}\" waits in this thread (any more); read the queue again", id)};
}

std::vector<QueuedMessageRow>::iterator findRow(std::vector<QueuedMessageRow>& rows,
                                                std::string_view id) {
  return std::find_if(rows.begin(), rows.end(), [id](const auto& each) { return each.id == id; });
}

/// Makes the head up to that row one group, none when the id is empty; its length, or nullopt when there is no such row.
std::optional<std::size_t> group(std::vector<QueuedMessageRow>& rows, std::string_view id) {
  const auto boundary = findRow(rows, id);
  if (!id.empty() && boundary == rows.end()) {
    return std::nullopt;
  }
  const auto length = id.empty() ? 0 : static_cast<std::size_t>(boundary - rows.begin()) + 1;
  for (std::size_t at = 0; at < rows.size(); ++at) {
    rows[at].group_with_next = at + 1 < length;
  }
  return length;
}

}  // namespace

Result<Json> MessageQueue::list(const std::string& thread_id) const {
  const auto thread = book_.thread(thread_id);
  if (!thread) {
    return thread.error();
  }
  const auto wait = waitOf(book_, thread.value());
  auto out = Json::array();
  for (const auto& row : book_.queue(thread_id)) {
    out.push(waitingRecord(row, wait, book_.now()));
  }
  return out;
}

Result<Json> MessageQueue::get(const std::string& thread_id, const std::string& row_id) const {
  auto rows = book_.queue(thread_id);
  const auto row = findRow(rows, row_id);
  const auto thread = book_.thread(thread_id);
  return row == rows.end() || !thread
             ? Result<Json>(noSuchMessage(row_id))
             : waitingRecord(*row, waitOf(book_, thread.value()), book_.now());
}

Result<Json> MessageQueue::update(const std::string& thread_id, const std::string& row_id,
                                  const Json& input, std::int64_t expected_updated_at) {
  Edit edit(book_);
  const auto thread = edit.thread(thread_id);
  if (!thread) {
    return thread.error();
  }
  auto rows = book_.queue(thread_id);
  const auto row = findRow(rows, row_id);
  if (row == rows.end()) {
    return noSuchMessage(row_id);
  }
  if (row->updated_at != expected_updated_at ||
      parsed(row->payload)["kind"].asString() != "inline") {
    return Error{errc::kConflict,
                 "the message is another one by now, or a retry, which cannot be "
                 "edited; read the queue again"};
  }
  row->content = input.dump();
  touch(edit, *row);
  const auto record = waitingRecord(*row, waitOf(book_, *thread.value()), edit.now());
  edit.change.queued.push_back(*row);
  edit.tell(*thread.value(), "queue-changed");
  if (auto stored = edit.commit(); !stored) {
    return std::move(stored).error();
  }
  return record;
}

Status MessageQueue::remove(const std::string& thread_id, const std::string& row_id) {
  Edit edit(book_);
  const auto thread = edit.thread(thread_id);
  if (!thread) {
    return thread.error();
  }
  auto rows = book_.queue(thread_id);
  const auto row = findRow(rows, row_id);
  if (row == rows.end()) {
    return noSuchMessage(row_id);
  }
  edit.change.gone_queued.push_back(row_id);
  edit.tell(*thread.value(), "queue-changed");
  edit.emit(
      "message.cancelled",
      Json::object().set("entry", waitingRecord(*row, waitOf(book_, *thread.value()), edit.now())));
  const auto stored = edit.commit();
  return stored ? Status{} : Status{stored.error()};
}

Result<Json> MessageQueue::reorder(const std::string& thread_id, const std::string& row_id,
                                   const std::optional<std::string>& previous,
                                   const std::optional<std::string>& next,
                                   const std::optional<std::string>& boundary) {
  {
    Edit edit(book_);
    const auto thread = edit.thread(thread_id);
    if (!thread) {
      return thread.error();
    }
    auto rows = book_.queue(thread_id);
    const auto found = findRow(rows, row_id);
    if (found == rows.end()) {
      return noSuchMessage(row_id);
    }
    auto moved = *found;
    rows.erase(found);
    const auto id_at = [&rows](std::size_t at) {
      return at < rows.size() ? std::optional(rows[at].id) : std::nullopt;
    };
    std::size_t gap = 0;
    while (gap <= rows.size() &&
           !(id_at(gap) == next && (gap == 0 ? std::nullopt : id_at(gap - 1)) == previous)) {
      ++gap;
    }
    if (gap > rows.size()) {
      return Error{errc::kConflict,
                   "previousQueuedMessageId and nextQueuedMessageId are no neighbours (any more), "
                   "null stands for the ends of the queue; read it again"};
    }
    rows.insert(rows.begin() + static_cast<std::ptrdiff_t>(gap), std::move(moved));
    // A queue is short: all keys anew is one small change, and they never grow.
    auto keys = common::sortKeys(rows.size());
    for (std::size_t at = 0; at < rows.size(); ++at) {
      rows[at].sort_key = std::move(keys[at]);
    }
    if (boundary && !group(rows, *boundary)) {
      return noSuchMessage(*boundary);
    }
    edit.change.queued = std::move(rows);
    edit.tell(*thread.value(), "queue-changed");
    if (auto stored = edit.commit(); !stored) {
      return std::move(stored).error();
    }
  }
  return list(thread_id);
}

Result<Json> MessageQueue::setGroupBoundary(const std::string& thread_id, const std::string& row_id,
                                            const std::vector<std::string>& expected) {
  {
    Edit edit(book_);
    const auto thread = edit.thread(thread_id);
    if (!thread) {
      return thread.error();
    }
    auto rows = book_.queue(thread_id);
    const auto length = group(rows, row_id);
    if (!length) {
      return noSuchMessage(row_id);
    }
    std::vector<std::string> prefix;
    for (std::size_t at = 0; at < *length; ++at) {
      prefix.push_back(rows[at].id);
    }
    if (prefix != expected) {
      return Error{errc::kConflict,
                   "other messages wait before this one by now; read the queue "
                   "again"};
    }
    edit.change.queued = std::move(rows);
    edit.tell(*thread.value(), "queue-changed");
    if (auto stored = edit.commit(); !stored) {
      return std::move(stored).error();
    }
  }
  return list(thread_id);
}

}  // namespace svc::threads
