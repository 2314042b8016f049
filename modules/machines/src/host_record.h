#pragma once

#include <cstdint>
#include <string>

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
};

enum class HostState : std::uint8_t { kAvailable, kSetupRequired, kUnavailable };

[[nodiscard]] HostState stateOf(const HostEntry& entry);
[[nodiscard]] const char* textOf(HostState state);
/// Why it is so and what to do about it; empty when there is nothing to say.
[[nodiscard]] std::string stateMessage(const HostEntry& entry);

[[nodiscard]] Host toHost(const HostEntry& entry);
/// The record of the contract, with `stateMessage`.
[[nodiscard]] common::Json toRecord(const HostEntry& entry);

}  // namespace svc::machines
