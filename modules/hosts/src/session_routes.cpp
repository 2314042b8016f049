#include "session_routes.h"

#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/json.h"
#include "svc/common/limits/hosts.h"
#include "svc/hostprotocol/protocol.h"

#include "host_key.h"
#include "open_request.h"

namespace svc::hosts {
namespace {

using common::Json;

/// The backlog of a daemon's socket. Calls take two messages' worth of it at most; the rest is for everything else.
constexpr std::size_t kBacklog = 3 * limits::kIpcMessage;

bool isJson(const http::Request& request) {
  const auto* type = request.header("content-type");
  return type != nullptr && http::equalsIgnoreCase(http::trimmed(std::string_view(*type).substr(
                                                       0, std::min(type->find(';'), type->size()))),
                                                   "application/json");
}

}  // namespace

Status SessionRoutes::attach(http::IHttpServer& server) {
  auto opening = server.route(
      {.method = "POST", .pattern = "/internal/session/open", .guard = http::Guard::kNone},
      [this](const http::ExchangePtr& exchange) {
        auto answer = open(exchange->request());
        if (!answer) {
          exchange->fail(answer.error());
          return;
        }
        http::Response response;
        response.status = 201;
        response.headers.push_back({"cache-control", "no-store"});
        response.body = std::move(answer).value();
        exchange->respond(std::move(response));
      });
  if (!opening) {
    return std::move(opening).error();
  }
  routes_.push_back(std::move(opening).value());
  auto socket = server.webSocket({.pattern = "/internal/ws",
                                  .guard = http::Guard::kNone,
                                  .message_limit = limits::kIpcMessage,
                                  .backlog_limit = kBacklog,
                                  .subprotocol = std::string(hostprotocol::kSubprotocol)},
                                 [this](const http::Request& request) { return accept(request); });
  if (!socket) {
    return std::move(socket).error();
  }
  routes_.push_back(std::move(socket).value());
  return {};
}

Result<std::string> SessionRoutes::open(const http::Request& request) {
  auto host_id = hostOf(request, with_.registry);
  if (!host_id) {
    return std::move(host_id).error();
  }
  if (!isJson(request)) {
    return Error{errc::kUnsupportedMediaType, "the request needs content-type application/json"};
  }
  const auto protocol = spokenProtocolOf(request.body);
  if (!protocol) {
    return protocol.error();
  }
  if (protocol.value().version != hostprotocol::kProtocolVersion) {
    return refusedProtocol(host_id.value(), protocol.value());
  }
  auto wanted = parseOpenRequest(request.body);
  if (!wanted) {
    return std::move(wanted).error();
  }
  if (wanted.value().host_id != host_id.value()) {
    return forbidden(host_id.value(),
                     fmt::format("the host key belongs to another host than \"{}\"; enroll this "
                                 "machine with `svc machine enroll`",
                                 wanted.value().host_id));
  }
  const auto host = with_.registry.find(host_id.value());
  if (!host) {
    return Error{errc::kUnauthorized, "the host is removed; enroll this machine again"};
  }
  if (const auto& type = wanted.value().facts.host_type; type != host->type) {
    return forbidden(
        host_id.value(),
        fmt::format("the machine was enrolled as {} and says it is {}; enroll it again", host->type,
                    type));
  }
  auto session = with_.sessions.open(host_id.value(), std::move(wanted.value().facts),
                                     with_.loads.identities());
  if (!session) {
    return std::move(session).error();
  }
  refusals_.erase(host_id.value());
  return answerFor(*session.value());
}

Error SessionRoutes::refusedProtocol(const std::string& host_id, const SpokenProtocol& theirs) {
  const auto version = theirs.version;
  const bool offered = with_.registry.rejectedProtocol(host_id, version, theirs.platform);
  logOnce(host_id, fmt::format("its daemon speaks protocol version {}, this server {}", version,
                               hostprotocol::kProtocolVersion));
  return {
      errc::kProtocolMismatch,
      fmt::format("the daemon speaks protocol version {}, the server {}; install the version of "
                  "svc-hostd that belongs to the server",
                  version, hostprotocol::kProtocolVersion),
      Json::object()
          .set("serverProtocolVersion", hostprotocol::kProtocolVersion)
          .set("retryUpdate", offered)
          .dump()};
}

Error SessionRoutes::forbidden(const std::string& host_id, std::string why) {
  logOnce(host_id, why);
  return {errc::kForbidden, std::move(why)};
}

void SessionRoutes::logOnce(const std::string& host_id, const std::string& what) {
  if (auto& said = refusals_[host_id]; said != what) {
    said = what;
    with_.log->warn("host {}: a session is refused: {}", host_id, what);
  }
}

std::string SessionRoutes::answerFor(const Session& session) const {
  auto generations = Json::array();
  for (const auto& [plugin_id, identity] : session.announced()) {
    generations.push(Json::object().set("pluginId", plugin_id).set("generation", identity));
  }
  return Json::object()
      .set("sessionId", session.id())
      .set("heartbeatIntervalMs", static_cast<std::int64_t>(limits::kSessionHeartbeat.count()))
      .set("leaseTimeoutMs", static_cast<std::int64_t>(limits::kSessionLease.count()))
      .set("pluginHostGenerations", std::move(generations))
      .set("watchSet", Json::object().set("generation", 0))
      .set("connectShares", Json::raw(common::RawJson(with_.ports.describe(session.hostId()))))
      .set("retiredEnvironmentIds", Json::array())
      .dump();
}

Result<std::shared_ptr<http::IWebSocketHandler>> SessionRoutes::accept(
    const http::Request& request) {
  const auto host_id = hostOf(request, with_.registry);
  if (!host_id) {
    return host_id.error();
  }
  const auto session_id = request.queryParameter("sessionId");
  if (!session_id || session_id->empty()) {
    return Error{errc::kUnauthorized, "sessionId is missing; open a session first"};
  }
  if (!request.offersSubprotocol(hostprotocol::kSubprotocol)) {
    return Error{errc::kInvalidInput,
                 fmt::format("the subprotocol of this socket is {}", hostprotocol::kSubprotocol)};
  }
  return with_.sessions.accept(*session_id, host_id.value());
}

}  // namespace svc::hosts
