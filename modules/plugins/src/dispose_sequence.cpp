#include "dispose_sequence.h"

#include <utility>

#include <fmt/format.h>

#include "svc/kernel/async.h"

namespace svc::plugins {

DisposeSequence::DisposeSequence(IExecutor& executor, DisposePlan plan, Report report)
    : executor_(executor), plan_(std::move(plan)), report_(std::move(report)) {}

void DisposeSequence::run(Completion<void> done) {
  done_ = std::move(done);
  total_timer_ = executor_.after(plan_.total, [self = shared_from_this()] {
    // What follows replaces the timer and with it this closure.
    const auto keep = self;  // NOLINT(performance-unnecessary-copy-initialization)
    keep->overrun(keep->phase_, keep->plan_.total, "disposeTotal");
    keep->finish();
  });
  startPhase(0);
}

void DisposeSequence::startPhase(std::size_t index) {
  while (index < kDisposePhaseCount && plan_.phases.at(index).actions.empty()) {
    ++index;
  }
  if (index == kDisposePhaseCount) {
    finish();
    return;
  }
  phase_ = index;
  const auto& phase = plan_.phases.at(index);
  for (std::size_t action = 0; action < phase.actions.size(); ++action) {
    running_[action] = phase.actions.at(action).name;
  }
  phase_timer_ = executor_.after(phase.limit, [self = shared_from_this(), index] {
    // What follows replaces the timer and with it this closure.
    const auto keep = self;  // NOLINT(performance-unnecessary-copy-initialization)
    const auto& overrun_phase = keep->plan_.phases.at(index);
    keep->overrun(index, overrun_phase.limit, overrun_phase.limit_name);
    keep->startPhase(index + 1);
  });
  for (std::size_t action = 0; action < phase.actions.size(); ++action) {
    phase.actions.at(action).run(deliverOn(
        executor_,
        Completion<void>([self = shared_from_this(), index, action](const Status& status) {
          self->endAction(index, action, status);
        })));
  }
}

void DisposeSequence::endAction(std::size_t index, std::size_t action, const Status& status) {
  if (index != phase_ || !done_.pending() || running_.erase(action) == 0) {
    return;
  }
  if (!status) {
    report_(static_cast<DisposePhase>(index),
            fmt::format("{} failed: {}", plan_.phases.at(index).actions.at(action).name,
                        status.error().message),
            false);
  }
  if (running_.empty()) {
    phase_timer_.reset();
    startPhase(index + 1);
  }
}

void DisposeSequence::overrun(std::size_t index, std::chrono::milliseconds limit,
                              std::string_view limit_name) {
  const auto named = limit_name.empty() ? std::string() : fmt::format(" (limit {})", limit_name);
  for (const auto& [action, name] : std::exchange(running_, {})) {
    report_(static_cast<DisposePhase>(index),
            fmt::format("{} did not finish within {} ms{}", name, limit.count(), named), true);
  }
}

void DisposeSequence::finish() {
  phase_timer_.reset();
  total_timer_.reset();
  done_({});
}

}  // namespace svc::plugins
