#pragma once

#include <functional>
#include <string>
#include <vector>

#include "svc/http/http.h"

#include "machine_commands.h"
#include "project_registry.h"

namespace svc::projects {

/// What is in the folders of projects: their files, without those that git ignores, and their branches. Requests and the answers of
/// machines arrive on the io thread. The collaborators outlive the routes.
class ContentRoutes {
 public:
  ContentRoutes(IWorkerPool& workers, ProjectRegistry& registry, const MachineCommands& machines)
      : workers_(workers), registry_(registry), machines_(machines) {}
  [[nodiscard]] Status attach(http::IHttpServer& server);

 private:
  using Answer = std::function<common::Json(const common::Json& paths)>;

  void files(const http::ExchangePtr& exchange);
  void paths(const http::ExchangePtr& exchange);
  void fileContent(const http::ExchangePtr& exchange);
  void branches(const http::ExchangePtr& exchange);
  /// What git lists, or in no repository the file system.
  void listed(const http::ExchangePtr& exchange, const Place& place, common::Json query,
              Answer answer);
  /// The remote of the default source becomes the project's.
  void noteRemote(const std::string& project_id, const Place& place);

  IWorkerPool& workers_;
  ProjectRegistry& registry_;
  const MachineCommands& machines_;
  std::vector<Handle> routes_;
};

}  // namespace svc::projects
