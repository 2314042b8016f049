#include "thread_forms.h"

#include <utility>

#include "svc/common/codes.h"

#include "form_request.h"

namespace svc::agents {

using common::Json;

Handle ThreadForms::serve(IThreadFormDesk& desk) {
  const std::scoped_lock lock(mutex_);
  desk_ = &desk;
  return Handle([weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      const std::scoped_lock guard(self->mutex_);
      self->desk_ = nullptr;
    }
  });
}

IThreadFormDesk* ThreadForms::desk() const {
  const std::scoped_lock lock(mutex_);
  return desk_;
}

bool ThreadForms::isServed() const { return desk() != nullptr; }

void ThreadForms::ask(const Caller& caller, const std::string& request, std::function<void()> shown,
                      Completion<std::string> done) {
  auto* shown_by = desk();
  const auto parsed = Json::parse(request);
  if (shown_by == nullptr || !parsed) {
    return done(Error{errc::kNotSupported, "this service has no threads"});
  }
  const auto& wanted = parsed.value();
  const Key key{caller.load_id, wanted["number"].asString()};
  std::stop_token stop;
  {
    const std::scoped_lock lock(mutex_);
    stop = open_[key].get_token();
  }
  ThreadForm form{.thread_id = wanted["threadId"].asString(),
                  .request = formRequestOf(caller.plugin_id, wanted),
                  .presentation = wanted["presentation"],
                  .load_id = caller.load_id,
                  .described = wanted["described"].asBool(),
                  .shown = std::move(shown)};
  shown_by->ask(std::move(form), std::move(stop),
                [self = shared_from_this(), key,
                 answer = outcomeAsText(std::move(done))](Result<common::RawJson> outcome) mutable {
                  {
                    const std::scoped_lock lock(self->mutex_);
                    self->open_.erase(key);
                  }
                  answer(std::move(outcome));
                });
}

void ThreadForms::cancel(const Caller& caller, const std::string& number) {
  std::stop_source stop(std::nostopstate);
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = open_.find({caller.load_id, number}); found != open_.end()) {
      stop = found->second;
    }
  }
  stop.request_stop();
}

void ThreadForms::describe(const Caller& caller, const std::string& text) {
  auto* shown_by = desk();
  if (const auto parsed = Json::parse(text); parsed && shown_by != nullptr) {
    shown_by->describe(caller.plugin_id, parsed.value()["interactionId"].asString(),
                       parsed.value()["description"]);
  }
}

}  // namespace svc::agents
