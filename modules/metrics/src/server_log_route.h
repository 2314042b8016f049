#pragma once

#include <memory>

#include "svc/http/http.h"
#include "svc/kernel/executor.h"

#include "server_log.h"

namespace svc::metrics {

/// `GET /api/v1/system/log`: lines of the server's log, those of its plugins among them. Requests arrive on io; the files are read on a
/// worker.
class ServerLogRoute {
 public:
  ServerLogRoute(IWorkerPool& workers, std::filesystem::path directory)
      : workers_(workers), log_(std::make_shared<const ServerLog>(std::move(directory))) {}

  [[nodiscard]] Status attach(http::IHttpServer& server);

 private:
  void answer(const http::ExchangePtr& exchange);

  IWorkerPool& workers_;
  std::shared_ptr<const ServerLog> log_;  ///< shared with a job that outlives the module's stop
  Handle route_;
};

}  // namespace svc::metrics
