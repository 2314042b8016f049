#include "thread_record.h"

#include <utility>

namespace svc::threads {
namespace {

using common::Json;

bool isContinuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

Json activityRecord() {
  return Json::object()
      .set("activeWorkflowCount", 0)
      .set("activeBackgroundAgentCount", 0)
      .set("activeBackgroundCommandCount", 0)
      .set("activePlanModeCount", 0)
      .set("activeGoalCount", 0);
}

}  // namespace

const std::string& shownTitle(const storage::ThreadRow& row) {
  return row.title.empty() ? row.title_fallback : row.title;
}

Json parsed(const std::string& text) {
  auto value = text.empty() ? Result<Json>(Json()) : Json::parse(text);
  return value ? std::move(value).value() : Json();
}

Json textOrNull(std::string_view text) { return text.empty() ? Json() : Json(text); }

Json timeOrNull(std::int64_t time) { return time == 0 ? Json() : Json(time); }

bool isShown(const Json& block) { return block["visibility"].asString() != "agent-only"; }

std::string textOf(const Json& input) {
  std::string out;
  for (const auto& block : input.items()) {
    if (block["type"].asString() == "text" && isShown(block)) {
      out += (out.empty() ? "" : "\n") + block["text"].asString();
    }
  }
  return out;
}

std::string clipped(std::string_view text, std::size_t characters) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!isContinuation(text[at]) && ++count > characters) {
      return std::string(text.substr(0, at));
    }
  }
  return std::string(text);
}

Json toRecord(const storage::ThreadRow& row, bool has_pending_interaction) {
  const auto environment = parsed(row.environment);
  const auto member = [&environment](std::string_view key) { return environment[key]; };
  const auto kind = member("displayKind").asString();
  const bool live = row.archived_at == 0 && row.deleted_at == 0;
  return Json::object()
      .set("id", row.id)
      .set("projectId", row.project_id)
      .set("environmentId", textOrNull(row.environment_id))
      .set("providerId", row.provider_id)
      .set("title", textOrNull(row.title))
      .set("titleFallback", row.title_fallback)
      .set("sectionId", textOrNull(row.section_id))
      .set("status", row.status)
      .set("parentThreadId", textOrNull(row.parent_thread_id))
      .set("sourceThreadId", textOrNull(row.source_thread_id))
      .set("originKind", textOrNull(row.origin_kind))
      .set("childOrigin", textOrNull(row.origin_kind))
      .set("originPluginId", textOrNull(row.origin_plugin_id))
      .set("visibility", row.hidden ? "hidden" : "visible")
      .set("canSpawnChild", live)
      .set("hasPendingInteraction", has_pending_interaction)
      .set("pinSortKey", textOrNull(row.pin_sort_key))
      .set("archivedAt", timeOrNull(row.archived_at))
      .set("pinnedAt", timeOrNull(row.pinned_at))
      .set("deletedAt", timeOrNull(row.deleted_at))
      .set("lastReadAt", timeOrNull(row.last_read_at))
      .set("latestAttentionAt", row.latest_attention_at)
      .set("createdAt", row.created_at)
      .set("updatedAt", row.updated_at)
      .set("runtime", Json::object()
                          .set("displayStatus", row.status)
                          .set("hostReconnectGraceExpiresAt", nullptr))
      .set("activeBackgroundAgentCount", 0)
      .set("activity", activityRecord())
      .set("environmentHostId", member("hostId"))
      .set("environmentName", member("name"))
      .set("environmentBranchName", member("branchName"))
      .set("environmentWorkspaceDisplayKind", kind.empty() ? "other" : kind);
}

Json toRecord(const storage::TurnRow& row) {
  return Json::object()
      .set("id", row.started_at == 0 ? Json() : textOrNull(row.turn_id))
      .set("requestId", row.request_id)
      .set("threadId", row.thread_id)
      .set("state", row.state)
      .set("attempt", row.attempt)
      .set("retryOfRequestId", textOrNull(row.retry_of))
      .set("initiator", row.initiator)
      .set("providerTurnId", textOrNull(row.provider_turn_id))
      .set("error", textOrNull(row.error))
      .set("acceptedAt", row.accepted_at)
      .set("dispatchedAt", timeOrNull(row.dispatched_at))
      .set("startedAt", timeOrNull(row.started_at))
      .set("endedAt", timeOrNull(row.ended_at));
}

Json toRecord(const storage::ThreadEventRow& row) {
  auto scope = Json::object().set("kind", row.turn_id.empty() ? "thread" : "turn");
  if (!row.turn_id.empty()) {
    scope.set("turnId", row.turn_id);
  }
  return Json::object()
      .set("id", row.id)
      .set("seq", row.seq)
      .set("threadId", row.thread_id)
      .set("type", row.type)
      .set("scope", std::move(scope))
      .set("data", Json::raw(common::RawJson(row.data)))
      .set("createdAt", row.created_at);
}

Json toRecord(const storage::QueuedMessageRow& row) {
  const auto options = parsed(row.options);
  auto waiting = parsed(row.waiting_on);
  auto send_at = timeOrNull(row.send_at);
  if (waiting["kind"].asString() == "plugin") {
    // It waits for the plugin's time, if that has named one, and no longer for that of its sender.
    send_at = waiting["sendAt"];
    waiting = Json::object()
                  .set("kind", "plugin")
                  .set("pluginId", waiting["pluginId"])
                  .set("reason", waiting["reason"]);
  }
  const auto mode = options["permissionMode"].asString();
  return Json::object()
      .set("id", row.id)
      .set("threadId", row.thread_id)
      .set("content", parsed(row.content))
      .set("model", options["model"])
      .set("reasoningLevel", options["reasoningLevel"])
      .set("permissionMode", mode.empty() ? "auto" : mode)
      .set("serviceTier", options["serviceTier"].isString() ? options["serviceTier"] : "default")
      .set("groupWithNext", row.group_with_next)
      .set("sendAt", std::move(send_at))
      .set("waitingOn", std::move(waiting))
      .set("payload", parsed(row.payload))
      .set("editable", parsed(row.payload)["kind"].asString() == "inline")
      .set("createdAt", row.created_at)
      .set("updatedAt", row.updated_at);
}

Json toRecord(const storage::InteractionRow& row) {
  auto origin = parsed(row.origin);
  auto record = Json::object()
                    .set("id", row.id)
                    .set("threadId", row.thread_id)
                    .set("turnId", textOrNull(row.turn_id))
                    .set("status", row.status)
                    .set("statusReason", textOrNull(row.status_reason));
  if (origin["kind"].asString() == "provider") {
    for (const char* member : {"providerId", "providerRequestId", "providerThreadId"}) {
      record.set(member, origin[member]);
    }
  }
  return record.set("origin", std::move(origin))
      .set("payload", parsed(row.payload))
      .set("resolution", parsed(row.resolution))
      .set("createdAt", row.created_at)
      .set("resolvedAt", timeOrNull(row.resolved_at))
      .set("expiresAt", timeOrNull(row.expires_at));
}

Json toRecord(const storage::ThreadSectionRow& row) {
  return Json::object()
      .set("id", row.id)
      .set("name", row.name)
      .set("createdAt", row.created_at)
      .set("updatedAt", row.updated_at);
}

}  // namespace svc::threads
