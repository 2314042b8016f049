#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "svc/http/http.h"

#include "machine_commands.h"
#include "project_registry.h"

namespace svc::projects {

/// Sources that are cloned to a machine: the request for one is answered when all of it is there. GET /api/v1/projects/:projectId/clones
/// says how far those are that run, DELETE …/clones/:cloneId ends one. Thread-safe; answers of machines arrive on the io thread. The
/// collaborators outlive the routes and the workers' jobs.
class CloneRoutes {
 public:
  struct With {
    IWorkerPool& workers;
    ProjectRegistry& registry;
    const MachineCommands& machines;
    const IClock& clock;
  };
  explicit CloneRoutes(With with) : with_(with) {}
  [[nodiscard]] Status attach(http::IHttpServer& server);

  /// A request for a source of type "clone" of a project that may be changed.
  void begin(const http::ExchangePtr& exchange);

 private:
  struct Clone {
    std::string id;
    std::string project_id;
    std::string remote_url;
    Place place;
    std::int64_t started_at = 0;
  };
  struct Running {
    std::mutex mutex;
    std::map<std::string, Clone> all;
  };

  void list(const http::ExchangePtr& exchange);
  void cancel(const http::ExchangePtr& exchange);
  /// Asks where, when the request does not say.
  void locate(const http::ExchangePtr& exchange, Clone clone);
  void start(const http::ExchangePtr& exchange, const Clone& clone);
  [[nodiscard]] Result<Clone> read(const http::Request& request) const;
  [[nodiscard]] std::vector<Clone> of(std::string_view project_id) const;

  const With with_;
  http::IHttpServer* server_ = nullptr;
  const std::shared_ptr<Running> running_ = std::make_shared<Running>();
  std::vector<Handle> routes_;
};

}  // namespace svc::projects
