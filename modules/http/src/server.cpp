#include "server.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <ctime>
#include <future>
#include <system_error>
#include <vector>

#include <boost/asio/ip/tcp.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "svc/base/random.h"
#include "svc/common/envelope.h"
#include "svc/common/limits/http.h"

#include "connection.h"
#include "in_process.h"
#include "listen_address.h"
#include "socket_state.h"

namespace svc::http {
namespace {

namespace asio = boost::asio;
using Tcp = asio::ip::tcp;

constexpr auto kAcceptBackOff = std::chrono::milliseconds(100);
constexpr auto kExhaustionTellsEvery = std::chrono::minutes(1);

std::string httpDate(std::int64_t epoch_ms) {
  const auto seconds = static_cast<std::time_t>(epoch_ms / 1000);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  return fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT", parts);
}

/// So many connections are accepted before those that are there get their turn.
constexpr int kAcceptedAtOnce = 256;

/// Opened so that child processes do not inherit it: one that outlives the server would keep its port.
int openListener(const Tcp& protocol, boost::system::error_code& failure) {
  const int listener = ::socket(protocol.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener < 0) {
    failure.assign(errno, boost::system::system_category());
  }
  return listener;
}

/// Five characters that tell the request ids of one run of the server from those of another.
std::string randomPrefix() {
  constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuvwxyz";
  std::string prefix;
  for (int i = 0; i < 5; ++i) {
    prefix.push_back(kDigits[base::randomNumber() % kDigits.size()]);
  }
  return prefix + "-";
}

Error cannotListen(const ServerOptions& options, const boost::system::error_code& failure) {
  const auto address = fmt::format("{}:{}", options.host, options.port);
  if (failure == asio::error::address_in_use) {
    return Error{
        errc::kConflict,
        fmt::format(
            "{} is in use by another program; choose another port with --listen {}:PORT, or "
            "--listen {}:0 for a free one",
            address, options.host, options.host)};
  }
  return Error{
      errc::kUnavailable,
      fmt::format("cannot listen on {}: {}; choose another address with --listen HOST:PORT",
                  address, failure.message())};
}

/// An answer for a client the server has no room for, sent without waiting.
void refuseConnection(Socket socket, std::size_t limit) {
  const auto body = common::errorEnvelope(
      Error{errc::kOverloaded, fmt::format("the server has its maximum of {} connections", limit)});
  const auto answer = fmt::format(
      "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json; "
      "charset=utf-8\r\ncontent-length: {}\r\n"
      "retry-after: 1\r\nx-request-id: refused\r\nconnection: close\r\n\r\n{}",
      body.size(), body);
  boost::system::error_code ignored;
  socket.non_blocking(true, ignored);
  socket.write_some(asio::buffer(answer), ignored);
  socket.shutdown(Socket::shutdown_send, ignored);
}

}  // namespace

Server::Server(ServerOptions options, GuardPolicy guard, Reactor& reactor, const IClock& clock,
               std::shared_ptr<spdlog::logger> log)
    : options_(std::move(options)),
      reactor_(reactor),
      clock_(clock),
      log_(std::move(log)),
      context_{.router = router_,
               .guard = CurrentGuard(std::move(guard)),
               .answers = std::make_shared<AnswerQueue>(reactor),
               .bodies = std::make_shared<BodyBudget>(),
               .counters = nullptr,
               .proof = options_.owners ? options_.proof : nullptr,
               .log = log_,
               .limits = options_.limits,
               .id_prefix = randomPrefix()},
      web_socket_context_{.reactor = reactor, .now = context_.now, .remove = {}},
      acceptor_(reactor.context()) {
  context_.counters = std::make_shared<HttpCounters>(context_.bodies);
  setBodyLimits(options_.bodies);
  context_.now = ticked_ = clock_.steadyNow();
  context_.date = httpDate(clock_.nowMs());
  context_.remove = [this](Connection& connection) {
    connections_.erase(&connection);
    countOpen();
    finishDrainWhenEmpty();
  };
  context_.upgrade = [this](Upgrade accepted) { upgrade(std::move(accepted)); };
  web_socket_context_.remove = [this](IWebSocketSession& session) {
    web_sockets_.erase(&session);
    countOpen();
    finishDrainWhenEmpty();
  };
}

Server::~Server() { context_.answers->close(); }

Status Server::listen() {
  boost::system::error_code failure;
  const auto endpoint = listenEndpoint(reactor_.context(), options_.host, options_.port, failure);
  if (failure) {
    return cannotListen(options_, failure);
  }
  const int listener = openListener(endpoint.protocol(), failure);
  if (!failure) {
    acceptor_.assign(endpoint.protocol(), listener, failure);
    if (failure) {
      ::close(listener);
    }
  }
  if (!failure) {
    acceptor_.set_option(Acceptor::reuse_address(true), failure);
  }
  if (!failure) {
    acceptor_.bind(endpoint, failure);
  }
  if (!failure) {
    acceptor_.listen(asio::socket_base::max_listen_connections, failure);
  }
  if (failure) {
    return cannotListen(options_, failure);
  }
  port_ = acceptor_.local_endpoint(failure).port();
  context_.guard.bindTo(port_);
  return {};
}

void Server::accept() {
  reactor_.post([this] {
    scheduleTick();
    acceptNext();
  });
}

void Server::setFallback(Handler handler) {
  auto endpoint = std::make_shared<Endpoint>();
  endpoint->method = "GET";
  endpoint->pattern = "/*";
  endpoint->guard = Guard::kHost;
  endpoint->handler = std::move(handler);
  context_.fallback = std::move(endpoint);
}

Result<Handle> Server::route(Route route, Handler handler) {
  auto endpoint = std::make_shared<Endpoint>();
  endpoint->method = std::move(route.method);
  endpoint->pattern = std::move(route.pattern);
  endpoint->guard = route.guard;
  endpoint->body_limit = route.body_limit;
  endpoint->body = route.body;
  endpoint->plugin_parameter = std::move(route.plugin_parameter);
  endpoint->handler = std::move(handler);
  return router_.add(std::move(endpoint));
}

Result<Handle> Server::webSocket(WebSocketRoute route, WebSocketAcceptor acceptor) {
  return webSocketAsync(std::move(route),
                        [acceptor = std::move(acceptor)](
                            const Request& request, Completion<WebSocketHandlerPtr> done) mutable {
                          done(guarded([&] { return acceptor(request); }));
                        });
}

Result<Handle> Server::webSocketAsync(WebSocketRoute route, AsyncWebSocketAcceptor acceptor) {
  auto endpoint = std::make_shared<Endpoint>();
  endpoint->method = kWebSocketMethod;
  endpoint->pattern = std::move(route.pattern);
  endpoint->guard = route.guard;
  endpoint->message_limit = route.message_limit;
  endpoint->backlog_limit = route.backlog_limit;
  endpoint->subprotocol = std::move(route.subprotocol);
  endpoint->acceptor = std::move(acceptor);
  return router_.add(std::move(endpoint));
}

Status Server::check(Guard guard, const Request& request) const {
  return request.caller_plugin.empty() ? context_.guard->check(guard, guardFacts(request))
                                       : Status();
}

bool Server::serves(std::string_view method, std::string_view path) const {
  return router_.serves(method, path);
}

void Server::dispatch(Request request, std::stop_token stop, Completion<Response> done) {
  auto exchange = std::make_shared<InProcessExchange>(std::move(request), std::move(stop),
                                                      context_.limits.collected, std::move(done));
  reactor_.post([this, exchange = std::move(exchange)]() mutable {
    if (exchange->request().request_id.empty()) {
      exchange->request().request_id = context_.nextRequestId();
    }
    answerInProcess(context_, std::move(exchange));
  });
}

std::string Server::baseUrl() const {
  if (port_ == 0) {
    return {};
  }
  auto host = options_.host;
  if (host == "0.0.0.0") {
    host = "127.0.0.1";
  } else if (host == "::" || host == "[::]") {
    host = "::1";
  }
  const bool brackets = host.find(':') != std::string::npos && !host.starts_with('[');
  return brackets ? fmt::format("http://[{}]:{}", host, port_)
                  : fmt::format("http://{}:{}", host, port_);
}

void Server::scheduleTick() {
  tick_timer_ = reactor_.after(options_.tick, [this] { tick(); });
}

void Server::tick() {
  // By the time of the tick before: a process that was stopped for a while hears first whoever has said something meanwhile.
  const auto judged = std::exchange(ticked_, clock_.steadyNow());
  context_.now = ticked_;
  context_.date = httpDate(clock_.nowMs());
  std::vector<std::shared_ptr<Connection>> connections;
  connections.reserve(connections_.size());
  for (const auto& [key, connection] : connections_) {
    connections.push_back(connection);
  }
  for (const auto& connection : connections) {
    connection->tick(judged);
  }
  std::vector<std::shared_ptr<IWebSocketSession>> sessions;
  sessions.reserve(web_sockets_.size());
  for (const auto& [key, session] : web_sockets_) {
    sessions.push_back(session);
  }
  for (const auto& session : sessions) {
    session->tick(judged);
  }
  if (memory_.hasFallen(context_.unsent.total() + context_.bodies->bytes()) && options_.give_back) {
    options_.give_back();
  }
  scheduleTick();
}

void Server::acceptNext() {
  if (context_.draining || !acceptor_.is_open()) {
    return;
  }
  acceptor_.async_wait(Acceptor::wait_read, [this](const boost::system::error_code& failure) {
    if (failure != asio::error::operation_aborted) {
      acceptAll();
    }
  });
}

// All that wait at once: one at a time each would wait for a turn of all the uploads that are under way.
void Server::acceptAll() {
  context_.now = clock_.steadyNow();
  for (int count = 0; count < kAcceptedAtOnce; ++count) {
    if (context_.draining || !acceptor_.is_open() || !acceptOne()) {
      break;
    }
  }
  if (!accept_timer_) {
    acceptNext();
  }
}

/// False when nobody waits, or when there is no descriptor for who does.
bool Server::acceptOne() {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  const int accepted = ::accept4(acceptor_.native_handle(), reinterpret_cast<sockaddr*>(&address),
                                 &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (accepted < 0) {
    return acceptFailed(errno);
  }
  boost::system::error_code failure;
  Socket socket(reactor_.context().get_executor());
  socket.assign(address.ss_family == AF_INET6 ? Tcp::v6() : Tcp::v4(), accepted, failure);
  if (failure) {
    ::close(accepted);
    return true;
  }
  const auto& limits = context_.limits;
  if (connections_.size() + web_sockets_.size() >= limits.connections && !closeOldestIdle()) {
    refuseConnection(std::move(socket), limits.connections);
  } else {
    addConnection(std::move(socket));
  }
  return true;
}

/// True when accepting may go on at once.
bool Server::acceptFailed(int failure) {
  const bool exhausted =
      failure == EMFILE || failure == ENFILE || failure == ENOBUFS || failure == ENOMEM;
  if (!exhausted) {
    // Nobody waits any more, or one has given up before it was accepted.
    return failure != EAGAIN && failure != EWOULDBLOCK;
  }
  // Without descriptors the system says so also when nobody waits.
  pollfd listener{.fd = acceptor_.native_handle(), .events = POLLIN, .revents = 0};
  if (::poll(&listener, 1, 0) == 0) {
    return false;
  }
  // Whoever opens connections decides how often: the log is for others, too.
  if (!exhaustion_told_ || clock_.steadyNow() - *exhaustion_told_ >= kExhaustionTellsEvery) {
    exhaustion_told_ = clock_.steadyNow();
    log_->error(
        "cannot accept connections: {}; idle ones are closed to make room; raise the hard limit of "
        "open files (ulimit -Hn, LimitNOFILE=)",
        std::generic_category().message(failure));
  }
  if (closeOldestIdle()) {
    return true;
  }
  // The listening socket stays readable: trying again at once would spin.
  accept_timer_ = reactor_.after(kAcceptBackOff, [this] {
    accept_timer_.reset();
    acceptNext();
  });
  return false;
}

/// The connection that has been without a request for the longest makes room. False when each has one.
bool Server::closeOldestIdle() {
  if (context_.idle.empty()) {
    return false;
  }
  static_cast<Connection&>(context_.idle.front()).close();
  return true;
}

void Server::addConnection(Socket socket) {
  boost::system::error_code failure;
  const auto remote = socket.remote_endpoint(failure);
  const auto own = failure ? remote : socket.local_endpoint(failure);
  if (failure) {
    return;
  }
  auto address = remote.address();
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    address = asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6());
  }
  Peer peer{.address = address.to_string(),
            .local = address.is_loopback() || remote.address() == own.address()};
  if (peer.local && options_.owners) {
    peer.owner = options_.owners->ownerOf(remote, own);
    // One that leaves at once must not look like one that the system cannot know. In this order: it may leave in between.
    if (peer.owner.kind == SocketOwner::Kind::kUnknown && !isEstablished(socket)) {
      peer.owner.kind = SocketOwner::Kind::kNobody;
    }
  }
  const auto connection =
      std::make_shared<Connection>(std::move(socket), std::move(peer), context_);
  connections_.emplace(connection.get(), connection);
  context_.counters->accepted();
  countOpen();
  connection->start();
}

void Server::upgrade(Upgrade accepted) {
  const auto& endpoint = *accepted.endpoint;
  const WebSocketSettings settings{
      .message_limit =
          endpoint.message_limit == 0 ? limits::kWsClientMessage : endpoint.message_limit,
      .backlog_limit = endpoint.backlog_limit == 0 ? limits::kWsBacklog : endpoint.backlog_limit,
      .compress = !isLoopbackHost(accepted.request.peer_address),
      .subprotocol = endpoint.subprotocol};
  const auto session = makeWebSocketSession(std::move(accepted.socket), std::move(accepted.handler),
                                            settings, web_socket_context_);
  web_sockets_.emplace(session.get(), session);
  constexpr unsigned kSwitchingProtocols = 101;
  context_.counters->answered(kSwitchingProtocols);
  countOpen();
  session->start(accepted.request);
}

void Server::drain(Task done) {
  reactor_.post([this, done = std::move(done)]() mutable { beginDrain(std::move(done)); });
}

void Server::beginDrain(Task done) {
  context_.draining = true;
  drained_ = std::move(done);
  accept_timer_.reset();
  boost::system::error_code ignored;
  acceptor_.close(ignored);
  for (const auto& [key, session] : web_sockets_) {
    session->close(1001, "the server is shutting down");
  }
  std::vector<std::shared_ptr<Connection>> connections;
  for (const auto& [key, connection] : connections_) {
    connections.push_back(connection);
  }
  for (const auto& connection : connections) {
    connection->drain();
  }
  drain_timer_ = reactor_.after(options_.drain_grace, [this] { cutAll(); });
  finishDrainWhenEmpty();
}

void Server::cutAll() {
  while (!connections_.empty()) {
    const auto connection = connections_.begin()->second;
    connection->close();
  }
  while (!web_sockets_.empty()) {
    const auto session = web_sockets_.begin()->second;
    session->terminate();
  }
}

void Server::finishDrainWhenEmpty() {
  if (drained_ && connections_.empty() && web_sockets_.empty()) {
    drain_timer_.reset();
    std::exchange(drained_, nullptr)();
  }
}

void Server::close() {
  if (!reactor_.started()) {
    return;  // the port could not be had: nothing was ever served
  }
  auto closed = std::make_shared<std::promise<void>>();
  auto future = closed->get_future();
  // A reactor that has stopped drops the task, and with it the promise: the wait ends at once.
  reactor_.post([this, closed = std::move(closed)] {
    context_.draining = true;
    tick_timer_.reset();
    accept_timer_.reset();
    drain_timer_.reset();
    boost::system::error_code ignored;
    acceptor_.close(ignored);
    cutAll();
    closed->set_value();
  });
  // Bounded: a task of another module that never ends must not keep the process.
  future.wait_for(std::chrono::seconds(1));
  context_.answers->close();
}

}  // namespace svc::http
