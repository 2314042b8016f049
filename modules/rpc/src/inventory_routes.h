#pragma once

#include <vector>

#include "svc/http/http.h"
#include "svc/plugins/plugins.h"

namespace svc::rpc {

/// What belongs to one installed plugin beside its lifecycle: where it comes from, and what builds and windows report
/// about it. Requests arrive on the io thread, answers leave from the main thread.
class InventoryRoutes {
 public:
  InventoryRoutes(plugins::IPluginManager& manager, plugins::IPluginLogs& logs,
                  const plugins::ILoadedPlugins& loaded)
      : manager_(manager), logs_(logs), loaded_(loaded) {}
  [[nodiscard]] Status attach(http::IHttpServer& server);

 private:
  void source(const http::ExchangePtr& exchange);
  void devProblems(const http::ExchangePtr& exchange);
  void appReport(const http::ExchangePtr& exchange);

  plugins::IPluginManager& manager_;
  plugins::IPluginLogs& logs_;
  const plugins::ILoadedPlugins& loaded_;
  std::vector<Handle> routes_;
};

}  // namespace svc::rpc
