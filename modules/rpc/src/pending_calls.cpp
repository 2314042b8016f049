#include "pending_calls.h"

#include <utility>

#include <fmt/format.h>

#include "svc/common/envelope.h"
#include "svc/common/error_details.h"
#include "svc/common/limits/http.h"

namespace svc::rpc {
namespace {

constexpr std::chrono::seconds kSweep{1};

http::Response successOf(std::string result) {
  http::Response response;
  response.headers.push_back({"Cache-Control", "no-store"});
  response.body = common::okEnvelope("result", common::RawJson(std::move(result)));
  return response;
}

http::Response failureOf(const Error& error) {
  http::Response response;
  response.status = common::httpStatus(error.code);
  response.headers.push_back({"Cache-Control", "no-store"});
  if (error.code == errc::kOverloaded) {
    response.headers.push_back({"Retry-After", "1"});
  }
  response.body = common::errorEnvelope(error);
  return response;
}

}  // namespace

PendingCall::PendingCall(std::shared_ptr<PendingCalls> calls, http::ExchangePtr exchange)
    : calls_(std::move(calls)),
      exchange_(std::move(exchange)),
      plugin_id_(exchange_->request().parameter("id")),
      method_(exchange_->request().parameter("method")),
      on_disconnect_(exchange_->disconnected(), RequestStop{stop_}) {}

std::string PendingCall::meta() const {
  const auto& caller = exchange_->request().caller_plugin;
  // A client's method that looks like the long form takes the long form too, so that it cannot name a caller.
  return caller.empty() && !method_.starts_with('\n') ? method_ : "\n" + caller + "\n" + method_;
}

void PendingCall::answer(Result<std::string> result) {
  if (answered_.exchange(true, std::memory_order_acq_rel)) {
    return;
  }
  calls_->remove(*this);
  if (!result) {
    exchange_->respond(
        failureOf(common::withDetail(std::move(result).error(), "pluginId", plugin_id_)));
    return;
  }
  exchange_->respond(successOf(std::move(result).value()));
}

void PendingCall::expire() {
  answer(Error{
      errc::kTimeout,
      fmt::format(R"(rpc "{}" of plugin "{}" did not answer within {} s)", method_, plugin_id_,
                  std::chrono::duration_cast<std::chrono::seconds>(limits::kRpcTimeout).count())});
  // After the answer: a handler that rejects because of the signal must not be the one that answers.
  stop_.request_stop();
}

std::shared_ptr<PendingCall> PendingCalls::create(http::ExchangePtr exchange) {
  auto call = std::make_shared<PendingCall>(shared_from_this(), std::move(exchange));
  bool first = false;
  {
    const std::scoped_lock lock(mutex_);
    call->deadline_ = clock_.steadyNow() + limits::kRpcTimeout;
    calls_.push_back(*call);
    first = !std::exchange(armed_, true);
  }
  if (first) {
    arm();
  }
  return call;
}

void PendingCalls::remove(PendingCall& call) {
  const std::scoped_lock lock(mutex_);
  if (call.is_linked()) {
    calls_.erase(calls_.iterator_to(call));
  }
}

void PendingCalls::arm() {
  timer_ = reactor_.after(kSweep, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->sweep();
    }
  });
}

void PendingCalls::sweep() {
  for (const auto& call : takeExpired()) {
    call->expire();
  }
  bool waiting = false;
  {
    const std::scoped_lock lock(mutex_);
    waiting = armed_ = !calls_.empty();
  }
  if (waiting) {
    arm();
  }
}

std::vector<std::shared_ptr<PendingCall>> PendingCalls::takeExpired() {
  std::vector<std::shared_ptr<PendingCall>> expired;
  const std::scoped_lock lock(mutex_);
  const auto now = clock_.steadyNow();
  while (!calls_.empty() && calls_.front().deadline_ <= now) {
    // A call that is being answered right now unlinks itself before it dies, so it is still alive here.
    if (auto call = calls_.front().weak_from_this().lock()) {
      expired.push_back(std::move(call));
    }
    calls_.pop_front();
  }
  return expired;
}

}  // namespace svc::rpc
