#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "svc/common/json.h"

#include "bounded_text.h"

namespace svc::agentd {

/// How far something of a turn is, in the contract's words.
namespace item_status {
inline constexpr std::string_view kPending = "pending";
inline constexpr std::string_view kCompleted = "completed";
inline constexpr std::string_view kFailed = "failed";
inline constexpr std::string_view kInterrupted = "interrupted";
}  // namespace item_status

/// What a tool is called whose agent does not tell its name. It can be allowed once only.
inline constexpr std::string_view kUnnamedTool = "tool";

/// One tool call as the agent has told it so far. Absent members of an update leave what was there, arrays replace it.
struct ToolCall {
  std::string item_id{};
  std::string turn_id{};
  /// The agent's own.
  std::string call_id{};
  std::string title{};
  /// Empty for agents that tell a title only.
  std::string name{};
  std::string kind{};
  std::string status{item_status::kPending};
  common::Json content{};
  /// The diffs of its permission request: some agents tell a shorter one afterwards, or none.
  common::Json asked_diffs{};
  common::Json locations{};
  common::Json raw_input{};
  common::Json raw_output{};
  /// What its terminal has printed, and the status of its end, for agents that tell these apart from what they show.
  bool is_terminal = false;
  BoundedText printed{};
  common::Json exit_code{};
  /// "waiting_for_approval", "denied" or empty.
  std::string approval{};
  std::int64_t started_ms = 0;
  std::int64_t ended_ms = 0;
  /// When one of its texts became longer than an item may say.
  std::int64_t cut_ms = 0;

  void apply(const common::Json& update);
  /// Bytes that it takes, roughly.
  [[nodiscard]] std::size_t weight() const;
  /// Keeps the diffs that a person is shown.
  void asked();
  [[nodiscard]] bool ended() const { return status != item_status::kPending; }

 private:
  void applyExtensions(const common::Json& meta);
};

/// The item of the contract for it, without what grows while it runs (`aggregatedOutput`) and what is known at its end
/// (`result`, `exitCode`, `durationMs`, …).
[[nodiscard]] common::Json toolItem(const ToolCall& call, const std::string& cwd);
/// With all of it.
[[nodiscard]] common::Json wholeToolItem(const ToolCall& call, const std::string& cwd);
/// The paths of the pictures in what it has shown or answered, each maybe more than once.
[[nodiscard]] std::vector<std::string> picturesOf(const ToolCall& call);
/// What it has printed or answered so far, bounded.
[[nodiscard]] std::string toolOutput(const ToolCall& call);
/// The subject of an approval.
[[nodiscard]] common::Json approvalSubject(const ToolCall& call, const std::string& cwd);

}  // namespace svc::agentd
