#include "workplaces.h"

#include <utility>

#include "svc/common/codes.h"
#include "svc/common/json.h"

namespace svc::threads {
namespace {

using common::Json;
using environments::Environment;

Json textOr(const std::string& text) { return text.empty() ? Json() : Json(text); }

ReadyEnvironment placeOf(const Environment& environment) {
  const bool managed = environment.kind == "managed-worktree";
  return {.environment_id = environment.id,
          .host_id = environment.host_id,
          .cwd = environment.path,
          .record = Json::object()
                        .set("name", textOr(environment.name))
                        .set("branchName", textOr(environment.branch_name))
                        .set("displayKind", managed                   ? "managed-worktree"
                                            : environment.is_worktree ? "unmanaged-worktree"
                                                                      : "other"),
          .kind = environment.kind};
}

environments::Progress stepsTo(const PlaceListener& told) {
  return [told](const Json& step) { told({.step = step}); };
}

environments::Wish wishOf(const EnvironmentNeed& need) {
  return {.project_id = need.project_id, .intent = need.intent, .owner = need.thread_id};
}

/// Why a thread cannot have its place again; when it never can, what to do instead.
Error notAgain(const EnvironmentNeed& need, Error error) {
  const bool machine_gone = error.code == errc::kUnknownHost;
  if (machine_gone) {
    error.message = "the machine of this thread was removed: " + error.message;
  }
  if (machine_gone || need.intent["type"].asString() == "reuse") {
    error.message += "; fork the thread, or start another one where there is a place to work";
  }
  return error;
}

}  // namespace

Status Workplaces::check(const EnvironmentNeed& need) const {
  if (need.thread_id.empty()) {
    return environments_.check(wishOf(need));
  }
  const auto known = environments_.find(need.environment_id);
  if (known && known->status != "destroyed" && !known->removing) {
    return {};
  }
  auto again = environments_.check(wishOf(need));
  return again ? std::move(again) : notAgain(need, std::move(again).error());
}

std::optional<ReadyEnvironment> Workplaces::find(const std::string& environment_id) const {
  const auto known = environments_.find(environment_id);
  return known && known->status != "error" && known->status != "destroyed" && !known->removing
             ? std::optional(placeOf(*known))
             : std::nullopt;
}

void Workplaces::resolve(EnvironmentNeed need, PlaceListener told,
                         Completion<ReadyEnvironment> done) {
  const auto known = environments_.find(need.environment_id);
  Wait wait{.thread_id = need.thread_id};
  {
    const std::scoped_lock lock(mutex_);
    wait.number = ++last_wait_;
    waiting_[need.thread_id] = {.number = wait.number};
  }
  if (!known || (known->status == "destroyed" && need.intent["type"].asString() != "reuse")) {
    return make(need, wait, told, std::move(done));
  }
  use(need.thread_id, known->id);
  if (known->removing) {
    return awaitRemoval(std::move(need), wait, told, std::move(done));
  }
  bool was_cancelled = false;
  {
    const std::scoped_lock lock(mutex_);
    was_cancelled = cancelled_.erase(known->id) > 0;
  }
  if (known->status == "error") {
    return retry(wait, known->id, told, std::move(done));
  }
  if (was_cancelled && known->status != "ready") {
    return awaitEnd(wait, known->id, told, std::move(done));
  }
  await(wait, known->id, stepsTo(told), std::move(done));
}

void Workplaces::awaitEnd(const Wait& wait, const std::string& environment_id,
                          const PlaceListener& told, Completion<ReadyEnvironment> done) {
  environments_.awaitReady(environment_id, {},
                           [weak = weak_from_this(), wait, environment_id, told,
                            held = std::make_shared<Completion<ReadyEnvironment>>(std::move(done))](
                               const Result<Environment>& ended) {
                             const auto self = weak.lock();
                             if (!self || !self->waitsFor(wait, {})) {
                               (*held)(Error{errc::kAborted, "the turn has ended"});
                             } else if (ended) {
                               self->await(wait, environment_id, {}, std::move(*held));
                             } else {
                               self->retry(wait, environment_id, told, std::move(*held));
                             }
                           });
}

void Workplaces::retry(const Wait& wait, const std::string& environment_id,
                       const PlaceListener& told, Completion<ReadyEnvironment> done) {
  environments_.retry(
      environment_id, stepsTo(told),
      [weak = weak_from_this(), wait, id = environment_id,
       held = std::make_shared<Completion<ReadyEnvironment>>(std::move(done))](
          const Result<Environment>& begun) {
        const auto self = weak.lock();
        if (!begun || !self) {
          return (*held)(begun ? Error{errc::kAborted, "the server is stopping"} : begun.error());
        }
        self->await(wait, id, {}, std::move(*held));
      });
}

void Workplaces::awaitRemoval(EnvironmentNeed need, const Wait& wait, const PlaceListener& told,
                              Completion<ReadyEnvironment> done) {
  const auto id = need.environment_id;
  const auto step = [told](const char* status) {
    told({.step = Json::object()
                      .set("key", "removal")
                      .set("type", "step")
                      .set("text", "Waiting until the folder of before is removed")
                      .set("status", status)});
  };
  step("active");
  environments_.awaitReady(
      id, {},
      [weak = weak_from_this(), need = std::move(need), wait, told, step,
       held = std::make_shared<Completion<ReadyEnvironment>>(std::move(done))](
          const Result<Environment>& ended) {
        const auto self = weak.lock();
        const auto now = self ? self->environments_.find(need.environment_id) : std::nullopt;
        if (!now || now->status != "destroyed") {
          if (ended || ended.error().code != errc::kHostUnavailable) {
            step("failed");
          }
          return (*held)(ended ? Error{errc::kAborted, "the server is stopping"} : ended.error());
        }
        step("completed");
        if (!self->waitsFor(wait, {})) {
          return (*held)(Error{errc::kAborted, "the turn has ended"});
        }
        if (need.intent["type"].asString() == "reuse") {
          return (*held)(notAgain(need, ended.error()));
        }
        self->make(need, wait, told, std::move(*held));
      });
}

void Workplaces::make(const EnvironmentNeed& need, const Wait& wait, const PlaceListener& told,
                      Completion<ReadyEnvironment> done) {
  // Whose environment it is hears of it by its own wish; who comes to it listens beside.
  const bool comes = need.intent["type"].asString() == "reuse";
  environments_.resolve(wishOf(need), stepsTo(told),
                        [weak = weak_from_this(), told, wait,
                         progress = comes ? stepsTo(told) : environments::Progress(), need,
                         held = std::make_shared<Completion<ReadyEnvironment>>(std::move(done))](
                            const Result<Environment>& found) {
                          const auto self = weak.lock();
                          if (!self) {
                            return (*held)(Error{errc::kAborted, "the server is stopping"});
                          }
                          if (!found) {
                            return (*held)(need.environment_id.empty()
                                               ? found.error()
                                               : notAgain(need, found.error()));
                          }
                          self->made(found.value(), wait, progress, told, std::move(*held));
                        });
}

void Workplaces::made(const Environment& environment, const Wait& wait,
                      const environments::Progress& progress, const PlaceListener& told,
                      Completion<ReadyEnvironment> done) {
  bool given_up = false;
  bool superseded = false;
  {
    const std::scoped_lock lock(mutex_);
    const auto now = waiting_.find(wait.thread_id);
    given_up = now == waiting_.end() || now->second.number != wait.number;
    superseded = given_up && now != waiting_.end();
  }
  if (superseded) {
    // The thread has got another one meanwhile; nobody uses this one, so it goes.
    cancel(environment.id);
    const auto unused = environments_.use(environment.id);
    return done(Error{errc::kAborted, "the thread has another environment by now"});
  }
  told({.environment = placeOf(environment)});
  if (given_up) {
    use(wait.thread_id, environment.id);
    cancel(environment.id);
    return done(Error{errc::kAborted, "the turn has ended"});
  }
  await(wait, environment.id, progress, std::move(done));
}

void Workplaces::await(const Wait& wait, const std::string& environment_id,
                       const environments::Progress& progress, Completion<ReadyEnvironment> done) {
  use(wait.thread_id, environment_id);
  if (!waitsFor(wait, environment_id)) {
    return done(Error{errc::kAborted, "the turn has ended"});
  }
  environments_.awaitReady(
      environment_id, progress,
      [weak = weak_from_this(), wait,
       held = std::make_shared<Completion<ReadyEnvironment>>(std::move(done))](
          const Result<Environment>& ready) {
        // Who waits for the machine comes again, or gives it up.
        const bool away = !ready && ready.error().code == errc::kHostUnavailable;
        if (const auto self = weak.lock(); self && !away) {
          self->endWait(wait);
        }
        (*held)(ready ? Result<ReadyEnvironment>(placeOf(ready.value())) : ready.error());
      });
}

bool Workplaces::waitsFor(const Wait& wait, const std::string& environment_id) {
  const std::scoped_lock lock(mutex_);
  const auto found = waiting_.find(wait.thread_id);
  if (found == waiting_.end() || found->second.number != wait.number) {
    return false;
  }
  found->second.environment_id = environment_id;
  return true;
}

void Workplaces::endWait(const Wait& wait) {
  const std::scoped_lock lock(mutex_);
  const auto found = waiting_.find(wait.thread_id);
  if (found != waiting_.end() && found->second.number == wait.number) {
    waiting_.erase(found);
  }
}

std::string Workplaces::lost(const std::string& environment_id, const std::string& detail) {
  environments_.lost(environment_id, detail);
  const auto known = environments_.find(environment_id);
  return known && known->kind == "managed-worktree"
             ? "the next message or a retry makes the worktree again from its branch"
         : known && known->kind == "personal" ? "the next message or a retry makes it again"
                                              : "put it back, then send or retry the message";
}

void Workplaces::abandon(const std::string& thread_id) {
  std::string environment_id;
  {
    const std::scoped_lock lock(mutex_);
    const auto ended = waiting_.extract(thread_id);
    environment_id = ended.empty() ? std::string() : ended.mapped().environment_id;
    for (const auto& [id, waiting] : waiting_) {
      if (waiting.environment_id == environment_id) {
        return;  // somebody else still waits for it
      }
    }
  }
  if (!environment_id.empty()) {
    cancel(environment_id);
  }
}

void Workplaces::cancel(const std::string& environment_id) {
  {
    const std::scoped_lock lock(mutex_);
    cancelled_.insert(environment_id);
  }
  environments_.cancel(environment_id);
}

void Workplaces::use(const std::string& thread_id, const std::string& environment_id) {
  Handle before;
  if (environment_id.empty()) {
    const std::scoped_lock lock(mutex_);
    if (auto ended = uses_.extract(thread_id); !ended.empty()) {
      before = std::move(ended.mapped().handle);
    }
    return;
  }
  auto handle = environments_.use(environment_id);
  const std::scoped_lock lock(mutex_);
  auto& now = uses_[thread_id];
  if (now.environment_id == environment_id) {
    before = std::move(handle);
    return;
  }
  before = std::move(now.handle);
  now = {environment_id, std::move(handle)};
}

}  // namespace svc::threads
