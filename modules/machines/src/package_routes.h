#pragma once

#include <string>
#include <vector>

#include "svc/http/http.h"

#include "daemon_package.h"
#include "registry.h"

namespace svc::machines {

/// /internal/daemon-package: what a daemon that is too old fetches, with the key of its host. Requests arrive on the io thread;
/// bytes are read on workers. The collaborators outlive the routes and their jobs.
class PackageRoutes {
 public:
  PackageRoutes(IWorkerPool& workers, Registry& registry, DaemonPackage& package,
                std::string version)
      : workers_(workers), registry_(registry), package_(package), version_(std::move(version)) {}
  [[nodiscard]] Status attach(http::IHttpServer& server);

 private:
  void describe(const http::ExchangePtr& exchange);
  void send(const http::ExchangePtr& exchange);

  IWorkerPool& workers_;
  Registry& registry_;
  DaemonPackage& package_;
  const std::string version_;
  std::vector<Handle> routes_;
};

}  // namespace svc::machines
