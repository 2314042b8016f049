#pragma once

#include "svc/http/http.h"
#include "svc/plugins/plugins.h"

namespace svc::rpc {

/// GET /api/v1/plugins/rpc: the methods that loaded plugins advertise, by plugin id and name. Io thread.
class PublishedRoute {
 public:
  explicit PublishedRoute(plugins::ILoadedPlugins& loaded) : loaded_(loaded) {}
  [[nodiscard]] Status attach(http::IHttpServer& server);

 private:
  void handle(http::IExchange& exchange) const;

  plugins::ILoadedPlugins& loaded_;
  Handle route_;
};

}  // namespace svc::rpc
