#pragma once

#include "svc/http/http.h"
#include "svc/machines/host_registry.h"

#include "loads.h"

namespace svc::hosts {

/// `GET /internal/plugins/:id/host/:sha256`: the bytes of a host entry, for daemons. Runs on the io thread; large bodies are
/// copied on a worker.
class ArtifactRoute {
 public:
  ArtifactRoute(machines::IHostRegistry& registry, const Loads& loads, IWorkerPool& workers)
      : registry_(registry), loads_(loads), workers_(workers) {}

  [[nodiscard]] Status attach(http::IHttpServer& server);

 private:
  void serve(const http::ExchangePtr& exchange) const;

  machines::IHostRegistry& registry_;
  const Loads& loads_;
  IWorkerPool& workers_;
  Handle route_;
};

}  // namespace svc::hosts
