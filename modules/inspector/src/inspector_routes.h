#pragma once

#include <memory>
#include <string>
#include <vector>

#include "svc/http/http.h"
#include "svc/kernel/executor.h"
#include "svc/plugins/plugins.h"

#include "snapshots.h"

namespace svc::inspector {

/// Looking into one plugin:
///   POST, DELETE /api/v1/plugins/:id/inspector       opens (`{ url, devtoolsUrl }`) and closes its inspector
///   POST /api/v1/plugins/:id/profile `{ seconds }`   `{ profile }`, the content of a .cpuprofile
///   POST /api/v1/plugins/:id/heap-snapshot           the bytes of a .heapsnapshot, not wrapped
/// Requests arrive on the io thread; files are read on workers.
class InspectorRoutes {
 public:
  InspectorRoutes(plugins::ILoadedPlugins& loaded, IWorkerPool& workers,
                  std::shared_ptr<Snapshots> snapshots)
      : loaded_(loaded), workers_(workers), snapshots_(std::move(snapshots)) {}
  [[nodiscard]] Status attach(http::IHttpServer& server);

 private:
  void open(const http::ExchangePtr& exchange);
  void close(const http::ExchangePtr& exchange);
  void profile(const http::ExchangePtr& exchange);
  void heap(const http::ExchangePtr& exchange);

  plugins::ILoadedPlugins& loaded_;
  IWorkerPool& workers_;
  std::shared_ptr<Snapshots> snapshots_;
  std::vector<Handle> routes_;
};

}  // namespace svc::inspector
