#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"

#include "log_line.h"
#include "scheduler.h"

namespace svc::plugins {

using storage::ScheduleClaim;
using storage::ScheduleRow;

Scheduler::RunPtr Scheduler::reserve(const Key& key) {
  auto run = std::make_shared<ScheduleRun>(with_.main, key.second);
  running_[key] = run;
  return run;
}

void Scheduler::begin(const Key& key, const RunPtr& run) {
  const auto self = shared_from_this();
  const auto answers = [self, key, run] {
    return ScheduleRun::Answers{[self, key, weak = std::weak_ptr(run)](Status outcome) {
                                  if (const auto target = weak.lock()) {
                                    self->record(key, target, std::move(outcome));
                                  }
                                },
                                [self, key] {
                                  self->running_.erase(key);
                                  self->just_ended_[key] = self->with_.clock.nowMs();
                                }};
  };
  // A reload that hands over holds the call, as it does every other.
  with_.loaded->acquire(
      key.first, deliverOn(with_.main, Completion<GenerationPtr>(
                                           [run, answers](const Result<GenerationPtr>& generation) {
                                             if (generation) {
                                               run->start(generation.value(), answers());
                                             } else {
                                               run->refuse(generation.error(), answers());
                                             }
                                           })));
}

void Scheduler::abortRuns(const IGeneration& generation) {
  for (const auto& [key, run] : running_) {
    run->abort(generation);
  }
}

void Scheduler::record(const Key& key, const RunPtr& run, Status outcome) {
  storage::ScheduleResult result{key.first, key.second, run->started_at};
  if (!outcome && outcome.error().code == errc::kTimeout) {
    logOverrun(key, outcome.error());  // a failure of the function is logged where the call ends
  }
  if (!outcome) {
    // An empty message would read as success.
    result.error = outcome.error().message.empty() ? "it failed without a message"
                                                   : cutMessage(outcome.error().message);
  }
  if (closed_) {
    // The row stays at "running": the next start marks it.
    if (run->waiter) {
      (*run->waiter)(Error{errc::kUnavailable, "the server is shutting down"});
    }
    return;
  }
  unrecorded_.push_back({std::move(result), std::move(outcome), std::move(run->waiter)});
  flush();
}

void Scheduler::logOverrun(const Key& key, const Error& error) const {
  for (const auto& generation : with_.loaded->all()) {
    if (generation->pluginId() == key.first) {
      generation->log("error", fmt::format("schedule \"{}\": {}", key.second, error.message));
    }
  }
}

void Scheduler::flush() {
  if (flushing_ || unrecorded_.empty() || closed_) {
    return;
  }
  flushing_ = true;
  auto batch = std::exchange(unrecorded_, {});
  std::vector<storage::ScheduleResult> results;
  results.reserve(batch.size());
  for (const auto& each : batch) {
    results.push_back(each.result);
  }
  const auto request = [&store = with_.store, results, now = with_.clock.nowMs()] {
    return store.finish(results, now);
  };
  ask<void>(request, true,
            [self = shared_from_this(), batch = std::move(batch)](const Status& stored) mutable {
              self->recorded(stored, std::move(batch));
            });
}

void Scheduler::recorded(const Status& stored, std::vector<Ended> batch) {
  flushing_ = false;
  if (!stored) {
    // Kept for the next sweep: at most one entry per schedule and run.
    std::move(unrecorded_.begin(), unrecorded_.end(), std::back_inserter(batch));
    unrecorded_ = std::move(batch);
    if (!std::exchange(failing_, true)) {
      with_.log->warn("runs of schedules are not recorded: {}", stored.error().message);
    }
    return;
  }
  for (auto& each : batch) {
    if (!each.waiter) {
      continue;
    }
    auto schedule = info({each.result.plugin_id, each.result.name});
    if (!each.outcome) {
      (*each.waiter)(each.outcome.error());
    } else if (schedule) {
      (*each.waiter)(std::move(*schedule));
    } else {
      (*each.waiter)(Error{errc::kNotFound, "the schedule was removed while it ran"});
    }
  }
  flush();
}

// On demand

void Scheduler::run(std::string plugin_id, std::string name, Completion<ScheduleInfo> done) {
  with_.main.post([weak = weak_from_this(), key = Key{std::move(plugin_id), std::move(name)},
                   answer = std::move(done)]() mutable {
    const auto self = weak.lock();
    if (!self || self->closed_) {
      answer(Error{errc::kUnavailable, "the server is shutting down"});
      return;
    }
    if (!self->marked_) {
      answer(Error{errc::kUnavailable,
                   "schedules wait until the data directory can be written; see the server's log"});
      return;
    }
    Completion<GenerationPtr> loaded =
        [self, key, answer = std::move(answer)](const Result<GenerationPtr>& generation) mutable {
          if (generation) {
            self->runNow(key, std::move(answer));
          } else {
            answer(generation.error());
          }
        };
    self->with_.loaded->acquire(key.first, deliverOn(self->with_.main, std::move(loaded)));
  });
}

void Scheduler::runNow(const Key& key, Completion<ScheduleInfo> done) {
  const auto* row = find(key);
  if (row == nullptr) {
    done(Error{errc::kNotFound,
               fmt::format(R"(plugin "{}" has no schedule "{}")", key.first, key.second)});
  } else if (running_.contains(key)) {
    done(
        Error{errc::kConflict,
              fmt::format(R"(schedule "{}" of plugin "{}" is running; try again when it has ended)",
                          key.second, key.first)});
  } else {
    claimNow(*row, std::move(done));
  }
}

void Scheduler::claimNow(const ScheduleRow& row, Completion<ScheduleInfo> done) {
  const Key key{row.plugin_id, row.name};
  auto run = reserve(key);
  run->started_at = with_.clock.nowMs();
  run->scheduled_at = run->started_at;
  run->waiter = std::make_shared<Completion<ScheduleInfo>>(std::move(done));
  const ScheduleClaim claim{row.plugin_id, row.name, row.next_run_at, row.next_run_at};
  const auto request = [&store = with_.store, claim, now = run->started_at] {
    return store.claim({claim}, now);
  };
  ask<std::vector<bool>>(
      request, true, [self = shared_from_this(), key, run](const Result<std::vector<bool>>& won) {
        if (won && won.value().front()) {
          self->begin(key, run);
          return;
        }
        self->running_.erase(key);
        (*run->waiter)(
            won ? Error{errc::kConflict,
                        fmt::format(
                            R"(schedule "{}" of plugin "{}" has just been changed; try again)",
                            key.second, key.first)}
                : won.error());
      });
}

}  // namespace svc::plugins
