#include <atomic>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"

#include "generation.h"

namespace svc::plugins {
namespace {

/// Messages that name what has failed are not said to have failed once more.
std::string failureLine(const std::string& source, const std::string& message) {
  constexpr std::string_view kTool = "tool:";
  if (message.starts_with(source + " ")) {
    return message;
  }
  if (source.starts_with(kTool)) {
    const auto named = fmt::format("Tool {} failed: ", source.substr(kTool.size()));
    if (message.starts_with(named)) {
      return fmt::format("{} failed: {}", source, message.substr(named.size()));
    }
  }
  return fmt::format("{} failed: {}", source, message);
}

}  // namespace

/// One counted call. Its signal aborts with the caller's or with the generation's.
struct Generation::Call {
  using Link = std::stop_callback<std::function<void()>>;

  std::string source;
  Completion<std::string> done;
  std::chrono::steady_clock::time_point started;
  std::stop_source stop;
  std::optional<Link> by_caller;
  std::optional<Link> by_generation;
  std::optional<Link> by_return;
  std::atomic<bool> timed = false;
  std::optional<std::list<std::shared_ptr<Call>>::iterator> place;  ///< none: somebody answers it

  void link(const std::stop_token& caller, const std::stop_token& generation) {
    const auto abort = [source = stop]() mutable { source.request_stop(); };
    if (caller.stop_possible()) {
      by_caller.emplace(caller, abort);
    }
    by_generation.emplace(generation, abort);
  }
  void unlink() {
    by_caller.reset();
    by_generation.reset();
    by_return.reset();
  }
};

void Generation::invoke(std::string source, script::Invocation invocation,
                        Completion<std::string> done) {
  invokeStreaming(std::move(source), std::move(invocation), {}, std::move(done));
}

void Generation::invokeStreaming(std::string source, script::Invocation invocation,
                                 std::stop_token returned, Completion<std::string> done) {
  auto call = std::make_shared<Call>();
  call->source = std::move(source);
  call->done = std::move(done);
  call->started = context_.clock.steadyNow();
  call->link(invocation.stop, abort_.get_token());
  if (returned.stop_possible()) {
    const std::weak_ptr<Call> weak = call;
    call->by_return.emplace(returned, [self = shared_from_this(), weak] {
      if (const auto streaming = weak.lock()) {
        self->recordSuccess(*streaming);
      }
    });
  }
  std::shared_ptr<script::IScriptInstance> target;
  {
    const std::scoped_lock lock(mutex_);
    target = instance_;
    if (target) {
      ++in_flight_;
      call->place = calls_.insert(calls_.end(), call);
    }
  }
  if (!target) {
    call->done(annotate({errc::kPluginNotRunning, ""}));
    return;
  }
  invocation.stop = call->stop.get_token();
  target->invoke(std::move(invocation),
                 [self = shared_from_this(), call](Result<std::string> result) {
                   self->finish(*call, std::move(result));
                 });
}

void Generation::finish(Call& call, Result<std::string> result) {
  {
    const std::scoped_lock lock(mutex_);
    if (!call.place) {
      return;
    }
    if (!result && result.error().code == errc::kPluginNotRunning && !termination_) {
      return;  // its environment tells of its end next, and failCalls() then knows why
    }
    calls_.erase(*std::exchange(call.place, std::nullopt));
  }
  call.unlink();
  clearStall();
  if (result) {
    recordSuccess(call);
    call.done(std::move(result));
  } else {
    recordFailure(call.source, result.error(), takeTime(call));
    call.done(annotate(std::move(result).error()));
  }
  endCall();
}

std::optional<Generation::Took> Generation::takeTime(Call& call) const {
  if (call.timed.exchange(true)) {
    return std::nullopt;
  }
  return context_.clock.steadyNow() - call.started;
}

void Generation::recordSuccess(Call& call) {
  if (const auto took = takeTime(call); took && !call.source.empty()) {
    meters_->recordCall(*took);
  }
}

void Generation::failCalls() {
  std::list<std::shared_ptr<Call>> lost;
  {
    const std::scoped_lock lock(mutex_);
    lost.swap(calls_);
    for (const auto& call : lost) {
      call->place.reset();
    }
  }
  for (const auto& call : lost) {
    call->unlink();
    if (!call->source.empty()) {
      meters_->recordLostCall(takeTime(*call));
    }
    call->done(annotate({errc::kPluginNotRunning, ""}));
    endCall();
  }
}

void Generation::recordFailure(const std::string& source, const Error& error,
                               std::optional<Took> took) {
  const auto thrown =
      error.code == errc::kHandlerError ? std::exchange(handler_error_, {}) : script::ScriptError{};
  if (source.empty()) {
    return;
  }
  if (error.code == errc::kPluginNotRunning) {
    meters_->recordLostCall(took);
    return;
  }
  if (!isPluginFailure(error.code)) {
    if (took) {
      meters_->recordCall(*took);
    }
    return;
  }
  // An abort is the caller's doing: counted, not worth a line.
  if (thrown.name != "AbortError") {
    logWithStack("error", failureLine(source, error.message), thrown.stack);
  }
  meters_->recordFailedCall(took, shownError(error.message, thrown.stack, source));
}

void Generation::endCall() {
  std::vector<Completion<void>> waiters;
  {
    const std::scoped_lock lock(mutex_);
    if (--in_flight_ == 0) {
      waiters.swap(idle_waiters_);
    }
  }
  for (auto& waiter : waiters) {
    waiter({});
  }
}

}  // namespace svc::plugins
