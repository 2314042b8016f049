#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/hosts.h"
#include "svc/common/limits/worktrees.h"
#include "svc/hostprotocol/protocol.h"
#include "svc/hosts/host_answer.h"
#include "svc/hosts/host_failure.h"

#include "book.h"
#include "record.h"

namespace svc::environments {

using common::Json;
namespace command_type = hostprotocol::command;

namespace {

/// The end of what it said is what people look for; all of it was told as progress.
std::string setupFailure(std::int64_t code, std::string_view output) {
  constexpr std::size_t kLastWords = 400;
  auto said = fmt::format(".svc/setup ended with exit status {}", code);
  while (!output.empty() && (output.back() == '\n' || output.back() == ' ')) {
    output.remove_suffix(1);
  }
  if (output.size() > kLastWords) {
    output.remove_prefix(output.size() - kLastWords);
    output.remove_prefix(std::min(output.find('\n') + 1, output.size()));
  }
  if (!output.empty()) {
    said += fmt::format(": {}", output);
  }
  return said;
}

constexpr const char* kMachineStep = "machine";

Json wantedOf(const storage::EnvironmentRow& row) {
  auto made_of = Json::parse(row.intent.empty() ? "{}" : row.intent);
  return made_of ? std::move(made_of).value() : Json::object();
}

}  // namespace

Json Book::command(const Row& row, std::string_view type) const {
  const auto wanted = wantedOf(row);
  const auto& owner = wanted["owner"].asString();
  auto variables = Json::object()
                       .set("SVC_ENVIRONMENT_ID", row.id)
                       .set("SVC_PROJECT_ID", row.project_id)
                       .set("SVC_THREAD_ID", owner);
  const auto host = with_.machines.find(row.host_id);
  if (host && host->is_server && !with_.data_directory.empty()) {
    variables.set("SVC_DATA_DIR", with_.data_directory);
  }
  return Json::object()
      .set("type", type)
      .set("environmentId", row.id)
      .set("projectPath", wanted["projectPath"].asString())
      .set("workspace", Json::object()
                            .set("type", row.kind)
                            .set("path", row.path)
                            .set("branchName", "svc/" + (owner.empty() ? row.id : owner))
                            .set("baseBranch", wanted["baseBranch"].asString()))
      .set("env", std::move(variables));
}

void Book::ask(const std::string& host_id, const Json& command, std::chrono::milliseconds wait,
               std::function<void(const Result<Json>& answer)> then) {
  with_.commands.send(
      host_id, command.dump(), wait,
      [weak = weak_from_this(), then = std::move(then)](Result<std::string> answer) {
        const auto self = weak.lock();
        if (!self) {
          return;
        }
        if (answer) {
          then(hosts::answerObject(answer.value()));
          return;
        }
        const auto code = answer.error().code;
        const bool of_the_caller = code == errc::kInvalidInput || code == errc::kNotFound ||
                                   code == errc::kConflict || code == errc::kAborted;
        then(of_the_caller ? answer.error() : hosts::hostFailure(std::move(answer).error()));
      });
}

bool Book::move(Row row, Event event, std::string detail) {
  const auto to = next(stateOf(row.status), event);
  if (!to) {
    return false;
  }
  row.status = name(*to);
  row.status_detail = std::move(detail);
  row.updated_at = with_.clock.nowMs();
  if (*to == State::kDestroyed) {
    row.phase = name(Phase::kActive);
    row.retire_at = 0;
  }
  with_.rows->put(row, [self = shared_from_this(), row](const Status&) {
    self->with_.announce(row.id, stateOf(row.status) == State::kDestroyed ? "environment-deleted"
                                                                          : "status-changed");
    // While this was stored it may have been tried again, and who waits for that does not hear of the end before.
    const auto now = self->with_.rows->find(row.id);
    self->tellWaiting(now ? *now : row);
  });
  return true;
}

bool Book::movePhase(Row row, PhaseEvent event) {
  const auto to = next(phaseOf(row.phase), event);
  if (!to) {
    return false;
  }
  row.phase = name(*to);
  row.retire_at = *to == Phase::kRetiring ? with_.clock.nowMs() + limits::kEnvGrace.count() : 0;
  row.updated_at = with_.clock.nowMs();
  timers_.erase(row.id);
  with_.rows->put(row);
  with_.announce(row.id, "status-changed");
  return true;
}

std::vector<Completion<Environment>> Book::takeWaiting(const std::string& id) {
  auto taken = waiting_.extract(id);
  return taken.empty() ? std::vector<Completion<Environment>>() : std::move(taken.mapped());
}

void Book::tellWaiting(const Row& row) {
  const auto state = stateOf(row.status);
  if (isBeingMade(row) || isBeingRemoved(row)) {
    return;
  }
  making_.erase(row.id);
  for (auto& done : takeWaiting(row.id)) {
    if (state == State::kReady) {
      done(toEnvironment(row));
    } else {
      done(notUsable(row));
    }
  }
}

void Book::tell(const std::string& id, const char* key, const std::string& text,
                const char* status) {
  const auto found = making_.find(id);
  if (found == making_.end()) {
    return;
  }
  auto step = Json::object()
                  .set("key", key)
                  .set("type", std::string_view(key) == "output" ? "output" : "step")
                  .set("text", text)
                  .set("status", status);
  auto& steps = found->second.steps;
  std::erase_if(steps, [key](const Json& each) { return each["key"].asString() == key; });
  steps.push_back(step);
  for (const auto& listener : std::vector(found->second.listeners)) {
    if (listener) {
      listener(step);
    }
  }
}

std::string Book::machineName(const std::string& host_id) const {
  const auto host = with_.machines.find(host_id);
  return host ? host->name : host_id;
}

bool Book::awaitsMachine(const Row& row, const Result<Json>& answer) {
  if (answer || answer.error().code != errc::kHostUnavailable || !isBeingMade(row) ||
      !with_.machines.find(row.host_id)) {
    return false;
  }
  auto& making = making_[row.id];
  if (making.given_up || ++making.losses > limits::kEnvLosses) {
    return false;
  }
  tell(row.id, kMachineStep,
       fmt::format("Waiting for the machine \"{}\"", machineName(row.host_id)), "active");
  making.listeners.clear();  // who asks again hears the steps so far
  for (auto& done : takeWaiting(row.id)) {
    done(answer.error());
  }
  return true;
}

std::string Book::failureOf(const std::string& id, const Error& error) const {
  const auto making = making_.find(id);
  return making == making_.end() || making->second.losses <= limits::kEnvLosses
             ? error.message
             : fmt::format("{}, again and again (limit envLosses: {})", error.message,
                           limits::kEnvLosses);
}

void Book::tellBegun(const std::string& id, const char* key, const std::string& text) {
  auto& making = making_[id];
  making.given_up = false;
  const auto waits = std::find_if(making.steps.begin(), making.steps.end(), [](const Json& step) {
    return step["key"].asString() == kMachineStep && step["status"].asString() == "active";
  });
  if (waits != making.steps.end()) {
    tell(id, kMachineStep, std::string((*waits)["text"].asString()), "completed");
  }
  tell(id, key, text, "active");
}

void Book::place(const std::string& id) {
  const auto row = with_.rows->find(id);
  if (!row || stateOf(row->status) != State::kCreating || !busy_.insert(id).second) {
    return;
  }
  const auto* const step = isManaged(*row) ? "Creating the workspace" : "Looking for the folder";
  tellBegun(id, "create", step);
  ask(row->host_id, command(*row, command_type::kEnvironmentCreate),
      limits::kLongJobTurn + limits::kGit * 2 + limits::kHostTransport,
      [this, id, step](const Result<Json>& facts) {
        busy_.erase(id);
        auto now = with_.rows->find(id);
        if (!now || awaitsMachine(*now, facts)) {
          return;
        }
        tell(id, "create", step, facts ? "completed" : "failed");
        if (!facts) {
          (void)move(*std::move(now), Event::kCreateFailed, failureOf(id, facts.error()));
          return;
        }
        placed(*std::move(now), facts.value());
      });
}

void Book::placed(Row row, const Json& facts) {
  row.path = facts["path"].asString();
  row.is_git_repo = facts["isGitRepo"].asBool();
  row.is_worktree = facts["isWorktree"].asBool();
  row.branch_name = facts["branchName"].asString();
  row.base_branch = facts["baseBranch"].asString();
  row.default_branch = facts["defaultBranch"].asString();
  const auto id = row.id;
  if (move(std::move(row), Event::kPlaced)) {
    setUp(id);
  }
}

void Book::setUp(const std::string& id) {
  const auto row = with_.rows->find(id);
  if (!row || stateOf(row->status) != State::kProvisioning || !busy_.insert(id).second) {
    return;
  }
  tellBegun(id, "setup", "Setting up");
  ask(row->host_id, command(*row, command_type::kEnvironmentSetup),
      limits::kLongJobTurn + limits::kEnvScript + limits::kHostTransport,
      [this, id](const Result<Json>& ran) {
        busy_.erase(id);
        const auto now = with_.rows->find(id);
        if (!now || awaitsMachine(*now, ran)) {
          return;
        }
        const auto code = ran ? ran.value()["exitCode"].asInteger(-1) : -1;
        if (ran && !ran.value()["output"].asString().empty()) {
          tell(id, "output", ran.value()["output"].asString(), "completed");
        }
        tell(id, "setup", "Setting up", code == 0 ? "completed" : "failed");
        if (code == 0) {
          (void)move(*now, Event::kSetupDone);
        } else {
          (void)move(*now, Event::kSetupFailed,
                     ran ? setupFailure(code, ran.value()["output"].asString())
                         : failureOf(id, ran.error()));
        }
      });
}

void Book::awaitReady(const std::string& environment_id, Progress progress,
                      Completion<Environment> done) {
  with_.io.post([self = shared_from_this(), environment_id, progress = std::move(progress),
                 done = std::move(done)]() mutable {
    const auto row = self->with_.rows->find(environment_id);
    if (!row) {
      return done(noSuchEnvironment(environment_id));
    }
    auto there = self->reachable(row->host_id);
    const bool rests = !self->busy_.contains(environment_id);
    if ((isBeingMade(*row) && rests) ||
        (isBeingRemoved(*row) && rests && (!there || self->cut_off_.contains(environment_id)))) {
      // It was begun by the server before, or its machine was lost meanwhile: it goes on when that is there.
      return done(
          there ? Error{errc::kHostUnavailable, fmt::format("the machine \"{}\" is not back yet",
                                                            self->machineName(row->host_id))}
                : std::move(there).error());
    }
    if (progress && isBeingMade(*row)) {
      auto& making = self->making_[environment_id];
      for (const auto& step : making.steps) {
        progress(step);
      }
      making.listeners.push_back(std::move(progress));
    }
    self->waiting_[environment_id].push_back(std::move(done));
    self->tellWaiting(*row);
  });
}

void Book::retry(const std::string& environment_id, Progress progress,
                 Completion<Environment> done) {
  with_.io.post([self = shared_from_this(), environment_id, progress = std::move(progress),
                 done = std::move(done)]() mutable {
    const auto row = self->with_.rows->find(environment_id);
    if (!row) {
      return done(noSuchEnvironment(environment_id));
    }
    if (auto there = self->reachable(row->host_id);
        !there && stateOf(row->status) == State::kError) {
      return done(std::move(there).error());
    }
    const bool was_placed = isManaged(*row) && !row->path.empty();
    if (!self->move(*row, was_placed ? Event::kSetupRetried : Event::kCreateRetried)) {
      return done(Error{errc::kConflict, fmt::format("the environment {} is {}; only one that has "
                                                     "failed is tried again",
                                                     row->id, row->status)});
    }
    self->making_[environment_id] = {.steps = {}, .listeners = {std::move(progress)}};
    done(toEnvironment(*self->with_.rows->find(environment_id)));
    was_placed ? self->setUp(environment_id) : self->place(environment_id);
  });
}

void Book::lost(const std::string& environment_id, const std::string& detail) {
  with_.io.post([self = shared_from_this(), environment_id, detail] {
    auto row = self->with_.rows->find(environment_id);
    if (!row || stateOf(row->status) != State::kReady) {
      return;
    }
    if (isManaged(*row)) {
      row->path.clear();  // a retry makes it
    }
    if (self->move(*std::move(row), Event::kSetupAsked)) {
      (void)self->move(*self->with_.rows->find(environment_id), Event::kSetupFailed, detail);
    }
  });
}

void Book::begin() {
  for (const auto& row : with_.rows->list()) {
    if (stateOf(row.status) == State::kDestroyed) {
      continue;
    }
    if (!with_.machines.find(row.host_id)) {
      goneWithMachine(row);  // the server was killed before it had said so
      continue;
    }
    if (const auto owner = wantedOf(row)["owner"].asString(); !owner.empty()) {
      begun_before_[owner] = row.id;  // ids ascend with the time
    }
    if (phaseOf(row.phase) == Phase::kRetiring) {
      const auto left = std::max<std::int64_t>(0, row.retire_at - with_.clock.nowMs());
      startTimer(row.id, std::chrono::milliseconds(left), &Book::graceOver);
    } else if (phaseOf(row.phase) == Phase::kRemoving) {
      startTimer(row.id, limits::kEnvRemoveRetry, &Book::tearDown);
    }
  }
}

void Book::end() {
  timers_.clear();
  waiting_.clear();
  making_.clear();
}

void Book::hostOpened(const std::string& host_id) {
  for (const auto& row : with_.rows->list()) {
    if (row.host_id != host_id) {
      continue;
    }
    place(row.id);
    setUp(row.id);
    if (stateOf(row.status) != State::kDestroyed) {
      tearDown(row.id);
    }
  }
}

}  // namespace svc::environments
