#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "svc/common/json.h"

namespace svc::agentd {

/// How far something of a turn is, in the contract's words.
namespace item_status {
inline constexpr std::string_view kPending = "pending";
inline constexpr std::string_view kCompleted = "completed";
inline constexpr std::string_view kFailed = "failed";
inline constexpr std::string_view kInterrupted = "interrupted";
}  // namespace item_status

/// One tool call as the agent has told it so far. Absent members of an update leave what was there, arrays replace it.
struct ToolCall {
  std::string item_id{};
  std::string turn_id{};
  /// The agent's own.
  std::string call_id{};
  std::string title{};
  std::string name{};
  std::string kind{};
  std::string status{item_status::kPending};
  common::Json content{};
  common::Json locations{};
  common::Json raw_input{};
  common::Json raw_output{};
  /// "waiting_for_approval", "denied" or empty.
  std::string approval{};
  std::int64_t started_ms = 0;
  std::int64_t ended_ms = 0;

  void apply(const common::Json& update);
  [[nodiscard]] bool ended() const { return status != item_status::kPending; }
};

/// The item of the contract for it, without what grows while it runs (`aggregatedOutput`) and what is known at its end
/// (`result`, `exitCode`, `durationMs`, …).
[[nodiscard]] common::Json toolItem(const ToolCall& call, const std::string& cwd);
/// With all of it.
[[nodiscard]] common::Json wholeToolItem(const ToolCall& call, const std::string& cwd);
/// What it has printed or answered so far, bounded.
[[nodiscard]] std::string toolOutput(const ToolCall& call);
/// The subject of an approval.
[[nodiscard]] common::Json approvalSubject(const ToolCall& call, const std::string& cwd);

}  // namespace svc::agentd
