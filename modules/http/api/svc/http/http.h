#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "svc/common/codes.h"
#include "svc/common/envelope.h"
#include "svc/common/limits/http.h"
#include "svc/http/text.h"
#include "svc/kernel/completion.h"
#include "svc/kernel/executor.h"
#include "svc/kernel/result.h"
#include "svc/kernel/service_id.h"

namespace svc::http {

/// The io thread: every socket of the server and its timers. Thread-safe to post to.
class IReactor : public IExecutor {
 public:
  static constexpr ServiceId kId{"svc.http.Reactor", 1};
};

struct Header {
  std::string name{};
  std::string value{};
};

/// Whose process sent a request.
enum class Sender : std::uint8_t {
  kAllowed,      ///< of a user who may, or of another machine
  kForeignUser,  ///< of a user of this machine who may not
  kUnknownUser,  ///< of this machine, and nothing shows whose
  kGone,         ///< of this machine, and closed before its user could be known
};

/// One parsed request. Immutable after the handler is called, except that the handler may move `body` out.
struct Request {
  std::string method;           ///< upper case
  std::string target;           ///< as sent
  std::string path;             ///< before '?', as sent (percent-encoded), without base_path
  std::string base_path{};      ///< path of the public address, such as "/svc"; empty = none
  std::string query;            ///< after '?', without it
  std::vector<Header> headers;  ///< in order; names as sent
  std::vector<std::pair<std::string, std::string>>
      path_parameters;  ///< from the pattern, percent-decoded
  std::string body;
  std::string request_id;
  std::string peer_address;
  /// Id of the plugin whose `svc.sdk` made the request; empty = a client. Never from the wire.
  std::string caller_plugin{};
  /// The client's connection is TLS, as a trusted proxy says.
  bool secure = false;
  /// What the guards that ask for the user refuse; set by the server.
  Sender sender = Sender::kAllowed;
  std::uint32_t sender_uid = 0;  ///< of a foreign user

  /// First header with this name (case-insensitive), or nullptr.
  [[nodiscard]] const std::string* header(std::string_view name) const;
  /// Path parameter by name; empty when the pattern has none.
  [[nodiscard]] std::string_view parameter(std::string_view name) const;
  /// Whether the client of an upgrade offers this subprotocol.
  [[nodiscard]] bool offersSubprotocol(std::string_view name) const;
  /// First value of a query parameter, percent-decoded ('+' is a space); nullopt when absent.
  [[nodiscard]] std::optional<std::string> queryParameter(std::string_view name) const;
};

struct Response {
  unsigned status = 200;
  std::string content_type = "application/json; charset=utf-8";
  std::vector<Header> headers{};
  std::string body{};
};

/// One request being answered. Thread-safe; respond() takes effect once, later calls do nothing. Dropping the last
/// reference without an answer sends `internal_error`.
class IExchange {
 public:
  virtual ~IExchange() = default;
  [[nodiscard]] virtual Request& request() = 0;
  /// Stops when the client goes away before the answer.
  [[nodiscard]] virtual std::stop_token disconnected() const = 0;
  virtual void respond(Response response) = 0;
  /// The error envelope with the status of its code.
  void fail(const Error& error);
  /// Starts a response whose body arrives in pieces (chunked); nothing is sent before. finish() ends it.
  /// After begin(), respond() is not allowed. A client more than 8 MiB behind is cut off.
  virtual void begin(Response head) = 0;
  virtual void write(std::string piece) = 0;
  /// As write(). Fires on the io thread when the next piece may come; `aborted` when the answer has ended or the client
  /// is gone. A writer that waits for it never has much more than one piece unsent.
  virtual void write(std::string piece, Completion<void> taken) = 0;
  virtual void finish() = 0;
  /// Cuts the connection: the client sees that the answer is not whole.
  virtual void abort() = 0;
  /// Routes that stream their body only: the next bytes of it, "" at the end. One read at a time. Fires on the io
  /// thread. Errors stay: `too_large` (the route's body_limit), `invalid_input` (not HTTP), `aborted` (the client is
  /// gone, or the request is answered). Only a read asks a client that expects "100 Continue" for its body.
  virtual void read(Completion<std::string> done) = 0;
};
using ExchangePtr = std::shared_ptr<IExchange>;

/// Runs on the io thread; must not block.
using Handler = UniqueFunction<void(ExchangePtr exchange)>;

/// Who may call a route (origin guard, user, content type).
enum class Guard : std::uint8_t {
  kLocal,  ///< as kUpload; mutations with a body need application/json
  kUpload,  ///< Host and Origin checks, no request that a page of another site makes, the server's user
  kHost,  ///< Host check only
  kNone,  ///< nothing is checked
  /// Nothing is checked yet: the handler calls IHttpServer::check. Allowed origins can read the answer.
  kDeferred,
};

/// How a body reaches the handler.
enum class BodyMode : std::uint8_t {
  kWhole,   ///< in Request::body; the handler is called when it is complete
  kStream,  ///< through IExchange::read(); the handler is called after the headers
};

/// The largest request body of a route, in bytes. Copies share one value, so it can change while the route is in use.
/// Thread-safe.
class BodyLimit {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a number is a limit
  BodyLimit(std::size_t bytes = limits::kRpcBody)
      : bytes_(std::make_shared<std::atomic<std::size_t>>(bytes)) {}
  [[nodiscard]] std::size_t get() const { return bytes_->load(std::memory_order_relaxed); }
  void set(std::size_t bytes) const { bytes_->store(bytes, std::memory_order_relaxed); }

 private:
  std::shared_ptr<std::atomic<std::size_t>> bytes_;
};

struct Route {
  /// Upper case, or "*" for any.
  std::string method{};
  /// "/api/v1/plugins/:id/rpc/:method"; a trailing "/*" matches the rest as parameter "*".
  std::string pattern{};
  Guard guard = Guard::kLocal;
  BodyLimit body_limit{};
  BodyMode body = BodyMode::kWhole;
  /// The path parameter that names the plugin which requests wait for; empty = none. What their bodies take is bounded for each.
  std::string plugin_parameter{};
};

/// One server-side WebSocket. Lives on the io thread; send and close may be called from any thread.
class IWebSocket {
 public:
  virtual ~IWebSocket() = default;
  /// Shares one immutable frame between clients. A backlog beyond the spec's limit closes with 1013.
  virtual void sendText(std::shared_ptr<const std::string> text) = 0;
  virtual void sendBinary(std::shared_ptr<const std::string> bytes) = 0;
  virtual void close(std::uint16_t code, std::string reason) = 0;
  /// Stops and continues reading from the client, so that a slow receiver slows the sender down. Any thread; a message
  /// that is already read still arrives.
  virtual void setReading(bool on) = 0;
  /// sendText() for each, which is cheaper for all at once.
  virtual void sendTexts(std::span<const std::shared_ptr<const std::string>> texts) {
    for (const auto& text : texts) {
      sendText(text);
    }
  }
};
using WebSocketPtr = std::shared_ptr<IWebSocket>;

/// Callbacks of one socket, on the io thread, one at a time. onClose is the last and comes exactly once.
class IWebSocketHandler {
 public:
  virtual ~IWebSocketHandler() = default;
  virtual void onOpen(const WebSocketPtr& socket) = 0;
  virtual void onText(std::string text) = 0;
  virtual void onBinary(std::string bytes) = 0;
  virtual void onClose(std::uint16_t code, const std::string& reason) = 0;
};

struct WebSocketRoute {
  std::string pattern{};
  Guard guard = Guard::kLocal;
  std::size_t message_limit = 0;  ///< larger client messages close with 1009
  std::size_t backlog_limit = 0;  ///< unsent bytes beyond this close with 1013
  /// Named in the answer to a client that offers it; empty = the first one that a client offers. Refusing clients that do not is the
  /// acceptor's business.
  std::string subprotocol{};
};

/// Chooses the handler of an upgrade, or refuses it with an error. Runs on the io thread.
using WebSocketAcceptor =
    UniqueFunction<Result<std::shared_ptr<IWebSocketHandler>>(const Request& request)>;

/// As WebSocketAcceptor, with an answer that may come later and from any thread. An accepted handler whose client has
/// gone meanwhile gets onClose() without onOpen(). An answer that takes longer than lim.rpcTimeout closes the connection.
using AsyncWebSocketAcceptor =
    UniqueFunction<void(Request request, Completion<std::shared_ptr<IWebSocketHandler>> done)>;

/// Routes by method and path. Literal segments win over parameters. Thread-safe; a route is reachable until its
/// handle is released. Releasing waits for a running call of the handler (on the io thread it does not), so that
/// what the handler uses may be destroyed afterwards. A second route with the same method and pattern is a `conflict`.
class IHttpServer {
 public:
  static constexpr ServiceId kId{"svc.http.Server", 1};
  virtual ~IHttpServer() = default;
  [[nodiscard]] virtual Result<Handle> route(Route route, Handler handler) = 0;
  [[nodiscard]] virtual Result<Handle> webSocket(WebSocketRoute route,
                                                 WebSocketAcceptor acceptor) = 0;
  [[nodiscard]] virtual Result<Handle> webSocketAsync(WebSocketRoute route,
                                                      AsyncWebSocketAcceptor acceptor) = 0;
  /// The rules of a guard that is chosen after routing: `forbidden_origin`, `forbidden_user` or `unsupported_media_type`. A
  /// plugin's own request passes. Any thread.
  [[nodiscard]] virtual Status check(Guard guard, const Request& request) const = 0;
  /// Whether a route takes this method and path right now. Any thread.
  [[nodiscard]] virtual bool serves(std::string_view method, std::string_view path) const = 0;
  /// Answers inside the process, through the same routes and handlers, without socket and guard. `method` and `target`
  /// are needed. A route's body limit holds; answers in pieces are collected up to 64 MiB. `stop` is the client that
  /// goes away. Any thread may call; fires on the thread that answers. Errors: `aborted`, `too_large` (the answer).
  virtual void dispatch(Request request, std::stop_token stop, Completion<Response> done) = 0;
  /// "http://127.0.0.1:4700"; empty before the server listens.
  [[nodiscard]] virtual std::string baseUrl() const = 0;
};

/// One line of `/readyz`: what a module contributes. `json_value` is asked for on the io thread and must be quick.
/// Contributions with the same member are joined into one array, element by element. An entry of "modules" whose
/// `state` is neither "ready" nor "running" makes the answer 503; other members never do.
struct ReadyReport {
  std::string member;                       ///< "modules", "plugins"
  std::function<std::string()> json_value;  ///< JSON text
};

/// Contributions to `/readyz`. Thread-safe.
class IHealth {
 public:
  static constexpr ServiceId kId{"svc.http.Health", 1};
  virtual ~IHealth() = default;
  [[nodiscard]] virtual Handle contribute(ReadyReport report) = 0;
};

inline const std::string* Request::header(std::string_view name) const {
  for (const auto& header : headers) {
    if (equalsIgnoreCase(header.name, name)) {
      return &header.value;
    }
  }
  return nullptr;
}

inline std::string_view Request::parameter(std::string_view name) const {
  for (const auto& [key, value] : path_parameters) {
    if (key == name) {
      return value;
    }
  }
  return {};
}

inline bool Request::offersSubprotocol(std::string_view name) const {
  for (const auto& header : headers) {
    if (equalsIgnoreCase(header.name, "sec-websocket-protocol") && listsItem(header.value, name)) {
      return true;
    }
  }
  return false;
}

inline std::optional<std::string> Request::queryParameter(std::string_view name) const {
  return findQueryParameter(query, name);
}

inline void IExchange::fail(const Error& error) {
  Response response;
  response.status = common::httpStatus(error.code);
  response.body = common::errorEnvelope(error);
  if (error.code == errc::kOverloaded) {
    response.headers.push_back({"retry-after", "1"});
  }
  respond(std::move(response));
}

}  // namespace svc::http
