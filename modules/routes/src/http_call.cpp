#include "http_call.h"

#include <utility>

#include "svc/common/envelope.h"
#include "svc/common/error_details.h"

#include "request_facts.h"

namespace svc::routes {
namespace {

/// What the script answers when the body of its response broke off.
constexpr std::string_view kCut = "cut";

}  // namespace

HttpCall::HttpCall(http::ExchangePtr exchange, std::string plugin_id)
    : exchange_(std::move(exchange)),
      plugin_id_(std::move(plugin_id)),
      on_disconnect_(exchange_->disconnected(), RequestStop{stop_}) {}

void HttpCall::run(const http::ExchangePtr& exchange, const plugins::GenerationPtr& generation,
                   const LoadStatePtr& load, const std::string& key) {
  const auto call = std::make_shared<HttpCall>(exchange, generation->pluginId());
  const auto id = load->calls.add(call);
  script::Invocation invocation{.function = "http.request",
                                .meta = requestFacts(exchange->request(), id, key),
                                .body = {},
                                .stop = call->stop_.get_token()};
  generation->invoke("http:" + key, std::move(invocation),
                     [call, load, id](Result<std::string> result) {
                       load->calls.remove(id);
                       call->ended(std::move(result));
                     });
}

void HttpCall::ended(Result<std::string> result) {
  if (!result) {
    fail(std::move(result).error());
  } else if (result.value() == kCut) {
    exchange_->abort();
  }
}

/// An answer that has begun can only be cut off.
void HttpCall::fail(Error error) {
  exchange_->fail(common::withDetail(std::move(error), "pluginId", plugin_id_));
  exchange_->abort();
}

void HttpCall::read(Completion<std::string> done) {
  exchange_->read(
      [self = shared_from_this(), done = std::move(done)](Result<std::string> piece) mutable {
        if (!piece && piece.error().code != errc::kAborted) {
          self->fail(piece.error());
          self->stop_.request_stop();
        }
        done(std::move(piece));
      });
}

void HttpCall::respond(http::Response response, std::string body) {
  response.body = std::move(body);
  exchange_->respond(std::move(response));
}

void HttpCall::begin(http::Response head) { exchange_->begin(std::move(head)); }

void HttpCall::write(std::string piece, Completion<std::string> done) {
  exchange_->write(std::move(piece), [done = std::move(done)](Status taken) mutable {
    done(taken ? Result<std::string>(std::string()) : std::move(taken).error());
  });
}

void HttpCall::finish() { exchange_->finish(); }

http::Response refusal(const Error& error, const std::string& allow) {
  http::Response response;
  response.status = common::httpStatus(error.code);
  response.body = common::errorEnvelope(error);
  if (!allow.empty()) {
    response.headers.push_back({"allow", allow});
  }
  return response;
}

}  // namespace svc::routes
