#include "plugin_routes.h"

namespace svc::routes {

std::optional<Auth> authOf(std::string_view name) {
  if (name == "local") {
    return Auth::kLocal;
  }
  if (name == "token") {
    return Auth::kToken;
  }
  return name == "none" ? std::optional(Auth::kNone) : std::nullopt;
}

void PluginRoutes::addRoute(const std::string& method, const std::string& path, Auth auth) {
  const std::scoped_lock lock(mutex_);
  routes_[path].insert_or_assign(method, auth);
}

void PluginRoutes::addSocket(const std::string& path, Auth auth) {
  const std::scoped_lock lock(mutex_);
  sockets_.insert_or_assign(path, auth);
}

RouteMatch PluginRoutes::findRoute(const std::string& method, const std::string& path) const {
  const std::scoped_lock lock(mutex_);
  const auto known = routes_.find(path);
  if (known == routes_.end()) {
    return {};
  }
  const auto& methods = known->second;
  auto found = methods.find(method);
  if (found == methods.end() && method == "HEAD") {
    found = methods.find("GET");
  }
  if (found != methods.end()) {
    return {.key = found->first + " " + path, .auth = found->second};
  }
  RouteMatch match;
  for (const auto& [name, auth] : methods) {
    match.allow.append(match.allow.empty() ? "" : ", ").append(name);
    if (name == "GET" && !methods.contains("HEAD")) {
      match.allow.append(", HEAD");
    }
  }
  return match;
}

RouteMatch PluginRoutes::findSocket(const std::string& path) const {
  const std::scoped_lock lock(mutex_);
  const auto found = sockets_.find(path);
  return found == sockets_.end() ? RouteMatch{} : RouteMatch{.key = path, .auth = found->second};
}

}  // namespace svc::routes
