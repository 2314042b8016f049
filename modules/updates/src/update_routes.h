#pragma once

#include <memory>
#include <vector>

#include "svc/http/http.h"

#include "update_checks.h"
#include "updater.h"

namespace svc::updates {

/// POST /api/v1/plugins/updates/check, GET /api/v1/plugins/updates, POST /api/v1/plugins/:id/update, GET and POST
/// /api/v1/plugins/:id/rollback. Requests arrive on the io thread, everything else is on the main thread.
class UpdateRoutes {
 public:
  UpdateRoutes(IMainExecutor& main, std::shared_ptr<UpdateChecks> checks,
               std::shared_ptr<Updater> updater)
      : main_(main), checks_(std::move(checks)), updater_(std::move(updater)) {}
  [[nodiscard]] Status attach(http::IHttpServer& server);

 private:
  void check(const http::ExchangePtr& exchange);
  void list(const http::ExchangePtr& exchange);
  void apply(const http::ExchangePtr& exchange);
  void rollbackTarget(const http::ExchangePtr& exchange);
  void rollBack(const http::ExchangePtr& exchange);

  IMainExecutor& main_;
  std::shared_ptr<UpdateChecks> checks_;
  std::shared_ptr<Updater> updater_;
  std::vector<Handle> routes_;
};

}  // namespace svc::updates
