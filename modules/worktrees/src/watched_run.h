#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "svc/base/run.h"
#include "svc/common/limits/worktrees.h"
#include "svc/kernel/result.h"

namespace svc::worktrees {

struct WatchedOutcome {
  base::RunEnd end = base::RunEnd::kExited;
  base::ExitStatus status;
  /// The last limits::kScriptTail bytes of both streams.
  std::string tail;
};

/// Runs a program to its end and tells what it says as it comes. It is ended, with its group, after `limit` or when a stop is requested.
/// Blocks. Errors are those of base::spawn().
[[nodiscard]] Result<WatchedOutcome> runWatched(
    base::SpawnOptions program, std::chrono::milliseconds limit, const std::stop_token& stop,
    const std::function<void(std::string_view output)>& said);

}  // namespace svc::worktrees
