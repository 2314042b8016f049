// How environments are used, and how those end that nobody uses, or that somebody removes.
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/hosts.h"
#include "svc/common/limits/worktrees.h"
#include "svc/hostprotocol/protocol.h"

#include "book.h"
#include "record.h"

namespace svc::environments {

using common::Json;
namespace command_type = hostprotocol::command;

Handle Book::use(const std::string& environment_id) {
  countUse(environment_id, 1);
  return Handle([weak = weak_from_this(), environment_id] {
    if (const auto self = weak.lock()) {
      self->countUse(environment_id, -1);
    }
  });
}

Handle Book::tellWork(Work work) {
  const std::scoped_lock lock(told_->mutex);
  told_->work = std::make_shared<const Work>(std::move(work));
  return Handle([told = told_] {
    const std::scoped_lock undo(told->mutex);
    told->work.reset();
  });
}

std::string Book::about(Work::About Work::*what, const std::string& environment_id) const {
  std::shared_ptr<const Work> work;
  {
    const std::scoped_lock lock(told_->mutex);
    work = told_->work;
  }
  return work && (*work).*what ? ((*work).*what)(environment_id) : std::string();
}

std::string Book::workTitle(const std::string& environment_id) const {
  return about(&Work::title, environment_id);
}

void Book::countUse(const std::string& id, int by) {
  bool used = false;
  {
    const std::scoped_lock lock(uses_mutex_);
    auto& count = uses_[id];
    const bool was = count > 0;
    count += by;
    used = count > 0;
    if (!used) {
      uses_.erase(id);
    }
    if (was == used) {
      return;
    }
  }
  with_.io.post([weak = weak_from_this(), id, used] {
    if (const auto self = weak.lock()) {
      self->usesChanged(id, used);
    }
  });
}

void Book::usesChanged(const std::string& id, bool used) {
  const auto row = with_.rows->find(id);
  if (!row || !isManaged(*row)) {
    return;
  }
  if (used) {
    (void)movePhase(*row, PhaseEvent::kUsed);
    return;
  }
  {
    const std::scoped_lock lock(uses_mutex_);
    if (uses_.contains(id)) {
      return;
    }
  }
  const auto state = stateOf(row->status);
  if (state != State::kDestroyed && movePhase(*row, PhaseEvent::kUnused)) {
    startTimer(id, limits::kEnvGrace, &Book::graceOver);
  }
}

void Book::startTimer(const std::string& id, std::chrono::milliseconds delay,
                      void (Book::*then)(const std::string& id)) {
  timers_[id] = with_.io.after(delay, [weak = weak_from_this(), id, then] {
    if (const auto self = weak.lock()) {
      ((*self).*then)(id);
    }
  });
}

void Book::graceOver(const std::string& id) {
  const auto row = with_.rows->find(id);
  if (row && movePhase(*row, PhaseEvent::kGraceOver)) {
    tearDown(id);
  }
}

bool Book::endMaking(const Row& row) {
  const auto state = stateOf(row.status);
  if (state != State::kCreating && state != State::kProvisioning) {
    return false;
  }
  if (!busy_.contains(row.id)) {
    (void)move(row, state == State::kCreating ? Event::kCreateFailed : Event::kSetupFailed,
               "it was given up before its machine went on with it");
    return true;
  }
  making_[row.id].given_up = true;
  ask(row.host_id, command(row, command_type::kEnvironmentCancel), limits::kHostCall,
      [](const Result<Json>&) {});
  return true;
}

void Book::cancel(const std::string& environment_id) {
  with_.io.post([weak = weak_from_this(), environment_id] {
    const auto self = weak.lock();
    if (const auto row = self ? self->with_.rows->find(environment_id) : std::nullopt) {
      (void)self->endMaking(*row);
    }
  });
}

void Book::remove(const std::string& environment_id, Completion<Json> done) {
  with_.io.post([self = shared_from_this(), environment_id, done = std::move(done)]() mutable {
    const auto row = self->with_.rows->find(environment_id);
    if (!row) {
      return done(noSuchEnvironment(environment_id));
    }
    if (self->endMaking(*row)) {
      return done(Error{errc::kConflict, fmt::format("the environment {} was still being made; "
                                                     "that is ended now, try again in a moment",
                                                     environment_id)});
    }
    if (stateOf(row->status) == State::kDestroyed) {
      return done(notUsable(*row));
    }
    if (const auto thread = self->about(&Work::running, environment_id); !thread.empty()) {
      return done(Error{errc::kConflict,
                        fmt::format("the thread {} is at work in the environment {}; stop it first "
                                    "(`svc thread stop {}`), or wait for the end of its turn",
                                    thread, environment_id, thread)});
    }
    if (self->movePhase(*row, PhaseEvent::kRemoveAsked)) {
      self->tearDown(environment_id);
    }
    done(toRecord(*self->with_.rows->find(environment_id)));
  });
}

void Book::tearDown(const std::string& id) {
  auto row = with_.rows->find(id);
  if (!row || phaseOf(row->phase) != Phase::kRemoving) {
    return;
  }
  if (!isManaged(*row)) {
    (void)move(*std::move(row), Event::kRemoved);
    return;
  }
  if (!busy_.insert(id).second) {
    return;
  }
  cut_off_.erase(id);
  row->teardown_status = "running";
  ++row->teardown_attempt;
  with_.rows->put(*row);
  ask(row->host_id, command(*row, command_type::kEnvironmentRemove),
      limits::kLongJobTurn + limits::kEnvScript + limits::kGit * 2 + limits::kHostTransport,
      [this, id](const Result<Json>& answer) {
        busy_.erase(id);
        toreDown(id, answer);
      });
}

void Book::toreDown(const std::string& id, const Result<Json>& answer) {
  auto row = with_.rows->find(id);
  if (!row || stateOf(row->status) == State::kDestroyed) {
    return;
  }
  if (!answer) {
    row->teardown_status = "failed";
    row->status_detail = answer.error().message;
    with_.rows->put(*row);
    with_.announce(id, "status-changed");
    startTimer(id, limits::kEnvRemoveRetry, &Book::tearDown);
    const bool away = answer.error().code == errc::kHostUnavailable;
    if (away) {
      cut_off_.insert(id);
    }
    // It is tried again and again: too long for who waits for the folder, but for a machine that is away, which has a time of its own.
    for (auto& done : takeWaiting(id)) {
      done(away ? answer.error()
                : Error{errc::kConflict,
                        fmt::format(
                            "the environment {} is being removed, which has failed and is tried "
                            "again: {}",
                            id, row->status_detail)});
    }
    return;
  }
  row->teardown_status = "removed";
  const auto& because = answer.value()["keptBecause"].asString();
  auto detail = because.empty()
                    ? std::string()
                    : fmt::format("the folder {} stays: it has {}", row->path,
                                  because == "submodule" ? "submodules, whose work is not looked at"
                                                         : because + " work");
  if (!move(*row, Event::kRemoved, std::move(detail))) {
    // It was given up while it was being made; what has failed by then can be removed.
    startTimer(id, limits::kEnvRemoveRetry, &Book::tearDown);
  }
}

void Book::projectRemoved(const std::string& project_id) {
  for (const auto& row : with_.rows->list()) {
    if (row.project_id == project_id) {
      remove(row.id, [](const Result<Json>&) {});
    }
  }
}

void Book::machineRemoved(const std::string& host_id) {
  with_.io.post([weak = weak_from_this(), host_id] {
    const auto self = weak.lock();
    if (!self || self->with_.machines.find(host_id)) {
      return;  // only its keys were revoked, or it is there again
    }
    for (const auto& row : self->with_.rows->list()) {
      if (row.host_id == host_id) {
        self->goneWithMachine(row);
      }
    }
  });
}

void Book::goneWithMachine(Row row) {
  const auto state = stateOf(row.status);
  if (state == State::kDestroyed) {
    return;
  }
  const auto detail = row.path.empty()
                          ? std::string("its machine was removed from the server")
                          : fmt::format(
                                "its machine was removed from the server; the folder {} "
                                "stays there as it is",
                                row.path);
  const auto id = row.id;
  timers_.erase(id);
  if (state == State::kCreating || state == State::kProvisioning) {
    (void)move(std::move(row),
               state == State::kCreating ? Event::kCreateFailed : Event::kSetupFailed, detail);
    row = *with_.rows->find(id);
  }
  (void)move(std::move(row), Event::kRemoved, detail);
}

}  // namespace svc::environments
