#pragma once

#include <memory>
#include <string>
#include <vector>

#include <spdlog/logger.h>

#include "svc/http/http.h"

#include "refusals.h"
#include "registry.h"

namespace svc::machines {

/// POST /internal/hosts/enroll-key and /internal/hosts/enroll: how a daemon gets its host key. Requests arrive on the io thread
/// and are answered on a worker. The collaborators outlive the routes and their jobs.
class EnrollRoutes {
 public:
  EnrollRoutes(IWorkerPool& workers, Registry& registry, const IClock& clock,
               std::shared_ptr<spdlog::logger> log)
      : workers_(workers), registry_(registry), refusals_(clock), log_(std::move(log)) {}
  [[nodiscard]] Status attach(http::IHttpServer& server);

 private:
  void enrollKey(const http::ExchangePtr& exchange);
  void enroll(const http::ExchangePtr& exchange);
  /// Answers an enrollment that is not allowed.
  void refuse(http::IExchange& exchange, const std::string& peer, const std::string& key_hash,
              const Error& error);

  IWorkerPool& workers_;
  Registry& registry_;
  Refusals refusals_;
  const std::shared_ptr<spdlog::logger> log_;
  std::vector<Handle> routes_;
};

}  // namespace svc::machines
