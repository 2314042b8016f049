#pragma once

#include <cstdint>
#include <string>

#include "dispatch.h"
#include "threads/thread_follower.h"

/// What the commands have in common that show a turn until it ends.
namespace svc::client {

/// A `client/turn/requested` that goes to the turn that runs.
[[nodiscard]] bool isSteer(const common::Json& requested);
/// The number of the thread's last event.
[[nodiscard]] Result<std::int64_t> lastSeq(Api& api, const std::string& thread);
/// Id of the first message in the thread's queue; empty when none waits.
[[nodiscard]] std::string firstWaiting(Api& api, const std::string& thread);
/// Returns the exit code.
[[nodiscard]] int followTurn(Context& context, const std::string& thread, ThreadView view,
                             FollowedTurn turn);

}  // namespace svc::client
