#pragma once

#include <memory>
#include <string>
#include <vector>

#include "svc/http/http.h"
#include "svc/plugins/managed_plugins.h"
#include "svc/plugins/plugins.h"

#include "install_jobs.h"
#include "marketplaces.h"

namespace svc::installs {

/// Marketplaces and what they list, over HTTP. Requests arrive on the io thread, answers leave from the main thread.
class CatalogRoutes {
 public:
  CatalogRoutes(std::shared_ptr<Marketplaces> marketplaces, std::shared_ptr<InstallJobs> jobs,
                plugins::IPluginManager& manager, plugins::IManagedPlugins& plugins,
                IMainExecutor& main)
      : marketplaces_(std::move(marketplaces)),
        jobs_(std::move(jobs)),
        manager_(manager),
        plugins_(plugins),
        main_(main) {}
  [[nodiscard]] Status attach(http::IHttpServer& server);

 private:
  void search(const http::ExchangePtr& exchange);
  void status(const http::ExchangePtr& exchange);
  void plan(const http::ExchangePtr& exchange);
  void install(const http::ExchangePtr& exchange);
  void list(const http::ExchangePtr& exchange);
  void add(const http::ExchangePtr& exchange);
  void refresh(const http::ExchangePtr& exchange);
  void refreshAll(const http::ExchangePtr& exchange);
  void remove(const http::ExchangePtr& exchange);
  /// Answers when the last one has ended.
  void refreshEach(const http::ExchangePtr& exchange, const std::vector<std::string>& names);

  std::shared_ptr<Marketplaces> marketplaces_;
  std::shared_ptr<InstallJobs> jobs_;
  plugins::IPluginManager& manager_;
  plugins::IManagedPlugins& plugins_;
  IMainExecutor& main_;
  std::vector<Handle> routes_;
};

}  // namespace svc::installs
