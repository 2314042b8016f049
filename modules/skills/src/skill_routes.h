#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "svc/http/http.h"
#include "svc/kernel/executor.h"
#include "svc/machines/host_registry.h"

#include "changes.h"
#include "skill_shelf.h"

namespace svc::skills {

/// `/skills…` of the API, and the trees that daemons fetch. Requests come on io; the catalogue is asked on main, files are read and
/// written on workers.
class SkillRoutes {
 public:
  struct Collaborators {
    IMainExecutor& main;
    IWorkerPool& workers;
    std::shared_ptr<SkillShelf> shelf;
    /// Without machines nobody but clients fetches trees.
    machines::IHostRegistry* hosts = nullptr;
  };

  explicit SkillRoutes(Collaborators collaborators);
  [[nodiscard]] Status attach(http::IHttpServer& server);

 private:
  struct State;

  std::shared_ptr<State> state_;
  std::vector<Handle> routes_;
};

/// A skill as the contract shows it.
[[nodiscard]] common::Json toJson(const Skill& skill);
[[nodiscard]] common::Json toJson(const Catalogue& catalogue);

}  // namespace svc::skills
