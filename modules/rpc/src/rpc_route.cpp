#include "rpc_route.h"

#include <string>
#include <utility>

#include "svc/common/codes.h"
#include "svc/common/json.h"
#include "svc/common/limits/http.h"

namespace svc::rpc {
namespace {

void invoke(const std::shared_ptr<PendingCall>& call, Result<plugins::GenerationPtr> generation) {
  if (!generation) {
    call->answer(std::move(generation).error());
    return;
  }
  if (call->answered()) {
    return;  // a hand-over outlasted the time limit of the call
  }
  auto body = call->takeBody();
  if (!common::isUtf8(body)) {  // V8 would replace what is not, and the plugin would see other text
    call->answer(Error{errc::kInvalidJson, "the request body is not JSON: it is not UTF-8"});
    return;
  }
  script::Invocation invocation{
      .function = "rpc", .meta = call->meta(), .body = std::move(body), .stop = call->stopToken()};
  generation.value()->invoke(
      "rpc:" + call->method(), std::move(invocation),
      [call](Result<std::string> result) { call->answer(std::move(result)); });
}

}  // namespace

RpcRoute::RpcRoute(plugins::ILoadedPlugins& loaded, http::IReactor& reactor, const IClock& clock)
    : loaded_(loaded), pending_(std::make_shared<PendingCalls>(reactor, clock)) {}

Status RpcRoute::attach(http::IHttpServer& server) {
  auto route = server.route({.method = "POST",
                             .pattern = "/api/v1/plugins/:id/rpc/:method",
                             .guard = http::Guard::kLocal,
                             .body_limit = limits::kRpcBody,
                             .plugin_parameter = "id"},
                            [this](http::ExchangePtr exchange) { handle(std::move(exchange)); });
  if (!route) {
    return std::move(route).error();
  }
  route_ = std::move(route).value();
  return {};
}

void RpcRoute::handle(http::ExchangePtr exchange) {
  auto call = pending_->create(std::move(exchange));
  loaded_.acquire(call->pluginId(), [call](Result<plugins::GenerationPtr> generation) {
    invoke(call, std::move(generation));
  });
}

}  // namespace svc::rpc
