#include "form_call.h"

#include <utility>
#include <vector>

#include "svc/common/codes.h"
#include "svc/common/json_slices.h"
#include "svc/common/limits/agents.h"
#include "svc/common/limits/mcp.h"

namespace svc::mcp {
namespace {

using common::Json;
using common::JsonSlices;

constexpr const char* kQuestion = "form";
/// A person may take longer than a client waits (lim.toolDetach), and what is let go then is lost outside of a thread.
constexpr std::chrono::milliseconds kPatience = limits::kToolDetach * 4 / 5;

std::string boundArguments(const Request& request) {
  const auto params = JsonSlices::skim(request.params.text());
  return params ? std::string(params.value().raw("arguments")) : std::string();
}

/// What the client says of the form; empty = nothing that is known.
std::string actionOf(const Request& request) {
  const auto params = Json::parse(request.params.text());
  const auto action =
      params ? params.value()["inputResponses"][kQuestion]["action"].asString() : std::string();
  return action == "accept" || action == "decline" || action == "cancel" ? action : std::string();
}

}  // namespace

bool FormCalls::possible(const Request& request) {
  const auto capabilities = Json::parse(request.capabilities.text());
  return capabilities && capabilities.value()["elicitation"]["url"].isObject();
}

std::optional<Error> FormCalls::resume(Request& request, Completion<Answer>& done, bool& resumed) {
  const auto params = JsonSlices::skim(request.params.text());
  resumed = params && !params.value().raw("requestState").empty();
  if (!resumed) {
    return std::nullopt;
  }
  // The state is the name of a call that is kept here: one that was changed names none.
  const auto found = parked_.find(params.value().text("requestState"));
  if (found == parked_.end() || found->second->key_ != request.key ||
      found->second->token_ != request.caller.token ||
      found->second->arguments_ != boundArguments(request)) {
    return Error{errc::kInvalidInput,
                 "the requestState is of no call of this client with these arguments that waits"};
  }
  const auto call = found->second;
  parked_.erase(found);
  call->attach(request, std::move(done));
  return std::nullopt;
}

std::shared_ptr<FormCall> FormCalls::begin(Request& request, Completion<Answer> done) {
  auto call = std::make_shared<FormCall>(shared_from_this(), request);
  call->attach(request, std::move(done));
  return call;
}

void FormCalls::revoke(const std::string& token) {
  std::vector<std::shared_ptr<FormCall>> gone;
  for (auto parked = parked_.begin(); parked != parked_.end();) {
    const auto next = std::next(parked);
    if (parked->second->token_ == token) {
      gone.push_back(parked->second);
      parked_.erase(parked);
    }
    parked = next;
  }
  for (const auto& call : gone) {
    call->stop_.request_stop();
  }
}

FormCall::FormCall(std::shared_ptr<FormCalls> calls, const Request& request)
    : calls_(std::move(calls)),
      modern_(request.modern),
      key_(request.key),
      arguments_(boundArguments(request)),
      token_(request.caller.token),
      client_(request.client) {}

void FormCall::attach(Request& request, Completion<Answer> done) {
  expiry_.reset();
  state_.clear();
  conversation_ = request.conversation;
  on_leave_.emplace(request.stop, Leave{stop_});
  done_ = std::move(done);
  if (answer_) {
    give(*std::exchange(answer_, std::nullopt));
    return;
  }
  // What is said of a form that was answered meanwhile is not about the next one, which the client has not heard of.
  if (form_.empty()) {
    return;
  }
  const auto action = asked_ == form_ ? actionOf(request) : std::string();
  if (action == "accept") {
    if (modern_ && !request.wants_progress) {
      askAgainLater();
    }
  } else if (!action.empty()) {
    calls_->parts_.forms->cancel(form_, "user");
  } else if (modern_) {
    askByResult();
  }
}

void FormCall::asked(agents::FormRequest request, Completion<common::RawJson> done) {
  auto held = std::make_shared<Completion<common::RawJson>>(std::move(done));
  calls_->parts_.reactor.post([self = shared_from_this(), request = std::move(request), held] {
    self->open(request, std::move(*held));
  });
}

void FormCall::open(agents::FormRequest request, Completion<common::RawJson> done) {
  if (!form_.empty()) {
    done(Error{errc::kConflict, "this call shows another form already"});
    return;
  }
  if (calls_->parked_.size() >= limits::kMcpCalls) {
    done(Error{errc::kOverloaded, "too many calls wait for forms, the limit mcpCalls is reached"});
    return;
  }
  title_ = request.title;
  auto held = std::make_shared<Completion<common::RawJson>>(std::move(done));
  form_ = calls_->parts_.forms->open(
      std::move(request), client_,
      [self = shared_from_this(), held](Result<common::RawJson> outcome) {
        const auto form = std::exchange(self->form_, {});
        if (!self->modern_) {
          self->conversation_->notify(
              "notifications/elicitation/complete",
              common::RawJson(Json::object().set("elicitationId", form).dump()));
        }
        (*held)(std::move(outcome));
      });
  if (!modern_) {
    askInBetween();
  } else if (done_.pending()) {
    askByResult();
  }
}

Json FormCall::question() const {
  return Json::object()
      .set("mode", "url")
      .set("message", title_)
      .set("url", calls_->parts_.page(form_));
}

void FormCall::askInBetween() {
  conversation_->ask(
      "elicitation/create", common::RawJson(question().set("elicitationId", form_).dump()),
      [weak = weak_from_this(), form = form_](const Result<common::RawJson>& given) {
        const auto self = weak.lock();
        const auto answer = given ? Json::parse(given.value().text()) : Result<Json>(given.error());
        if (self && !answer) {
          // The client could not show it: nobody has seen the form.
          self->calls_->parts_.forms->cancel(form, "request-aborted");
        } else if (self && answer.value()["action"].asString() != "accept") {
          self->calls_->parts_.forms->cancel(form, "user");
        }
      });
}

void FormCall::askByResult() {
  asked_ = form_;
  state_ = calls_->parts_.random();
  const auto ask = Json::object().set("method", "elicitation/create").set("params", question());
  auto result = Json::object()
                    .set("inputRequests", Json::object().set(kQuestion, ask))
                    .set("requestState", state_);
  park();
  give(Answer{.result = common::RawJson(result.dump()), .type = "input_required"});
}

void FormCall::askAgainLater() {
  expiry_ = calls_->parts_.reactor.after(kPatience, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self && self->done_.pending() && !self->form_.empty()) {
      self->askByResult();
    }
  });
}

void FormCall::park() {
  calls_->parked_[state_] = shared_from_this();
  expiry_ = calls_->parts_.reactor.after(limits::kInputTimeout,
                                         [weak = weak_from_this(), state = state_] {
                                           if (const auto self = weak.lock()) {
                                             self->calls_->parked_.erase(state);
                                             self->stop_.request_stop();
                                           }
                                         });
}

void FormCall::give(Result<Answer> answer) {
  on_leave_.reset();
  auto done = std::move(done_);
  done(std::move(answer));
}

void FormCall::finished(Result<Answer> answer) {
  auto held = std::make_shared<Result<Answer>>(std::move(answer));
  calls_->parts_.reactor.post([self = shared_from_this(), held] {
    // What the tool did not wait for ends with it.
    if (!self->form_.empty()) {
      self->calls_->parts_.forms->cancel(self->form_, "request-aborted");
    }
    if (self->done_.pending()) {
      self->give(std::move(*held));
    } else {
      self->answer_ = std::move(*held);
    }
  });
}

}  // namespace svc::mcp
