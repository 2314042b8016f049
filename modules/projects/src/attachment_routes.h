#pragma once

#include <functional>
#include <vector>

#include "svc/http/http.h"

#include "attachments.h"
#include "project_registry.h"

namespace svc::projects {

/// /api/v1/projects/:projectId/attachments. Files are read and written on a bulk worker. The collaborators outlive the routes and
/// their jobs.
class AttachmentRoutes {
 public:
  AttachmentRoutes(IBulkWorkers& workers, const ProjectRegistry& registry,
                   const Attachments& attachments)
      : workers_(workers), registry_(registry), attachments_(attachments) {}
  [[nodiscard]] Status attach(http::IHttpServer& server);

 private:
  void upload(const http::ExchangePtr& exchange);
  void read(const http::ExchangePtr& exchange);
  void copy(const http::ExchangePtr& exchange);
  void later(const http::ExchangePtr& exchange, std::function<void(http::IExchange&)> job);

  IBulkWorkers& workers_;
  const ProjectRegistry& registry_;
  const Attachments& attachments_;
  std::vector<Handle> routes_;
};

}  // namespace svc::projects
