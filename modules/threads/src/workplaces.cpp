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

}  // namespace

Status Workplaces::check(const EnvironmentNeed& need) const {
  return environments_.check(wishOf(need));
}

void Workplaces::resolve(EnvironmentNeed need, PlaceListener told,
                         Completion<ReadyEnvironment> done) {
  const auto known = environments_.find(need.environment_id);
  if (!known || (known->status == "destroyed" && need.intent["type"].asString() != "reuse")) {
    return make(need, told, std::move(done));
  }
  if (known->status != "error") {
    return await(need.thread_id, known->id, std::move(done));
  }
  use(need.thread_id, known->id);
  environments_.retry(
      known->id, stepsTo(told),
      [weak = weak_from_this(), thread_id = need.thread_id, id = known->id,
       held = std::make_shared<Completion<ReadyEnvironment>>(std::move(done))](
          const Result<Environment>& begun) {
        const auto self = weak.lock();
        if (!begun || !self) {
          return (*held)(begun ? Error{errc::kAborted, "the server is stopping"} : begun.error());
        }
        self->await(thread_id, id, std::move(*held));
      });
}

void Workplaces::make(const EnvironmentNeed& need, const PlaceListener& told,
                      Completion<ReadyEnvironment> done) {
  environments_.resolve(
      wishOf(need), stepsTo(told),
      [weak = weak_from_this(), told, thread_id = need.thread_id,
       held = std::make_shared<Completion<ReadyEnvironment>>(std::move(done))](
          const Result<Environment>& found) {
        const auto self = weak.lock();
        if (!found || !self) {
          return (*held)(found ? Error{errc::kAborted, "the server is stopping"} : found.error());
        }
        told({.environment = placeOf(found.value())});
        self->await(thread_id, found.value().id, std::move(*held));
      });
}

void Workplaces::await(const std::string& thread_id, const std::string& environment_id,
                       Completion<ReadyEnvironment> done) {
  use(thread_id, environment_id);
  environments_.awaitReady(
      environment_id, [held = std::make_shared<Completion<ReadyEnvironment>>(std::move(done))](
                          const Result<Environment>& ready) {
        (*held)(ready ? Result<ReadyEnvironment>(placeOf(ready.value())) : ready.error());
      });
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
