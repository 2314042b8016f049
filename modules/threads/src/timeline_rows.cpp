#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "newest_events.h"
#include "row_members.h"
#include "thread_record.h"
#include "timeline.h"

namespace svc::threads {

using common::Json;
using storage::ThreadEventRow;

namespace {

/// Its item can still get text, as windows judge it.
bool isOpen(const Json& row) {
  return row["kind"].asString() == "work"
             ? row["status"].asString() == "pending"
             : row["sourceSeqEnd"].asInteger() == row["sourceSeqStart"].asInteger();
}

constexpr std::string_view kInterrupted = "thread-interrupted";
constexpr std::string_view kProvisioning = "thread-provisioning";

/// The statuses of rows instead of those of the event.
Json provisioningStatus(const Json& status) {
  const auto& own = status.asString();
  return own == "active"      ? "pending"
         : own == "failed"    ? "error"
         : own == "cancelled" ? "interrupted"
                              : "completed";
}

/// What was done, a line each, and what it said.
Json provisioningText(const Json& entries) {
  std::string out;
  for (const auto& entry : entries.items()) {
    const bool failed = entry["status"].asString() == "failed";
    out += (out.empty() ? "" : "\n") + entry["text"].asString() + (failed ? " (failed)" : "");
  }
  return out;
}

/// Its plugin keeps calls out of the timeline; that one has failed is said all the same.
bool isSuppressed(const Json& item) {
  return item["type"].asString() == "toolCall" && item["presentation"]["suppress"].asBool() &&
         item["status"].asString() != "failed";
}

struct SystemKind {
  std::string_view type;
  const char* kind;
  std::string_view operation;  ///< empty = none
  const char* title;
};
constexpr std::array kSystemKinds{
    SystemKind{"system/error", "error", "", "Error"},
    SystemKind{"provider/error", "error", "", "The agent reports an error"},
    SystemKind{"provider/warning", "operation", "warning", "Warning"},
    SystemKind{"system/operation", "operation", "generic", "Operation"},
    SystemKind{"system/thread/interrupted", "operation", kInterrupted, "Interrupted"},
    SystemKind{"thread/compacted", "operation", "compaction", "The context was compacted"},
    SystemKind{"thread/context/cleared", "operation", "context-clear", "The context was cleared"},
    SystemKind{"system/pluginInteraction/lifecycle", "operation", "plugin-interaction", "Question"},
    SystemKind{"system/thread-provisioning", "operation", kProvisioning,
               "Preparing the environment"},
    SystemKind{"client/turn/rejected", "error", "", "The message was not run"},
};

}  // namespace

TimelineRows::Segment& TimelineRows::current() {
  if (segments_.empty()) {
    segments_.emplace_back();
  }
  return segments_.back();
}

TimelineRows::Row& TimelineRows::rowOf(const std::string& id, const ThreadEventRow& event) {
  if (const auto known = places_.find(id); known != places_.end()) {
    auto& row = segments_[known->second.segment].rows[known->second.row];
    row.last_seq = event.seq;
    row.json.set("sourceSeqEnd", event.seq);
    return row;
  }
  if (current().ended && (event.turn_id.empty() || event.turn_id != current().turn_id)) {
    // What happens between two turns belongs to neither.
    segments_.emplace_back();
  }
  auto& rows = current().rows;
  places_.emplace(id, Place{.segment = segments_.size() - 1, .row = rows.size()});
  rows.push_back({.json = Json::object()
                              .set("id", id)
                              .set("threadId", thread_id_)
                              .set("turnId", textOrNull(event.turn_id))
                              .set("sourceSeqStart", event.seq)
                              .set("sourceSeqEnd", event.seq)
                              .set("startedAt", event.created_at)
                              .set("createdAt", event.created_at),
                  .first_seq = event.seq,
                  .last_seq = event.seq});
  return rows.back();
}

Status TimelineRows::add(const std::vector<ThreadEventRow>& events, const std::stop_token& stop) {
  for (const auto& event : events) {
    if (auto goes_on = unlessStopped(stop); !goes_on) {
      return goes_on;
    }
    add(event);
  }
  return {};
}

void TimelineRows::add(const ThreadEventRow& event) {
  const auto data = parsed(event.data);
  const auto& type = event.type;
  if (type == "client/turn/requested") {
    return request(event, data);
  }
  if (type == "turn/input/accepted") {
    return accepted(event, data["requestId"].asString(), "accepted");
  }
  if (type == "turn/started" && data["parentToolCallId"].isNull()) {
    current().turn_id = event.turn_id;
    return accepted(event, current().anchor_id, "accepted");
  }
  if (type == "turn/completed" && data["parentToolCallId"].isNull()) {
    failure(event, data["error"]);
    return endSegment(event, rowStatus(data["status"].asString()));
  }
  if (type == "item/started" || type == "item/completed" ||
      type.starts_with("item/backgroundTask/")) {
    return item(event, data["item"]);
  }
  if (type == "system/permissionGrant/lifecycle" || type == "system/userQuestion/lifecycle") {
    return question(event, data);
  }
  system(event, data);
  if (type == "client/turn/rejected") {
    accepted(event, data["requestId"].asString(), "rejected");
    endSegment(event, data["reason"].asString() == "failed" ? "error" : "interrupted");
  }
}

void TimelineRows::request(const ThreadEventRow& event, const Json& data) {
  const auto& id = data["requestId"].asString();
  const auto& target = data["target"]["kind"].asString();
  const bool steers = target == "steer";
  if (!steers) {
    segments_.push_back({.anchor_seq = event.seq, .anchor_id = id});
  }
  auto& row = rowOf(id, event);
  row.json.set("kind", "conversation")
      .set("role", "user")
      .set("text", textOf(data["input"]))
      .set("initiator", data["initiator"])
      .set("senderThreadId", data["senderThreadId"])
      .set("mentions", mentionsOf(data["input"]))
      .set("attachments", attachmentsOf(data["input"]))
      .set("turnRequest", Json::object()
                              .set("kind", steers ? "steer" : "message")
                              .set("status", "pending")
                              .set("isGrouped", data["inputGroups"].isArray()))
      .set("systemMessageKind", "unlabeled")
      .set("systemMessageSubject", nullptr);
}

void TimelineRows::accepted(const ThreadEventRow& event, const std::string& request_id,
                            const char* status) {
  for (auto& row : current().rows) {
    if (row.json["id"].asString() == request_id) {
      auto request = row.json["turnRequest"];
      row.json.set("turnRequest", request.set("status", status)).set("sourceSeqEnd", event.seq);
      row.last_seq = event.seq;
    }
  }
}

void TimelineRows::item(const ThreadEventRow& event, const Json& told) {
  const auto& type = told["type"].asString();
  if (type == "userMessage") {
    return;
  }
  if (type == "fileChange") {
    return fileChange(event, told);
  }
  if (isSuppressed(told)) {
    return;
  }
  const auto& id = told["id"].asString();
  if (type == "agentMessage") {
    auto& row = rowOf(id, event);
    if (event.type == "item/started") {
      // Told again as it grows: what has its end says so by another number.
      row.json.set("sourceSeqEnd", row.first_seq);
    }
    row.json.set("itemId", id)
        .set("kind", "conversation")
        .set("role", "assistant")
        .set("text", told["text"])
        .set("attachments", nullptr)
        .set("turnRequest", nullptr);
    return;
  }
  if (type == "contextCompaction") {
    return system(event, told);
  }
  const auto work = workOf(event, told);
  if (work.isNull()) {
    return;
  }
  auto& row = rowOf(id, event);
  const auto own = told["status"].asString();
  row.json.set("itemId", id)
      .set("kind", "work")
      .set("status", event.type == "item/started" && own.empty() ? "pending" : rowStatus(own));
  for (const auto& [key, value] : work.members()) {
    row.json.set(key, value);
  }
}

void TimelineRows::fileChange(const ThreadEventRow& event, const Json& told) {
  std::size_t number = 0;
  for (const auto& change : told["changes"].items()) {
    auto& row = rowOf(fmt::format("{}:{}", told["id"].asString(), number++), event);
    row.json.set("itemId", told["id"])
        .set("kind", "work")
        .set("status", rowStatus(told["status"].asString()))
        .set("workKind", "file-change")
        .set("callId", told["id"])
        .set("change", Json::object()
                           .set("path", change["path"])
                           .set("kind", change["kind"])
                           .set("movePath", change["movePath"])
                           .set("diff", change["diff"])
                           .set("diffStats", diffStats(change["diff"].asString())))
        .set("stdout", nullptr)
        .set("stderr", nullptr)
        .set("approvalStatus", told["approvalStatus"]);
  }
}

void TimelineRows::question(const ThreadEventRow& event, const Json& data) {
  const auto& status = data["status"].asString();
  const auto& resolution = data["resolution"];
  auto& row = rowOf(data["interactionId"].asString(), event);
  const bool asks = event.type == "system/userQuestion/lifecycle";
  const bool denied = resolution["decision"].asString() == "deny";
  row.json.set("kind", "work")
      .set("status", status == "resolved"      ? "completed"
                     : status == "interrupted" ? "interrupted"
                                               : "pending")
      .set("workKind", asks ? "question" : "approval")
      .set("interactionId", data["interactionId"]);
  if (asks) {
    row.json.set("questions", data["payload"]["questions"])
        .set("answers", resolution["answers"])
        .set("lifecycle", status == "resolved" ? Json("answered") : Json(status));
    return;
  }
  const auto& subject = data["subject"];
  const auto& kind = subject["kind"].asString();
  row.json.set("approvalKind", kind == "file_change" ? "file-edit" : "permission-grant")
      .set("lifecycle", status == "resolved" ? Json(denied ? "denied" : "granted") : Json(status))
      .set("grantScope", status != "resolved" || denied ? Json()
                         : resolution["decision"].asString() == "allow_for_session"
                             ? Json("session")
                             : Json("turn"))
      .set("statusReason", data["statusReason"])
      .set("target",
           Json::object().set("itemId", subject["itemId"]).set("toolName", subject["toolName"]));
}

void TimelineRows::system(const ThreadEventRow& event, const Json& data) {
  const auto* type = event.type.starts_with("item/") ? "thread/compacted" : event.type.c_str();
  const auto* const known =
      std::find_if(kSystemKinds.begin(), kSystemKinds.end(),
                   [type](const SystemKind& each) { return each.type == type; });
  if (known == kSystemKinds.end()) {
    return;
  }
  std::string own;
  for (const char* member : {"interactionId", "operationId", "provisioningId"}) {
    own = own.empty() ? data[member].asString() : own;
  }
  auto& row = rowOf(own.empty() ? event.id : own, event);
  // What a plugin makes of the answer to its form.
  const auto& described = data["description"];
  const auto detail = [&data, &described]() -> Json {
    if (described["detail"].isString()) {
      return described["detail"];
    }
    if (data["entries"].isArray()) {
      return provisioningText(data["entries"]);
    }
    for (const char* member : {"detail", "message", "details", "reason", "statusReason"}) {
      if (data[member].isString()) {
        return data[member];
      }
    }
    return {};
  };
  auto title = data["title"].isString() ? data["title"] : data["summary"];
  if (described["title"].isString()) {
    title = described["title"];
  }
  auto told = detail();
  if (!title.isString() && event.type == "system/operation" &&
      told.asString().find('\n') == std::string::npos && !told.asString().empty()) {
    // What has no name says itself what it is.
    title = std::exchange(told, Json());
  }
  row.json.set("kind", "system")
      .set("systemKind", known->kind)
      .set("title", title.isString() ? std::move(title) : Json(known->title))
      .set("detail", std::move(told))
      .set("status",
           known->operation == kProvisioning ? provisioningStatus(data["status"]) : data["status"]);
  if (!known->operation.empty()) {
    const bool runs = data["status"].asString() == "active";
    row.json.set("operationKind", known->operation)
        .set("completedAt", runs ? Json() : Json(event.created_at));
  }
}

void TimelineRows::failure(const ThreadEventRow& event, const Json& error) {
  const auto& message = error["message"];
  if (!message.isString() || message.asString().empty()) {
    return;
  }
  // An agent that has told of it before its end is not repeated.
  for (const auto& row : current().rows) {
    if (row.json["systemKind"].asString() == "error" &&
        row.json["detail"].asString() == message.asString()) {
      return;
    }
    if (row.json["operationKind"].asString() == kInterrupted) {
      // The line that says so has the reason, too.
      rowOf(row.json["id"].asString(), event).json.set("detail", message);
      return;
    }
  }
  rowOf(event.id, event)
      .json.set("kind", "system")
      .set("systemKind", "error")
      .set("title", "The turn failed")
      .set("detail", message)
      .set("status", nullptr);
}

TimelineRows::Grown TimelineRows::grown(const LiveTexts::Texts& live) const {
  Grown out;
  if (live.empty()) {
    return out;
  }
  for (const auto& segment : segments_) {
    for (const auto& row : segment.rows) {
      const auto text = live.find(row.json["itemId"].asString());
      if (text == live.end() || !isOpen(row.json)) {
        continue;
      }
      auto& copy = out.emplace(&row, row).first->second;
      copy.open = true;
      copy.json.set(text->second.field == "output" ? "output" : "text", text->second.text);
    }
  }
  return out;
}

void TimelineRows::endSegment(const ThreadEventRow& event, const std::string& status) {
  auto& segment = current();
  segment.ended = true;
  segment.status = status;
  segment.ended_at = event.created_at;
  segment.ended_seq = event.seq;
  closeOpen(segment, event.seq);
}

void TimelineRows::closeOpen(Segment& segment, std::int64_t seq) {
  auto* last = static_cast<Row*>(nullptr);
  for (auto& row : segment.rows) {
    if (row.json["role"].asString() == "assistant") {
      last = &row;
    } else if (row.json["kind"].asString() == "work" && row.json.find("itemId") != nullptr &&
               isOpen(row.json)) {
      row.last_seq = seq;
      row.json.set("status", "interrupted");
    }
  }
  // The one that stays beside the folded turn.
  if (last != nullptr && isOpen(last->json)) {
    last->last_seq = seq;
    last->json.set("sourceSeqEnd", seq);
  }
}

void TimelineRows::close() {
  if (!segments_.empty() && !segments_.back().ended) {
    closeOpen(segments_.back(), 0);
  }
}

}  // namespace svc::threads
