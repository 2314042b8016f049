// The part of Connection that takes one request from its header to its handler, or refuses it.
#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/envelope.h"
#include "svc/common/limits/http.h"

#include "connection.h"
#include "socket_state.h"
#include "unknown_route.h"
#include "web_socket_handshake.h"

namespace svc::http {
namespace {

/// The close code that stands for a connection without a closing handshake.
constexpr std::uint16_t kAbnormalClosure = 1006;

/// Paths that belong to programs: they answer with envelopes, never with the app window.
bool isApiPath(std::string_view path) {
  return isUnder(path, "/api") || isUnder(path, "/internal");
}

Response emptyResponse(std::vector<Header> headers) {
  return {.status = 204, .content_type = {}, .headers = std::move(headers), .body = {}};
}

/// The last element of the last header with this name; empty when there is none.
std::string lastForwarded(const Request& request, std::string_view name) {
  for (auto header = request.headers.rbegin(); header != request.headers.rend(); ++header) {
    if (equalsIgnoreCase(header->name, name)) {
      const std::string_view list = header->value;
      const auto comma = list.rfind(',');
      return std::string(trimmed(comma == std::string_view::npos ? list : list.substr(comma + 1)));
    }
  }
  return {};
}

bool containsToken(std::string_view list, std::string_view token) {
  while (!list.empty()) {
    const auto end = std::min(list.find(','), list.size());
    auto item = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    while (item.starts_with(' ')) {
      item.remove_prefix(1);
    }
    while (item.ends_with(' ')) {
      item.remove_suffix(1);
    }
    if (equalsIgnoreCase(item, token)) {
      return true;
    }
  }
  return false;
}

}  // namespace

void Connection::beginMessage() {
  request_ = {};
  endpoint_.reset();
  exchange_.reset();
  message_started_ = false;
  keep_alive_ = true;
  head_only_ = false;
  framing_ = Framing::kLength;
  request_id_.clear();
  cors_origin_.clear();
  own_pages_only_ = false;
  refusal_.reset();
  share_ = {};
  sender_ = BodySender::kKnown;
  body_arrived_ = 0;
  body_open_ = false;
  continue_owed_ = false;
  body_failure_.reset();
  parser_.reset(request_);
}

const std::string* Connection::headerAt(std::optional<std::size_t> position) const {
  return position ? &request_.headers[*position].value : nullptr;
}

/// Settles the request id, and who the peer is when a trusted proxy speaks for it.
void Connection::identify() {
  const auto* id = headerAt(parser_.facts().request_id);
  if (id && isValidRequestId(*id)) {
    request_id_ = *id;
  } else {
    request_id_ = context_.nextRequestId();
  }
  request_.request_id = request_id_;
  request_.peer_address = peer_.address;
  if (!context_.guard->trustsPeer(peer_.address)) {
    identifySender();
    return;
  }
  // What the proxy itself says is last: a client may have sent the same header before.
  if (const auto address = lastForwarded(request_, "x-forwarded-for"); !address.empty()) {
    request_.peer_address = address;
  }
  // A page whose name leads to this machine says the header itself, and its browser may be the proxy's neighbour: the name that the
  // connection was made for has to be one of the server, too.
  if (const auto name = lastForwarded(request_, "x-forwarded-host");
      !name.empty() && parser_.facts().host &&
      context_.guard->hostAllowed(request_.headers[*parser_.facts().host].value)) {
    request_.headers[*parser_.facts().host].value = std::string(name);
  }
  request_.secure = equalsIgnoreCase(lastForwarded(request_, "x-forwarded-proto"), "https");
}

/// Whose process this machine's side of the connection is.
void Connection::identifySender() {
  if (!context_.proof || !peer_.local || context_.guard->servesEverybody()) {
    return;
  }
  switch (peer_.owner.kind) {
    case SocketOwner::Kind::kUser:
      if (!context_.guard->servesUser(peer_.owner.uid)) {
        request_.sender = Sender::kForeignUser;
        request_.sender_uid = peer_.owner.uid;
      }
      return;
    case SocketOwner::Kind::kNobody:
      request_.sender = Sender::kGone;
      return;
    case SocketOwner::Kind::kUnknown:
      if (isReset(socket_)) {
        request_.sender = Sender::kGone;
      } else if (!context_.proof->isIn(request_)) {
        request_.sender = Sender::kUnknownUser;
      }
  }
}

void Connection::onHeader() {
  identify();
  const auto& facts = parser_.facts();
  keep_alive_ = facts.keep_alive;
  head_only_ = request_.method == "HEAD";
  if (request_.method == "OPTIONS" && request_.target == "*") {
    refuse(emptyResponse({{"allow", "*"}}));
    return;
  }
  if (!splitTarget(request_, facts)) {
    refuse(Error{errc::kInvalidInput, "the request target is neither a path nor an http URL"});
    return;
  }
  context_.guard->basePath().apply(request_);
  const auto& table = context_.router.table();
  if (wantsWebSocket()) {
    if (auto match = table.find(kWebSocketMethod, request_.path); match.endpoint) {
      routeRequest(std::move(match));
      return;
    }
  }
  routeRequest(table.find(request_.method, request_.path));
}

void Connection::routeRequest(RouteMatch match) {
  const bool api_path = isApiPath(request_.path);
  const bool reads = request_.method == "GET" || head_only_;
  if (!match.endpoint && match.allow.empty() && !api_path && reads &&
      !context_.router.table().find(kWebSocketMethod, request_.path).endpoint) {
    match.endpoint = context_.fallback;
  }
  const auto guard =
      match.endpoint ? match.endpoint->guard : (api_path ? Guard::kLocal : Guard::kHost);
  if (!applyGuard(guard)) {
    return;
  }
  if (match.endpoint && match.endpoint == context_.fallback &&
      request_.sender != Sender::kAllowed) {
    refusePage();
    return;
  }
  if (match.malformed) {
    refuse(Error{errc::kInvalidInput, "the request path has a malformed percent escape"});
    return;
  }
  if (isPreflight(match)) {
    answerOptions(match);
    return;
  }
  if (!match.endpoint) {
    answerUnknown(match);
    return;
  }
  request_.path_parameters = std::move(match.parameters);
  endpoint_ = std::move(match.endpoint);
  if (endpoint_->method == kWebSocketMethod) {
    acceptWebSocket();
  } else {
    expectBody();
  }
}

/// Refuses the request when its sender may not call. A cross origin that may is noted for the answer.
bool Connection::applyGuard(Guard guard) {
  const auto& facts = parser_.facts();
  const GuardFacts guard_facts{.method = request_.method,
                               .host = headerAt(facts.host),
                               .origin = headerAt(facts.origin),
                               .origin_headers = facts.origin_headers,
                               .content_type = headerAt(facts.content_type),
                               .fetch_site = headerAt(facts.fetch_site),
                               .has_body = facts.hasBody(),
                               .secure = request_.secure,
                               .sender = request_.sender,
                               .sender_uid = request_.sender_uid};
  const auto allowed = context_.guard->check(guard, guard_facts);
  const bool may_be_cross =
      guard == Guard::kLocal || guard == Guard::kUpload || guard == Guard::kDeferred;
  if (may_be_cross && guard_facts.origin && facts.origin_headers == 1 && guard_facts.host &&
      context_.guard->hostAllowed(*guard_facts.host) &&
      context_.guard->classify(*guard_facts.origin, *guard_facts.host, request_.secure) ==
          OriginClass::kCross) {
    cors_origin_ = *guard_facts.origin;
  }
  own_pages_only_ = guard == Guard::kLocal || guard == Guard::kUpload;
  if (!allowed) {
    refuse(allowed.error());
    return false;
  }
  return true;
}

/// OPTIONS is answered here for paths whose routes do not handle it themselves, and for browsers asking whether a
/// cross origin may call.
bool Connection::isPreflight(const RouteMatch& match) const {
  if (request_.method != "OPTIONS") {
    return false;
  }
  if (!match.endpoint) {
    return !match.allow.empty();
  }
  return match.endpoint->method == "*" && !cors_origin_.empty() &&
         request_.header("access-control-request-method");
}

void Connection::answerOptions(const RouteMatch& match) {
  const auto methods =
      (match.allow.empty() ? "GET, HEAD, POST, PUT, PATCH, DELETE" : match.allow) + ", OPTIONS";
  std::vector<Header> headers{{"allow", methods}};
  if (!cors_origin_.empty()) {
    const auto* asked = request_.header("access-control-request-headers");
    headers.push_back({"access-control-allow-methods", methods});
    headers.push_back(
        {"access-control-allow-headers", asked ? *asked : "content-type, x-request-id"});
    headers.push_back({"access-control-max-age", "600"});
  }
  refuse(emptyResponse(std::move(headers)));
}

/// For people: the page itself would only show that nothing answers it.
void Connection::refusePage() {
  const auto error = forbiddenUser(request_.sender, request_.sender_uid);
  auto response = errorResponse(error, {{"cache-control", "no-store"}});
  response.content_type = "text/plain; charset=utf-8";
  response.body = error.message + "\n";
  refuse(std::move(response));
}

void Connection::answerUnknown(const RouteMatch& match) {
  refuse(unknownRoute(context_.router.table(), request_, match.allow));
}

bool Connection::wantsWebSocket() const {
  const auto& facts = parser_.facts();
  if (!facts.upgrade || request_.method != "GET" || facts.version < 11) {
    return false;
  }
  const auto* protocols = request_.header("upgrade");
  return protocols && containsToken(*protocols, "websocket");
}

void Connection::acceptWebSocket() {
  const auto* key = request_.header("sec-websocket-key");
  const auto* version = request_.header("sec-websocket-version");
  if (!version || *version != "13") {
    refuse(upgradeRequired("only version 13 of the WebSocket protocol is spoken"));
    return;
  }
  flush();
  if (state_ == State::kClosed) {
    return;
  }
  if (parser_.facts().hasBody() || in_.size() > 0 || !out_.empty()) {
    refuse(Error{errc::kInvalidInput, "the WebSocket handshake is not valid"});
    return;
  }
  if (!key || !isWebSocketKey(*key)) {
    refuse(Error{errc::kInvalidInput, "Sec-WebSocket-Key must be 16 bytes in base64"});
    return;
  }
  for (const auto& header : request_.headers) {
    if (equalsIgnoreCase(header.name, "sec-websocket-extensions") &&
        !isExtensionList(header.value)) {
      refuse(Error{errc::kInvalidInput,
                   "Sec-WebSocket-Extensions must be names with parameters, such as "
                   "permessage-deflate; client_max_window_bits"});
      return;
    }
  }
  callAcceptor();
}

void Connection::callAcceptor() {
  const auto endpoint = endpoint_;
  const GatedCall call(endpoint->gate);
  if (!call || context_.draining) {
    refuse(Error{errc::kUnavailable, "the server does not take this connection now; try again"});
    return;
  }
  state_ = State::kAccepting;
  deadline_ = context_.now + limits::kRpcTimeout;
  Completion<WebSocketHandlerPtr> answer = [weak = weak_from_this(), answers = context_.answers](
                                               const Result<WebSocketHandlerPtr>& accepted) {
    answers->run([weak, accepted] {
      if (const auto connection = weak.lock()) {
        connection->acceptorAnswered(accepted);
      } else if (accepted) {
        accepted.value()->onClose(kAbnormalClosure, "the client is gone");
      }
    });
  };
  const auto called = guarded([&]() -> Status {
    endpoint->acceptor(request_, std::move(answer));
    return {};
  });
  if (!called) {
    context_.log->error("the acceptor of {} failed: {}", endpoint->pattern, called.error().message);
  }
}

void Connection::acceptorAnswered(Result<WebSocketHandlerPtr> accepted) {
  if (state_ != State::kAccepting) {
    if (accepted) {
      accepted.value()->onClose(kAbnormalClosure, "the client is gone");
    }
    return;
  }
  if (accepted && context_.draining) {
    accepted.value()->onClose(kAbnormalClosure, "the server is shutting down");
    accepted = Error{errc::kUnavailable, "the server is shutting down"};
  }
  if (!accepted) {
    refuse(accepted.error());
    process();
    return;
  }
  state_ = State::kClosed;
  context_.upgrade(Upgrade{std::move(socket_), std::move(request_), std::move(endpoint_),
                           std::move(accepted).value()});
  context_.remove(*this);
}

/// Routes that leave it to their handlers who may call have whole bodies of everybody: keys of daemons, tokens and signatures are
/// looked at then.
BodySender Connection::bodySender() const {
  const auto guard = endpoint_->guard;
  if (guard == Guard::kLocal || guard == Guard::kUpload) {
    return BodySender::kKnown;
  }
  if (context_.guard->trustsPeer(peer_.address)) {
    // A proxy knows who calls, but for what it lets through to everybody.
    return guard == Guard::kDeferred ? BodySender::kKnown : BodySender::kStranger;
  }
  const bool of_served_user = peer_.local && peer_.owner.kind == SocketOwner::Kind::kUser &&
                              context_.guard->servesUser(peer_.owner.uid);
  return of_served_user ? BodySender::kKnown : BodySender::kStranger;
}

void Connection::expectBody() {
  const auto& facts = parser_.facts();
  const auto limit = endpoint_->body_limit.get();
  if (facts.content_length.value_or(0) > limit) {
    refuse(bodyTooLarge(limit, *facts.content_length));
    return;
  }
  const bool streamed = endpoint_->body == BodyMode::kStream;
  sender_ = bodySender();
  share_ = context_.bodies->share(request_.parameter(endpoint_->plugin_parameter), sender_);
  // The length of a chunked body shows as it arrives; of a streamed one only so much is ever here.
  const auto ahead = context_.limits.read_ahead;
  const auto expected = facts.content_length.value_or(streamed && facts.hasBody() ? ahead : 0);
  if (const auto room = share_.growTo(streamed ? std::min<std::size_t>(expected, ahead) : expected);
      !room) {
    refuse(room.error());
    return;
  }
  parser_.expectBody(limit, RequestParser::Body::kKeep);
  if (streamed) {
    body_open_ = facts.hasBody();
    continue_owed_ = body_open_ && facts.expects_continue && facts.version >= 11;
    dispatch();
    return;
  }
  if (facts.expects_continue && facts.version >= 11 && facts.hasBody() && in_.size() == 0) {
    out_.append("HTTP/1.1 100 Continue\r\n\r\n");
  }
  state_ = State::kBody;
}

void Connection::dispatch() {
  if (refusal_) {
    writeResponse(std::move(*refusal_));
    return;
  }
  state_ = State::kHandling;
  deadline_ = TimePoint::max();
  auto exchange = std::make_shared<Exchange>(std::exchange(request_, {}), std::move(share_),
                                             weak_from_this(), context_.answers, sequence_);
  exchange_ = exchange;
  if (end_of_input_) {
    exchange->clientGone();
  }
  const auto endpoint = endpoint_;
  const GatedCall call(endpoint->gate);
  if (!call) {
    exchange->fail(Error{errc::kNotFound, "the route was removed"});
    return;
  }
  const auto called = guarded([&]() -> Status {
    endpoint->handler(std::move(exchange));
    return {};
  });
  if (!called) {
    context_.log->error("the handler of {} {} failed: {}", endpoint->method, endpoint->pattern,
                        called.error().message);
  }
}

void Connection::refuse(const Error& error) {
  refuse(errorResponse(error, error.code == errc::kOverloaded
                                  ? std::vector<Header>{{"retry-after", "1"}}
                                  : std::vector<Header>{}));
}

/// Answers without calling a handler. A small body is read and dropped first, so that the connection can stay; with a
/// larger one the answer goes out at once and the connection closes.
void Connection::refuse(Response response) {
  share_ = {};
  request_.body = {};
  const auto& facts = parser_.facts();
  if (keep_alive_ && facts.hasBody()) {
    const auto length = facts.content_length.value_or(context_.limits.discarded_body + 1);
    if (length <= context_.limits.discarded_body && !facts.expects_continue) {
      parser_.expectBody(context_.limits.discarded_body, RequestParser::Body::kDiscard);
      refusal_ = std::move(response);
      state_ = State::kBody;
      return;
    }
    keep_alive_ = false;
  }
  writeResponse(std::move(response));
}

}  // namespace svc::http
