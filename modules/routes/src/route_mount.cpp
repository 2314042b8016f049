#include "route_mount.h"

#include <atomic>
#include <utility>

#include "svc/common/codes.h"
#include "svc/common/limits/http.h"

#include "http_call.h"
#include "plugin_socket.h"
#include "request_facts.h"

namespace svc::routes {
namespace {

std::string nextSocketId() {
  static std::atomic<std::uint64_t> last{0};
  return std::to_string(++last);
}

/// Asks the script for the handlers of a socket.
void upgrade(const http::Request& request, const Admission::Outcome& outcome,
             Completion<std::shared_ptr<http::IWebSocketHandler>> done) {
  PluginSocket::Target target{
      .load = outcome.load, .id = nextSocketId(), .source = "http:WEBSOCKET " + outcome.key};
  script::Invocation invocation{.function = "http.upgrade",
                                .meta = requestFacts(request, target.id, outcome.key),
                                .body = {}};
  auto source = target.source;
  outcome.generation->invoke(
      std::move(source), std::move(invocation),
      [target = std::move(target), done = std::move(done)](Result<std::string> accepted) mutable {
        if (!accepted && accepted.error().code != errc::kHandlerError) {
          done(std::move(accepted).error());
          return;
        }
        const auto handlers =
            accepted ? PluginSocket::Handlers::kReady : PluginSocket::Handlers::kFailed;
        done(std::shared_ptr<http::IWebSocketHandler>(
            std::make_shared<PluginSocket>(std::move(target), handlers)));
      });
}

}  // namespace

Status RouteMount::attach(http::IHttpServer& server, const http::BodyLimit& body_limit) {
  auto requests = server.route({.method = "*",
                                .pattern = std::string(kMount),
                                .guard = http::Guard::kDeferred,
                                .body_limit = body_limit,
                                .body = http::BodyMode::kStream,
                                .plugin_parameter = "id"},
                               [this](const http::ExchangePtr& exchange) { handle(exchange); });
  if (!requests) {
    return std::move(requests).error();
  }
  auto sockets = server.webSocketAsync({.pattern = std::string(kMount),
                                        .guard = http::Guard::kDeferred,
                                        .message_limit = limits::kPluginWsMessage,
                                        .backlog_limit = limits::kWsBacklog},
                                       [this](http::Request request, SocketAnswer done) {
                                         accept(std::move(request), std::move(done));
                                       });
  if (!sockets) {
    return std::move(sockets).error();
  }
  requests_ = std::move(requests).value();
  sockets_ = std::move(sockets).value();
  return {};
}

void RouteMount::handle(const http::ExchangePtr& exchange) {
  const std::shared_ptr<const http::Request> request(exchange, &exchange->request());
  admission_->admit(request, Admission::Kind::kRequest, [exchange](Admission::Outcome outcome) {
    if (outcome.refusal) {
      auto response = refusal(*outcome.refusal, outcome.allow);
      // Whose route it would have been is not known; this much fits all.
      addProtection(response, Auth::kToken);
      exchange->respond(std::move(response));
    } else {
      HttpCall::run(exchange, outcome.generation, outcome.load, outcome.key, outcome.auth);
    }
  });
}

void RouteMount::accept(http::Request request, SocketAnswer done) {
  auto shared = std::make_shared<const http::Request>(std::move(request));
  admission_->admit(shared, Admission::Kind::kWebSocket,
                    [shared, done = std::move(done)](Admission::Outcome outcome) mutable {
                      if (outcome.refusal) {
                        done(std::move(*outcome.refusal));
                      } else {
                        upgrade(*shared, outcome, std::move(done));
                      }
                    });
}

}  // namespace svc::routes
