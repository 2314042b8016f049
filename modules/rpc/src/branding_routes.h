#pragma once

#include <string>
#include <vector>

#include "svc/http/http.h"
#include "svc/plugins/assets.h"

namespace svc::rpc {

/// Icons and logos of plugins, also of disabled ones. Answers at once, on the io thread.
class BrandingRoutes {
 public:
  explicit BrandingRoutes(plugins::IPluginAssets& assets) : assets_(assets) {}
  [[nodiscard]] Status attach(http::IHttpServer& server);

 private:
  void serve(http::IExchange& exchange, const std::string& name) const;
  void serveIcon(http::IExchange& exchange) const;

  plugins::IPluginAssets& assets_;
  std::vector<Handle> routes_;
};

}  // namespace svc::rpc
