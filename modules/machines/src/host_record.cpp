#include "host_record.h"

#include <fmt/format.h>

#include "svc/hostprotocol/protocol.h"

namespace svc::machines {
namespace {

using common::Json;

Json orNull(const std::string& text) { return text.empty() ? Json() : Json(text); }

std::string missingAgents(const SessionFacts& facts) {
  std::string names;
  for (const auto& agent : facts.agents) {
    if (!agent.available) {
      names += (names.empty() ? "" : ", ") +
               (agent.display_name.empty() ? agent.id : agent.display_name);
    }
  }
  return names.empty() ? names : "agents that are not installed on it: " + names;
}

std::string updateAdvice(const HostEntry& entry) {
  if (!entry.update.failure.empty()) {
    return fmt::format(
        ", as it could not update itself: {}; `svc machine retry-update {}` makes it try again",
        entry.update.failure, entry.row.id);
  }
  return entry.update.offered ? "; with --auto-update it updates itself" : "";
}

std::string protocolMessage(const HostEntry& entry) {
  const auto theirs = entry.row.last_rejected_protocol;
  return fmt::format(
      "its host daemon speaks protocol version {}, this server version {}: update svc on {}",
      theirs, hostprotocol::kProtocolVersion,
      theirs > hostprotocol::kProtocolVersion
          ? "the server and start it again"
          : "the machine and start svc-hostd there again" + updateAdvice(entry));
}

}  // namespace

HostState stateOf(const HostEntry& entry) {
  if (entry.connected) {
    return HostState::kAvailable;
  }
  const bool rejected = entry.row.last_rejected_protocol != storage::kNoProtocol;
  return rejected || entry.row.last_seen_at == 0 ? HostState::kSetupRequired
                                                 : HostState::kUnavailable;
}

const char* textOf(HostState state) {
  return state == HostState::kAvailable       ? "available"
         : state == HostState::kSetupRequired ? "setup-required"
                                              : "unavailable";
}

std::string stateMessage(const HostEntry& entry) {
  const auto state = stateOf(entry);
  if (state == HostState::kAvailable) {
    return missingAgents(entry.facts);
  }
  if (entry.row.last_rejected_protocol != storage::kNoProtocol) {
    return protocolMessage(entry);
  }
  if (entry.row.is_server) {
    return !entry.note.empty() ? entry.note
           : state == HostState::kSetupRequired
               ? "its host daemon has not connected yet"
               : "its host daemon is not connected; `svc server logs` says why";
  }
  return state == HostState::kSetupRequired
             ? "enrolled, but its host daemon has never connected: run `systemctl --user start "
               "svc-hostd` or `svc-hostd` on the machine"
             : "its host daemon is not connected: look with `systemctl --user status svc-hostd` on "
               "the machine";
}

Error noSuchHost(std::string_view host_id) {
  return {errc::kNotFound,
          fmt::format("there is no host \"{}\"; `svc machine list` shows them", host_id)};
}

Host toHost(const HostEntry& entry) {
  return {.id = entry.row.id,
          .name = entry.row.name,
          .type = entry.row.type,
          .is_server = entry.row.is_server,
          .connected = entry.connected,
          .created_at = entry.row.created_at};
}

Json toRecord(const HostEntry& entry) {
  const auto& row = entry.row;
  return Json::object()
      .set("id", row.id)
      .set("name", row.name)
      .set("type", row.type)
      .set("status", entry.connected ? "connected" : "disconnected")
      .set("role", row.is_server ? "server" : "machine")
      .set("state", textOf(stateOf(entry)))
      .set("stateMessage", orNull(stateMessage(entry)))
      .set("machineProviderId", nullptr)
      .set("lifecycle",
           Json::object().set("phase", "active").set("message", nullptr).set("teardown", nullptr))
      .set("maxPermissionMode", "full")
      .set("lastSeenAt", row.last_seen_at == 0 ? Json() : Json(row.last_seen_at))
      .set("lastRejectedProtocolVersion", row.last_rejected_protocol == storage::kNoProtocol
                                              ? Json()
                                              : Json(row.last_rejected_protocol))
      .set("createdAt", row.created_at)
      .set("updatedAt", row.updated_at);
}

}  // namespace svc::machines
