#include "book.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/hosts.h"
#include "svc/common/limits/worktrees.h"
#include "svc/common/record_id.h"
#include "svc/hostprotocol/protocol.h"

#include "record.h"

namespace svc::environments {

using common::Json;

namespace {

constexpr const char* kUnmanagedKind = "unmanaged";

void takeFacts(storage::EnvironmentRow& row, const Json& facts) {
  row.path = facts["path"].asString();
  row.is_git_repo = facts["isGitRepo"].asBool();
  row.is_worktree = facts["isWorktree"].asBool();
  row.branch_name = facts["branchName"].asString();
  row.base_branch = facts["baseBranch"].asString();
  row.default_branch = facts["defaultBranch"].asString();
}

/// Of an intent whose machine is not known.
Error noMachine(const projects::Project& project, const Intent& intent) {
  if (intent.host_id.empty()) {
    return {errc::kHostUnavailable,
            "this server has no machine of its own (hosts.local is off); name one with hostId"};
  }
  const bool is_source = std::any_of(
      project.sources.begin(), project.sources.end(),
      [&](const auto& source) { return source.is_default && source.host_id == intent.host_id; });
  return {errc::kUnknownHost,
          is_source ? fmt::format("the default folder of the project \"{}\" is on the machine {}, "
                                  "which is not known (any more); give the project another one "
                                  "(`svc project source`), or name a machine and a folder",
                                  project.name, intent.host_id)
                    : fmt::format("there is no host \"{}\" (any more); `svc machine list` shows "
                                  "those there are",
                                  intent.host_id)};
}

}  // namespace

Error notUsable(const storage::EnvironmentRow& row) {
  if (stateOf(row.status) == State::kError && !row.status_detail.empty()) {
    return {errc::kConflict,
            fmt::format("the workspace could not be made ready: {}", row.status_detail)};
  }
  return {errc::kConflict,
          fmt::format("the environment {} is {}{}{}; `svc environment list` shows those there are",
                      row.id, isBeingRemoved(row) ? "being removed" : row.status,
                      row.status_detail.empty() ? "" : ": ", row.status_detail)};
}

std::optional<Environment> Book::find(std::string_view environment_id) const {
  const auto row = with_.rows->find(environment_id);
  return row ? std::optional(toEnvironment(*row)) : std::nullopt;
}

void Book::resolve(Wish wish, Progress progress, Completion<Environment> done) {
  with_.io.post([self = shared_from_this(), wish = std::move(wish), progress = std::move(progress),
                 done = std::move(done)]() mutable {
    self->resolveNow(wish, std::move(progress), std::move(done));
  });
}

Result<Intent> Book::wanted(const Wish& wish) const {
  const auto project = with_.projects.find(wish.project_id);
  if (!project) {
    return Error{errc::kNotFound, fmt::format("there is no project \"{}\"; `svc project list` "
                                              "shows them",
                                              wish.project_id)};
  }
  auto intent = readIntent(wish.intent);
  if (intent && intent.value().kind != Intent::Kind::kReuse) {
    if (auto completed = complete(*project, intent.value()); !completed) {
      return std::move(completed).error();
    }
  }
  return intent;
}

Status Book::check(const Wish& wish) const {
  const auto intent = wanted(wish);
  if (!intent) {
    return intent.error();
  }
  if (intent.value().kind != Intent::Kind::kReuse) {
    return {};
  }
  const auto found = reusable(wish, intent.value());
  return found ? Status() : found.error();
}

void Book::resolveNow(const Wish& wish, Progress progress, Completion<Environment> done) {
  const auto intent = wanted(wish);
  if (!intent) {
    return done(intent.error());
  }
  if (intent.value().kind == Intent::Kind::kReuse) {
    return done(reusable(wish, intent.value()));
  }
  if (intent.value().kind == Intent::Kind::kUnmanaged) {
    return useFolder(wish, intent.value(), std::move(done));
  }
  make(wish, intent.value(), std::move(progress), std::move(done));
}

Result<std::string> Book::sourceOn(const projects::Project& project,
                                   const std::string& host_id) const {
  for (const auto& source : project.sources) {
    if (source.host_id == host_id) {
      return source.path;
    }
  }
  if (project.id == projects::kPersonalProject) {
    return Error{errc::kInvalidInput,
                 fmt::format("the project \"{}\" has no folders of its own; make a project of one "
                             "with `svc project create`",
                             project.name)};
  }
  const auto host = with_.machines.find(host_id);
  return Error{errc::kInvalidInput,
               fmt::format("the project \"{}\" has no source on the machine \"{}\"; add one with "
                           "`svc project source add`",
                           project.name, host ? host->name : host_id)};
}

Status Book::complete(const projects::Project& project, Intent& intent) const {
  if (intent.kind == Intent::Kind::kProjectDefault) {
    const auto chosen = std::find_if(project.sources.begin(), project.sources.end(),
                                     [](const auto& source) { return source.is_default; });
    if (chosen != project.sources.end()) {
      intent.kind = Intent::Kind::kUnmanaged;
      intent.host_id = chosen->host_id;
      intent.path = chosen->path;
    } else {
      intent.kind = Intent::Kind::kPersonal;
    }
  }
  if (intent.host_id.empty()) {
    for (const auto& host : with_.machines.list()) {
      intent.host_id = host.is_server ? host.id : intent.host_id;
    }
  }
  if (!with_.machines.find(intent.host_id)) {
    return noMachine(project, intent);
  }
  if (intent.kind == Intent::Kind::kPersonal || !intent.path.empty()) {
    return {};
  }
  auto source = sourceOn(project, intent.host_id);
  if (!source) {
    return std::move(source).error();
  }
  intent.path = std::move(source).value();
  return {};
}

Result<Environment> Book::reusable(const Wish& wish, const Intent& intent) const {
  const auto row = with_.rows->find(intent.environment_id);
  if (!row) {
    return noSuchEnvironment(intent.environment_id);
  }
  if (row->project_id != wish.project_id) {
    return Error{errc::kConflict,
                 fmt::format("the environment {} is of another project", intent.environment_id)};
  }
  const auto state = stateOf(row->status);
  if (state == State::kError || state == State::kDestroyed || isBeingRemoved(*row)) {
    return notUsable(*row);
  }
  return toEnvironment(*row);
}

Book::Row Book::newRow(const Wish& wish, const Intent& intent, const char* kind) const {
  const auto now = with_.clock.nowMs();
  return {.id = common::newRecordId("env", now),
          .project_id = wish.project_id,
          .host_id = intent.host_id,
          .kind = kind,
          .status = std::string(name(State::kCreating)),
          .intent = Json::object()
                        .set("owner", wish.owner)
                        .set("projectPath", intent.path)
                        .set("baseBranch", intent.base_branch)
                        .dump(),
          .created_at = now,
          .updated_at = now};
}

void Book::useFolder(const Wish& wish, const Intent& intent, Completion<Environment> done) {
  auto row = newRow(wish, intent, kUnmanagedKind);
  row.path = intent.path;
  ask(row.host_id, command(row, hostprotocol::command::kEnvironmentCreate),
      limits::kGit + limits::kHostTransport,
      [this, row, wish, intent,
       answer =
           std::make_shared<Completion<Environment>>(std::move(done))](const Result<Json>& facts) {
        if (!facts) {
          return (*answer)(facts.error());
        }
        folderFound(row, facts.value(), wish, intent, std::move(*answer));
      });
}

void Book::folderFound(Row row, const Json& facts, const Wish& wish, const Intent& intent,
                       Completion<Environment> done) {
  takeFacts(row, facts);
  bool is_new = true;
  for (const auto& other : with_.rows->list()) {
    if (other.kind == kUnmanagedKind && other.project_id == row.project_id &&
        other.host_id == row.host_id && other.path == row.path &&
        stateOf(other.status) != State::kDestroyed && phaseOf(other.phase) == Phase::kActive) {
      is_new = false;
      takeFacts(row = other, facts);
    }
  }
  // Also one that was lost: the folder has just been found.
  row.status = name(State::kReady);
  row.status_detail.clear();
  with_.rows->put(row, [self = shared_from_this(), row, wish, intent, is_new,
                        done = std::move(done)](const Status& stored) mutable {
    if (!stored) {
      return done(stored.error());
    }
    if (is_new) {
      self->with_.announce(row.id, "environment-created");
    }
    if (intent.branch) {
      return self->checkOut(row, wish, *intent.branch, std::move(done));
    }
    done(toEnvironment(row));
  });
}

void Book::checkOut(const Row& row, const Wish& wish, const Intent::Branch& branch,
                    Completion<Environment> done) {
  const auto branch_name = branch.name.empty() ? "svc/" + wish.owner : branch.name;
  ask(row.host_id,
      Json::object()
          .set("type", hostprotocol::command::kGitCheckout)
          .set("path", row.path)
          .set("branchName", branch_name)
          .set("isNew", branch.is_new)
          .set("baseBranch", branch.base),
      limits::kGit + limits::kHostTransport,
      [this, row = Row(row), answer = std::make_shared<Completion<Environment>>(std::move(done))](
          const Result<Json>& done_there) mutable {
        if (!done_there) {
          return (*answer)(done_there.error());
        }
        row.branch_name = done_there.value()["checkout"]["branchName"].asString();
        row.updated_at = with_.clock.nowMs();
        with_.rows->put(row);
        with_.announce(row.id, "git-refs-changed");
        (*answer)(toEnvironment(row));
      });
}

std::optional<Book::Row> Book::begunBefore(const Wish& wish, std::string_view kind) {
  const auto found = begun_before_.extract(wish.owner);
  auto row = found.empty() ? std::nullopt : with_.rows->find(found.mapped());
  const bool fits = row && row->project_id == wish.project_id && row->kind == kind &&
                    stateOf(row->status) != State::kDestroyed &&
                    phaseOf(row->phase) == Phase::kActive;
  return fits ? row : std::nullopt;
}

Status Book::reachable(const std::string& host_id) const {
  const auto host = with_.machines.find(host_id);
  if (host && host->connected) {
    return {};
  }
  return Error{errc::kHostUnavailable,
               fmt::format("the machine \"{}\" is not connected; is svc-hostd running on it?",
                           host ? host->name : host_id)};
}

void Book::make(const Wish& wish, const Intent& intent, Progress progress,
                Completion<Environment> done) {
  const auto* const kind = intent.kind == Intent::Kind::kPersonal ? "personal" : "managed-worktree";
  if (const auto begun = begunBefore(wish, kind)) {
    if (isBeingMade(*begun)) {
      making_[begun->id].listeners.push_back(std::move(progress));
    }
    return done(toEnvironment(*begun));
  }
  // A row is there once its machine can be asked: what has not begun cannot fail.
  if (auto there = reachable(intent.host_id); !there) {
    return done(std::move(there).error());
  }
  const auto row = newRow(wish, intent, kind);
  making_[row.id] = {.steps = {}, .listeners = {std::move(progress)}};
  with_.rows->put(
      row, [self = shared_from_this(), row, done = std::move(done)](const Status& stored) mutable {
        if (!stored) {
          self->making_.erase(row.id);
          return done(stored.error());
        }
        self->with_.announce(row.id, "environment-created");
        done(toEnvironment(row));
        self->place(row.id);
      });
}

void Book::update(const std::string& environment_id, std::optional<std::string> name,
                  std::optional<std::string> merge_base_branch, Completion<Json> done) {
  auto row = with_.rows->find(environment_id);
  if (!row) {
    return done(noSuchEnvironment(environment_id));
  }
  if (stateOf(row->status) == State::kDestroyed) {
    return done(notUsable(*row));
  }
  row->name = std::move(name).value_or(row->name);
  row->merge_base_branch = std::move(merge_base_branch).value_or(row->merge_base_branch);
  row->updated_at = with_.clock.nowMs();
  with_.rows->put(*row, [self = shared_from_this(), row = *row,
                         done = std::move(done)](const Status& stored) mutable {
    if (!stored) {
      return done(stored.error());
    }
    self->with_.announce(row.id, "metadata-changed");
    done(toRecord(row));
  });
}

}  // namespace svc::environments
