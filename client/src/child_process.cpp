#include "child_process.h"

#include <csignal>
#include <utility>

#include "svc/base/run.h"

namespace svc::client {
namespace {

constexpr std::size_t kKeptOutput = 64UL * 1024;
/// What an interrupted child has to end by itself.
constexpr std::chrono::milliseconds kGrace{2000};

}  // namespace

Result<ChildOutcome> ChildRunner::run(const ChildCommand& command, const Tick& tick) {
  base::RunOptions options;
  options.program = {
      .argv = command.argv,
      .directory = command.directory,
      // A parent that is killed takes it along; without this it would go on in the background.
      .parent_death_signal = SIGTERM};
  options.capture = base::Capture::kJoined;
  options.output_limit = kKeptOutput;
  options.overflow = base::Overflow::kKeepLast;
  options.descendants = base::Descendants::kLeave;
  options.interrupt = interrupts_;
  options.grace = kGrace;
  options.tick = tick;
  auto ran = base::run(options);
  if (!ran) {
    const bool missing = ran.error().code == errc::kNotFound;
    return Error{missing ? errc::kNotFound : errc::kUnavailable, ran.error().message};
  }
  auto& outcome = ran.value();
  return ChildOutcome{.exit_code = outcome.status.shellCode(),
                      .output = std::move(outcome.out),
                      .interrupted = outcome.end == base::RunEnd::kInterrupted};
}

}  // namespace svc::client
