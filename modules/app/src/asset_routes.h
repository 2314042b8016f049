#pragma once

#include <string>
#include <vector>

#include "svc/http/http.h"
#include "svc/plugins/plugins.h"

#include "bundle_shelf.h"

namespace svc::app {

/// Serves the bundles on the shelf, of plugins that are loaded. Handlers run on the io thread; compressing happens on
/// workers.
class AssetRoutes {
 public:
  AssetRoutes(const BundleShelf& shelf, plugins::ILoadedPlugins& loaded, IWorkerPool& workers);

  [[nodiscard]] Status attach(http::IHttpServer& server);

 private:
  void servePlugin(const http::ExchangePtr& exchange, bool css) const;
  void serveHash(const http::ExchangePtr& exchange, bool css) const;
  void serve(const http::ExchangePtr& exchange, const std::string& plugin_id,
             const std::optional<std::string>& wanted, bool css) const;
  void answer(const http::ExchangePtr& exchange, const AppBundlePtr& bundle, bool immutable,
              bool css) const;

  const BundleShelf& shelf_;
  plugins::ILoadedPlugins& loaded_;
  IWorkerPool& workers_;
  std::vector<Handle> routes_;
};

}  // namespace svc::app
