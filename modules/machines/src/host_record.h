#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "svc/common/json.h"
#include "svc/machines/host_registry.h"
#include "svc/storage/host_store.h"

namespace svc::machines {

/// One machine as the server knows it now.
struct HostEntry {
  storage::HostRow row{};
  bool connected = false;
  SessionFacts facts{};             ///< of the last session since the start
  std::int64_t stored_seen_at = 0;  ///< `last_seen_at` as the store has it
  /// What the server knows about the daemon it starts itself; empty = nothing.
  std::string note{};
  /// Of a daemon whose protocol was refused, since the server has started.
  struct Update {
    std::string platform{};
    bool offered = false;   ///< the server has a newer daemon for it
    std::string failure{};  ///< of the daemon's last try to take it
    std::int64_t retry_requested_at = 0;
  };
  Update update{};
};

enum class HostState : std::uint8_t { kAvailable, kSetupRequired, kUnavailable };

[[nodiscard]] HostState stateOf(const HostEntry& entry);
[[nodiscard]] const char* textOf(HostState state);
/// Why it is so and what to do about it; empty when there is nothing to say.
[[nodiscard]] std::string stateMessage(const HostEntry& entry);

/// `not_found`, and how to find the ids.
[[nodiscard]] Error noSuchHost(std::string_view host_id);
[[nodiscard]] Host toHost(const HostEntry& entry);
/// The record of the contract, with `stateMessage`.
[[nodiscard]] common::Json toRecord(const HostEntry& entry);

}  // namespace svc::machines
