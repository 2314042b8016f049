#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "svc/kernel/result.h"

namespace svc::routes {

/// Who may call a route.
enum class Auth : std::uint8_t {
  kLocal,  ///< Host, Origin and media type are checked
  kToken,  ///< the plugin's token is the proof
  kNone,   ///< the handler verifies the sender
};
[[nodiscard]] std::optional<Auth> authOf(std::string_view name);

/// Where a request leads. `key` is empty when nothing takes it; `allow` then lists the methods that the path has.
struct RouteMatch {
  std::string key{};  ///< as the script knows the route: "GET /hook", or the path of a WebSocket
  Auth auth = Auth::kLocal;
  std::string allow{};
};

/// The routes of one load. Paths are compared as they are. Thread-safe.
class PluginRoutes {
 public:
  void addRoute(const std::string& method, const std::string& path, Auth auth);
  void addSocket(const std::string& path, Auth auth);

  /// HEAD falls back to GET.
  [[nodiscard]] RouteMatch findRoute(const std::string& method, const std::string& path) const;
  [[nodiscard]] RouteMatch findSocket(const std::string& path) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::map<std::string, Auth>> routes_;  // path, method
  std::map<std::string, Auth> sockets_;
};

}  // namespace svc::routes
