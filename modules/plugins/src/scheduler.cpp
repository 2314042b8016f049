#include "scheduler.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/plugins.h"

#include "cron.h"

namespace svc::plugins {
namespace {

using storage::ScheduleClaim;
using storage::ScheduleRow;
using storage::ScheduleSpec;

constexpr const char* kInterrupted = "interrupted by a server stop";
/// How long a row waits whose expression this version cannot read.
constexpr std::chrono::milliseconds kUnreadable = std::chrono::hours(24);
/// Of the clock, backwards, from which schedules follow it.
constexpr std::chrono::milliseconds kClockStep = std::chrono::minutes(5);

ScheduleInfo infoOf(const ScheduleRow& row) {
  return {row.name,        row.cron,        row.timezone,   row.next_run_at,
          row.last_run_at, row.last_status, row.last_error, row.last_run_missed};
}

}  // namespace

Scheduler::Scheduler(Context context) : with_(std::move(context)), jobs_(with_.main) {}

Status Scheduler::open() {
  started_at_ = with_.clock.nowMs();
  (void)marked(with_.store.interruptRunning(kInterrupted, started_at_));
  auto rows = with_.store.list();
  if (!rows) {
    return std::move(rows).error();
  }
  rows_ = std::move(rows).value();
  armSweep();
  return {};
}

bool Scheduler::marked(const Result<std::size_t>& interrupted) {
  const bool was_waiting = std::exchange(failing_, !interrupted.ok());
  marked_ = interrupted.ok();
  if (marked_ && was_waiting) {
    with_.log->info("schedules do not wait any more");
  } else if (!marked_ && !was_waiting) {
    with_.log->error(
        "schedules wait: what ran when the server stopped cannot be recorded: {}; it is tried "
        "again",
        interrupted.error().message);
  }
  with_.on_waiting(marked_ ? ""
                           : "schedules wait until the data directory can be written: " +
                                 interrupted.error().message);
  return marked_;
}

void Scheduler::close() {
  main_thread_.check();
  closed_ = true;
  sweep_timer_.reset();
  jobs_.clear();
}

std::vector<ScheduleInfo> Scheduler::records(const std::string& plugin_id) const {
  main_thread_.check();
  std::vector<ScheduleInfo> out;
  for (const auto& row : rows_) {
    if (row.plugin_id == plugin_id) {
      out.push_back(infoOf(row));
    }
  }
  return out;
}

std::optional<ScheduleInfo> Scheduler::info(const Key& key) const {
  const auto* row = find(key);
  return row == nullptr ? std::nullopt : std::optional(infoOf(*row));
}

const ScheduleRow* Scheduler::find(const Key& key) const {
  const auto found = std::find_if(rows_.begin(), rows_.end(), [&](const ScheduleRow& row) {
    return std::tie(row.plugin_id, row.name) == std::tie(key.first, key.second);
  });
  return found == rows_.end() ? nullptr : &*found;
}

void Scheduler::refresh(Rows rows) {
  main_thread_.check();
  rows_ = std::move(rows);
  if (changed_ && !closed_) {
    changed_();
  }
}

std::int64_t Scheduler::nextRun(const std::string& cron, std::int64_t now) const {
  const auto parsed = parseCron(cron);
  const auto next = parsed ? nextAfter(parsed.value(), with_.zone.zone, now) : std::nullopt;
  return next.value_or(now + kUnreadable.count());
}

// Registration

std::vector<ScheduleSpec> Scheduler::specsOf(const IGeneration& generation,
                                             std::int64_t now) const {
  std::vector<ScheduleSpec> specs;
  const auto registered = generation.registration("schedules");
  for (const auto& entry : registered.items()) {
    const auto& cron = entry["cron"].asString();
    specs.push_back({entry["name"].asString(), cron, with_.zone.name, nextRun(cron, now)});
  }
  return specs;
}

void Scheduler::commit(const GenerationPtr& generation, Completion<void> done) {
  main_thread_.check();
  const auto id = generation->pluginId();
  const auto now = with_.clock.nowMs();
  const auto specs = specsOf(*generation, now);
  if (specs.empty() && records(id).empty()) {
    done({});
    return;
  }
  const auto request = [&store = with_.store, id, specs, now] {
    return store.replace(id, specs, now);
  };
  ask<void>(request, true, [generation, done = std::move(done)](const Status& stored) mutable {
    if (!stored) {
      generation->log("error", fmt::format("its schedules could not be stored and do not run: {}",
                                           stored.error().message));
    }
    done({});
  });
}

void Scheduler::setZone(NamedZone zone) {
  main_thread_.check();
  with_.zone = std::move(zone);
  const auto now = with_.clock.nowMs();
  std::vector<GenerationPtr> generations;
  std::vector<std::vector<ScheduleSpec>> specs;
  for (const auto& generation : with_.loaded->all()) {
    if (auto own = specsOf(*generation, now); !own.empty()) {
      generations.push_back(generation);
      specs.push_back(std::move(own));
    }
  }
  if (generations.empty()) {
    return;
  }
  // One request, however many they are; rows that cannot be stored do not keep the others from it.
  const std::function<Result<std::vector<Status>>()> request = [&store = with_.store, generations,
                                                                specs, now] {
    std::vector<Status> stored;
    for (std::size_t index = 0; index < generations.size(); ++index) {
      stored.push_back(store.replace(generations[index]->pluginId(), specs[index], now));
    }
    return stored;
  };
  ask<std::vector<Status>>(request, true, [generations](const Result<std::vector<Status>>& stored) {
    for (std::size_t index = 0; index < generations.size(); ++index) {
      const auto status = stored ? stored.value()[index] : Status(stored.error());
      if (!status) {
        generations[index]->log("error",
                                fmt::format("its schedules keep the times of the zone before: {}",
                                            status.error().message));
      }
    }
  });
}

void Scheduler::registered(const std::weak_ptr<IGeneration>& generation) {
  with_.main.post([weak = weak_from_this(), generation] {
    const auto self = weak.lock();
    const auto source = generation.lock();
    if (!self || !source || self->closed_) {
      return;
    }
    // Before the switch load step 11 is still to come; after it the registration is a late one.
    for (const auto& loaded : self->with_.loaded->all()) {
      if (loaded->loadId() == source->loadId()) {
        self->commit(source, {});
      }
    }
  });
}

void Scheduler::resume(const std::string& plugin_id) {
  main_thread_.check();
  const auto now = with_.clock.nowMs();
  std::vector<ScheduleClaim> claims;
  for (const auto& row : rows_) {
    if (row.plugin_id == plugin_id) {
      claims.push_back(
          {plugin_id, row.name, row.next_run_at, nextRun(row.cron, now), /*run=*/false});
    }
  }
  move(std::move(claims), now,
       fmt::format("plugin {}: its schedules keep the times from before it was disabled",
                   plugin_id));
}

void Scheduler::comeBack(std::int64_t now) {
  std::vector<ScheduleClaim> claims;
  for (const auto& row : rows_) {
    if (const auto next = nextRun(row.cron, now); next < row.next_run_at) {
      claims.push_back({row.plugin_id, row.name, row.next_run_at, next, /*run=*/false});
    }
  }
  if (!claims.empty()) {
    with_.log->warn("the clock was set back: {} schedules run from now on by it", claims.size());
  }
  move(std::move(claims), now, "schedules keep the times of the clock that was ahead");
}

void Scheduler::move(std::vector<ScheduleClaim> claims, std::int64_t now,
                     const std::string& otherwise) {
  if (claims.empty()) {
    return;
  }
  const auto request = [&store = with_.store, claims, now] { return store.claim(claims, now); };
  ask<std::vector<bool>>(request, true,
                         [log = with_.log, otherwise](const Result<std::vector<bool>>& moved) {
                           if (!moved) {
                             log->warn("{}: {}", otherwise, moved.error().message);
                           }
                         });
}

// Sweep

void Scheduler::armSweep() {
  sweep_timer_ = with_.main.after(limits::kScheduleSweep, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self || self->closed_) {
      return;
    }
    self->armSweep();
    self->flush();
    if (!self->sweeping_) {
      self->sweep();
    }
  });
}

void Scheduler::sweep() {
  main_thread_.check();
  if (!marked_) {
    sweeping_ = true;
    const auto mark = [&store = with_.store, at = started_at_] {
      return store.interruptRunning(kInterrupted, at);
    };
    ask<std::size_t>(mark, true, [self = shared_from_this()](const Result<std::size_t>& done) {
      self->sweeping_ = false;
      if (!self->closed_ && self->marked(done)) {
        self->sweep();
      }
    });
    return;
  }
  std::vector<std::string> ids;
  for (const auto& generation : with_.loaded->all()) {
    if (!generation->registration("schedules").items().empty()) {
      ids.push_back(generation->pluginId());
    }
  }
  if (ids.empty()) {
    sweeping_ = false;
    return;
  }
  sweeping_ = true;
  const auto now = with_.clock.nowMs();
  // A smaller step is waited for: nothing runs twice because a clock is kept in time.
  if (now + kClockStep.count() < std::exchange(swept_at_, now)) {
    comeBack(now);
  }
  const auto request = [&store = with_.store, ids, now] {
    return store.due(ids, now, limits::kScheduleBatch);
  };
  ask<Rows>(request, false, [self = shared_from_this(), now](const Result<Rows>& due) {
    if (!due || self->closed_) {
      self->sweepFailed(due ? Error{errc::kAborted, "the service stops"} : due.error());
      return;
    }
    std::vector<ScheduleClaim> claims;
    for (const auto& row : due.value()) {
      claims.push_back(self->claimOf(row, now));
    }
    self->failing_ = false;
    if (claims.empty()) {
      self->sweepDone(now);
      return;
    }
    self->claimDue(due.value(), claims, now);
  });
}

void Scheduler::sweepDone(std::int64_t now) {
  // Every tick up to `now` has been looked at.
  std::erase_if(just_ended_, [now](const auto& entry) { return entry.second <= now; });
  sweeping_ = false;
}

void Scheduler::sweepFailed(const Error& error) {
  sweeping_ = false;
  if (!closed_ && !std::exchange(failing_, true)) {
    with_.log->warn("schedules are not looked at: {}", error.message);
  }
}

ScheduleClaim Scheduler::claimOf(const ScheduleRow& row, std::int64_t now) {
  const Key key{row.plugin_id, row.name};
  const auto ended = just_ended_.find(key);
  const bool fell_into_a_run =
      running_.contains(key) || (ended != just_ended_.end() && row.next_run_at <= ended->second);
  const bool readable = parseCron(row.cron).ok();
  if (!readable) {
    with_.log->warn("plugin {}: schedule {} has the unreadable expression \"{}\"", row.plugin_id,
                    row.name, row.cron);
  }
  return {row.plugin_id,
          row.name,
          row.next_run_at,
          nextRun(row.cron, now),
          !fell_into_a_run && readable,
          row.next_run_at < started_at_};
}

void Scheduler::claimDue(const Rows& due, const std::vector<ScheduleClaim>& claims,
                         std::int64_t now) {
  std::vector<RunPtr> runs;
  for (const auto& claim : claims) {
    auto run = claim.run ? reserve({claim.plugin_id, claim.name}) : nullptr;
    if (run) {
      run->started_at = now;
      run->scheduled_at = claim.seen;
      run->missed = claim.missed;
    }
    runs.push_back(std::move(run));
  }
  const auto request = [&store = with_.store, claims, now] { return store.claim(claims, now); };
  const bool more = due.size() >= limits::kScheduleBatch;
  ask<std::vector<bool>>(
      request, true,
      [self = shared_from_this(), claims, runs, more, now](const Result<std::vector<bool>>& won) {
        for (std::size_t index = 0; index < claims.size(); ++index) {
          const Key key{claims[index].plugin_id, claims[index].name};
          if (runs[index] && won && won.value()[index] && !self->closed_) {
            self->begin(key, runs[index]);
          } else if (runs[index]) {
            self->running_.erase(key);
          }
        }
        if (!won || self->closed_) {
          self->sweepFailed(won ? Error{errc::kAborted, "the service stops"} : won.error());
        } else if (more) {
          self->sweep();
        } else {
          self->sweepDone(now);
        }
      });
}

}  // namespace svc::plugins
