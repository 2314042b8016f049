#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "svc/http/http.h"

#include "call_gate.h"

namespace svc::http {

/// The method under which WebSocket routes are kept; no HTTP method can be spelled like it.
inline constexpr std::string_view kWebSocketMethod = "(websocket)";

/// One registered route. Immutable except for its gate.
struct Endpoint {
  std::string method;
  std::string pattern;
  Guard guard = Guard::kLocal;
  BodyLimit body_limit{};
  BodyMode body = BodyMode::kWhole;
  std::string plugin_parameter{};
  Handler handler;
  /// WebSocket routes only.
  AsyncWebSocketAcceptor acceptor{};
  std::size_t message_limit = 0;
  std::size_t backlog_limit = 0;
  std::string subprotocol{};
  /// Names of ":x" and "*" segments, in order; filled by the router.
  std::vector<std::string> parameter_names{};
  CallGate gate{};
};
using EndpointPtr = std::shared_ptr<Endpoint>;

/// What a path leads to. Without an endpoint, `allow` lists the methods the path has ("GET, HEAD"), or is empty.
struct RouteMatch {
  EndpointPtr endpoint;
  std::vector<std::pair<std::string, std::string>> parameters;
  std::string allow;
  /// A percent escape of a parameter is malformed.
  bool malformed = false;
};

/// An immutable set of routes.
class RouteTable {
 public:
  RouteTable();
  ~RouteTable();
  RouteTable(RouteTable&&) noexcept;
  RouteTable& operator=(RouteTable&&) noexcept;

  /// `invalid_argument` for a malformed pattern, `conflict` for one that exists.
  [[nodiscard]] Status add(const EndpointPtr& endpoint);
  [[nodiscard]] RouteMatch find(std::string_view method, std::string_view path) const;

  struct Node;

 private:
  std::unique_ptr<Node> root_;
};

/// The routes of the server. add(), serves() and releasing a handle may happen on any thread; table() belongs to the io
/// thread.
class Router {
 public:
  [[nodiscard]] Result<Handle> add(EndpointPtr endpoint);
  [[nodiscard]] bool serves(std::string_view method, std::string_view path) const;
  [[nodiscard]] const RouteTable& table();
  /// Every route there is now, in no order. Any thread.
  [[nodiscard]] std::vector<EndpointPtr> endpoints() const;

 private:
  struct State {
    std::mutex mutex;
    std::vector<EndpointPtr> endpoints;
    std::shared_ptr<const RouteTable> table = std::make_shared<const RouteTable>();
    std::atomic<std::uint64_t> version{0};
  };
  [[nodiscard]] static Status publish(State& state);
  static void remove(State& state, const EndpointPtr& endpoint);

  std::shared_ptr<State> state_ = std::make_shared<State>();
  // The io thread's copy.
  std::shared_ptr<const RouteTable> table_ = state_->table;
  std::uint64_t table_version_ = 0;
};

}  // namespace svc::http
