// The watchdog's half of Environment: heartbeat, stalls, and the stack of a script that blocks.
#include <algorithm>
#include <chrono>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "svc/common/source_map.h"

#include "environment.h"
#include "environment_script.h"

namespace svc::jsruntime {

using std::chrono::milliseconds;

namespace {

/// How long a blocked script has to show its stack before the stall is reported without one. Scripts block when machines are
/// busy, where a thread may not run for a while; one in a system call shows none.
constexpr milliseconds kStackWait{250};
constexpr milliseconds kStackPoll{5};
/// How often a paused watchdog looks whether it is needed again.
constexpr milliseconds kPausedLook{1000};
/// A system call that the script thread waits for at its end may begin after the signal that was to interrupt it.
constexpr milliseconds kInterruptAgain{20};
/// The share of the CPU is measured over at least this long.
constexpr milliseconds kCpuSpan{1000};

std::int64_t nanoseconds(SteadyTime time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

}  // namespace

void Environment::watch(const script::ScriptLimits& limits) {
  watchdog_ms_.store(limits.watchdog.count());
  terminate_ms_.store(limits.terminate.count());
  most_threads_.store(limits.worker_threads);
  most_descriptors_.store(limits.descriptors);
  supervisor_.watch(weak_from_this());
}

bool Environment::answerPing() {
  const auto since = ping_since_.load(std::memory_order_relaxed);
  if (since == 0) {
    return false;
  }
  loop_delay_.add(std::chrono::nanoseconds(nanoseconds(std::chrono::steady_clock::now()) - since));
  ping_since_.store(0, std::memory_order_release);
  return true;
}

void Environment::pauseWatchdog(bool paused) {
  // What stood still until now was not a stall.
  ping_since_.store(0, std::memory_order_release);
  watchdog_paused_.store(paused, std::memory_order_release);
}

SteadyTime Environment::inspect(SteadyTime now) {
  if (!usable()) {
    return followEnd(now);
  }
  sample(now);
  const milliseconds watchdog(watchdog_ms_.load());
  const auto since = ping_since_.load(std::memory_order_acquire);
  if (since == 0) {
    stall_ = Stall::kNone;
    ping_since_.store(nanoseconds(now), std::memory_order_release);
    waker_->send();
    return now + std::clamp(watchdog / 8, kStackPoll, milliseconds(1000));
  }
  if (watchdog_paused_.load(std::memory_order_acquire)) {
    stall_ = Stall::kNone;
    return now + kPausedLook;
  }
  return followStall(now, std::chrono::duration_cast<milliseconds>(
                              std::chrono::nanoseconds(nanoseconds(now) - since)));
}

void Environment::sample(SteadyTime now) {
  const auto passed = std::chrono::duration<double, std::milli>(now - cpu_sampled_at_).count();
  if (now - cpu_sampled_at_ < kCpuSpan) {
    return;
  }
  const auto used = threads_.cpuMilliseconds() + blocking_->use().cpu_ms;
  if (cpu_sampled_at_ != SteadyTime{}) {
    cpu_percent_.store(100 * static_cast<double>(used - cpu_sampled_ms_) / passed,
                       std::memory_order_relaxed);
  }
  cpu_sampled_ms_ = used;
  cpu_sampled_at_ = now;
  if (auto what = worker_memory_.exceeded()) {
    end({script::TerminationReason::kHeapLimit, 0, std::move(*what), ""});
  }
}

SteadyTime Environment::followStall(SteadyTime now, milliseconds blocked) {
  const milliseconds watchdog(watchdog_ms_.load());
  const milliseconds terminate(terminate_ms_.load());
  switch (stall_) {
    case Stall::kNone:
      if (blocked < watchdog) {
        return now + std::min(watchdog - blocked, milliseconds(1000));
      }
      askForStack(now);
      stall_ = Stall::kReporting;
      return now + kStackPoll;
    case Stall::kReporting:
      if (const auto stack = stackAskedFor(now)) {
        stall_ = Stall::kReported;
        if (const auto told = observer()) {
          told->onStall(blocked, *stack);
        }
      }
      return now + kStackPoll;
    case Stall::kReported:
      if (blocked < terminate) {
        return now + std::min(terminate - blocked, milliseconds(1000));
      }
      askForStack(now);
      stall_ = Stall::kEnding;
      return now + kStackPoll;
    case Stall::kEnding:
      if (auto stack = stackAskedFor(now)) {
        end({script::TerminationReason::kWatchdog, 0,
             "the event loop did not answer for " + std::to_string(blocked.count()) +
                 " ms (limit: " + std::to_string(terminate.count()) + " ms)",
             std::move(*stack)});
        return followEnd(now);
      }
      return now + kStackPoll;
  }
  return SteadyTime::max();
}

SteadyTime Environment::followEnd(SteadyTime now) {
  {
    const std::lock_guard lock(mutex_);
    if (ended_) {
      return SteadyTime::max();
    }
  }
  if (give_up_at_ == SteadyTime{}) {
    give_up_at_ = now + supervisor_.patience();
  }
  if (now < give_up_at_) {
    return blocking_->interrupt() ? std::min(give_up_at_, now + kInterruptAgain) : give_up_at_;
  }
  tellEnd();
  return SteadyTime::max();
}

void Environment::askForStack(SteadyTime now) {
  stack_asked_at_ = now;
  const std::lock_guard lock(mutex_);
  stack_.clear();
  stack_taken_ = false;
  if (script_ != nullptr) {
    script_->interruptForStack();
  }
}

std::optional<std::string> Environment::stackAskedFor(SteadyTime now) {
  std::string frames;
  {
    const std::lock_guard lock(mutex_);
    if (!stack_taken_ && now - stack_asked_at_ < kStackWait) {
      return std::nullopt;
    }
    frames = stack_;
  }
  return mapStack(frames);
}

std::string Environment::mapStack(const std::string& frames) const {
  std::vector<std::pair<std::string, common::SourceMap>> maps;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [path, text] : source_maps_) {
      if (auto map = common::SourceMap::parse(text, path)) {
        maps.emplace_back(path, std::move(*map));
      }
    }
  }
  std::string stack;
  std::istringstream lines(frames);
  for (std::string function, file, line, column;
       std::getline(lines, function, '\t') && std::getline(lines, file, '\t') &&
       std::getline(lines, line, '\t') && std::getline(lines, column);) {
    constexpr std::string_view kFileUrl = "file://";
    if (file.starts_with(kFileUrl)) {
      file.erase(0, kFileUrl.size());
    }
    auto position = fmt::format("{}:{}:{}", file, line, column);
    const auto map = std::find_if(maps.begin(), maps.end(),
                                  [&](const auto& entry) { return entry.first == file; });
    if (map != maps.end()) {
      if (const auto found = map->second.find(static_cast<std::uint32_t>(std::stoul(line)),
                                              static_cast<std::uint32_t>(std::stoul(column)))) {
        position = fmt::format("{}:{}:{}", found->source, found->line, found->column);
      }
    }
    stack += (stack.empty() ? "    at " : "\n    at ") +
             (function.empty() ? position : fmt::format("{} ({})", function, position));
  }
  return stack;
}

}  // namespace svc::jsruntime
