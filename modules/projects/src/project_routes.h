#pragma once

#include <vector>

#include "svc/http/http.h"

#include "clone_routes.h"
#include "place_check.h"
#include "project_registry.h"

namespace svc::projects {

/// /api/v1/projects and the sources below it. Requests arrive on the io thread; folders are looked at by their machines, and what
/// changes something is done on a worker. The collaborators outlive the routes and their jobs.
class ProjectRoutes {
 public:
  ProjectRoutes(IWorkerPool& workers, ProjectRegistry& registry, const PlaceCheck& places,
                CloneRoutes& clones)
      : workers_(workers), registry_(registry), places_(places), clones_(clones) {}
  [[nodiscard]] Status attach(http::IHttpServer& server);

 private:
  void list(const http::ExchangePtr& exchange);
  void show(const http::ExchangePtr& exchange);
  void create(const http::ExchangePtr& exchange);
  void update(const http::ExchangePtr& exchange);
  void remove(const http::ExchangePtr& exchange);
  void reorder(const http::ExchangePtr& exchange);
  void defaultOptions(const http::ExchangePtr& exchange);
  void addSource(const http::ExchangePtr& exchange);
  void editSource(const http::ExchangePtr& exchange);
  void removeSource(const http::ExchangePtr& exchange);
  /// Goes on, on a worker, when the folder is there.
  void withPlace(const http::ExchangePtr& exchange, Place place,
                 std::function<void(http::IExchange& later, const Place& place)> job);

  IWorkerPool& workers_;
  ProjectRegistry& registry_;
  const PlaceCheck& places_;
  CloneRoutes& clones_;
  http::IHttpServer* server_ = nullptr;  ///< whose other routes are asked
  std::vector<Handle> routes_;
};

}  // namespace svc::projects
