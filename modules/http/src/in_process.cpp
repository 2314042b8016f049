#include "in_process.h"

#include <fmt/format.h>

#include "svc/common/codes.h"

#include "request_parser.h"
#include "response_writer.h"
#include "server_context.h"
#include "unknown_route.h"

namespace svc::http {

InProcessExchange::InProcessExchange(Request request, std::stop_token stop, std::size_t limit,
                                     Completion<Response> done)
    : request_(std::move(request)), stop_(std::move(stop)), limit_(limit), done_(std::move(done)) {}

InProcessExchange::~InProcessExchange() {
  if (auto done = takeDone(); done.pending()) {
    done(Error{errc::kAborted, "the request was dropped without an answer"});
  }
}

Completion<Response> InProcessExchange::takeDone() {
  const std::scoped_lock lock(mutex_);
  return std::move(done_);
}

void InProcessExchange::respond(Response response) {
  auto done = takeDone();
  if (request_.method == "HEAD") {
    response.body.clear();
  }
  done(std::move(response));
}

void InProcessExchange::begin(Response head) {
  const std::scoped_lock lock(mutex_);
  if (done_.pending() && !collected_) {
    collected_ = std::move(head);
  }
}

void InProcessExchange::write(std::string piece, Completion<void> taken) {
  Completion<Response> overflowed;
  std::size_t size = 0;
  {
    const std::scoped_lock lock(mutex_);
    if (!collected_ || !done_.pending()) {
      return;  // dropping `taken` answers it
    }
    size = collected_->body.size() + piece.size();
    if (size > limit_) {
      overflowed = std::move(done_);
    } else if (request_.method != "HEAD") {
      collected_->body += piece;
    }
  }
  if (overflowed.pending()) {
    overflowed(Error{errc::kTooLarge,
                     fmt::format("the answer is larger than {} bytes ({} bytes)", limit_, size)});
    return;
  }
  taken({});
}

void InProcessExchange::finish() {
  std::optional<Response> collected;
  {
    const std::scoped_lock lock(mutex_);
    collected.swap(collected_);
  }
  if (collected) {
    takeDone()(std::move(*collected));
  }
}

void InProcessExchange::abort() { takeDone()(Error{errc::kAborted, "the answer broke off"}); }

void InProcessExchange::read(Completion<std::string> done) {
  std::string body;
  {
    const std::scoped_lock lock(mutex_);
    if (!std::exchange(body_read_, true)) {
      body = std::move(request_.body);
    }
  }
  done(std::move(body));
}

void answerInProcess(ServerContext& context, std::shared_ptr<InProcessExchange> exchange) {
  auto& request = exchange->request();
  if (!request.target.starts_with('/') || !splitTarget(request, {})) {
    exchange->fail(Error{errc::kInvalidInput, "the request target is not a path"});
    return;
  }
  auto match = context.router.table().find(request.method, request.path);
  if (match.malformed) {
    exchange->fail(Error{errc::kInvalidInput, "the request path has a malformed percent escape"});
    return;
  }
  if (!match.endpoint) {
    exchange->respond(unknownRoute(context.router.table(), request, match.allow));
    return;
  }
  const auto& endpoint = *match.endpoint;
  const auto limit = endpoint.body_limit.get();
  if (request.body.size() > limit) {
    exchange->fail(bodyTooLarge(limit, request.body.size()));
    return;
  }
  request.path_parameters = std::move(match.parameters);
  auto share = context.bodies->share(request.parameter(endpoint.plugin_parameter));
  if (auto room = share.growTo(request.body.size()); !room) {
    exchange->fail(room.error());
    return;
  }
  exchange->hold(std::move(share));
  const GatedCall call(match.endpoint->gate);
  if (!call) {
    exchange->fail(Error{errc::kNotFound, "the route was removed"});
    return;
  }
  const auto called = guarded([&]() -> Status {
    match.endpoint->handler(std::move(exchange));
    return {};
  });
  if (!called) {
    context.log->error("the handler of {} {} failed: {}", endpoint.method, endpoint.pattern,
                       called.error().message);
  }
}

}  // namespace svc::http
