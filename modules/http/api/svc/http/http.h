#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "svc/common/codes.h"
#include "svc/common/envelope.h"
#include "svc/http/text.h"
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

/// One parsed request. Immutable after the handler is called, except that the handler may move `body` out.
struct Request {
  std::string method;           ///< upper case
  std::string target;           ///< as sent
  std::string path;             ///< before '?', as sent (percent-encoded)
  std::string query;            ///< after '?', without it
  std::vector<Header> headers;  ///< in order; names as sent
  std::vector<std::pair<std::string, std::string>>
      path_parameters;  ///< from the pattern, percent-decoded
  std::string body;
  std::string request_id;
  std::string peer_address;

  /// First header with this name (case-insensitive), or nullptr.
  [[nodiscard]] const std::string* header(std::string_view name) const;
  /// Path parameter by name; empty when the pattern has none.
  [[nodiscard]] std::string_view parameter(std::string_view name) const;
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
  /// Starts a 200 response whose body arrives in pieces (chunked); nothing is sent before. finish() ends it.
  /// Used for answers that must show life while they wait. After begin(), respond() is not allowed.
  virtual void begin(Response head) = 0;
  virtual void write(std::string piece) = 0;
  virtual void finish() = 0;
};
using ExchangePtr = std::shared_ptr<IExchange>;

/// Runs on the io thread; must not block.
using Handler = std::function<void(ExchangePtr exchange)>;

/// Who may call a route (origin guard, content type).
enum class Guard : std::uint8_t {
  kLocal,   ///< Host and Origin checks; mutations with a body need application/json
  kUpload,  ///< Host and Origin checks only
  kHost,    ///< Host check only
  kNone,    ///< nothing is checked
};

struct Route {
  /// Upper case, or "*" for any.
  std::string method{};
  /// "/api/v1/plugins/:id/rpc/:method"; a trailing "/*" matches the rest as parameter "*".
  std::string pattern{};
  Guard guard = Guard::kLocal;
  std::size_t body_limit = 0;  ///< 0 = lim.rpcBody
};

/// One server-side WebSocket. Lives on the io thread; send and close may be called from any thread.
class IWebSocket {
 public:
  virtual ~IWebSocket() = default;
  /// Shares one immutable frame between clients. A backlog beyond the spec's limit closes with 1013.
  virtual void sendText(std::shared_ptr<const std::string> text) = 0;
  virtual void sendBinary(std::shared_ptr<const std::string> bytes) = 0;
  virtual void close(std::uint16_t code, std::string reason) = 0;
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
};

/// Chooses the handler of an upgrade, or refuses it with an error. Runs on the io thread.
using WebSocketAcceptor =
    std::function<Result<std::shared_ptr<IWebSocketHandler>>(const Request& request)>;

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
