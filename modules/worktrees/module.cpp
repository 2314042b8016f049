#include "svc/kernel/module.h"

#include <array>
#include <memory>
#include <span>

#include "svc/base/environment.h"
#include "svc/serverlink/server_link.h"

#include "git_commands.h"
#include "long_jobs.h"
#include "place_commands.h"

namespace {

using namespace svc;

class WorktreesModule final : public Module {
 public:
  Status start(ModuleContext& context) override {
    auto link = context.services.require<serverlink::IServerLink>();
    if (!link) {
      return std::move(link).error();
    }
    jobs_ = std::make_unique<worktrees::LongJobs>();
    commands_ = std::make_unique<worktrees::GitCommands>(context.bulk_workers, *jobs_,
                                                         base::currentEnvironment());
    commands_->attach(*link.value());
    places_ = std::make_unique<worktrees::PlaceCommands>(*jobs_, *commands_, context.paths.data,
                                                         context.paths.bin);
    places_->attach(*link.value());
    return {};
  }

  void stop() override {
    jobs_.reset();
    places_.reset();
    commands_.reset();
  }

 private:
  std::unique_ptr<worktrees::LongJobs> jobs_;
  std::unique_ptr<worktrees::GitCommands> commands_;
  std::unique_ptr<worktrees::PlaceCommands> places_;
};

constexpr std::array<ServiceId, 0> kProvides{};
constexpr std::array kRequires{Requirement(serverlink::IServerLink::kId)};

}  // namespace

SVC_MODULE(WorktreesModule, "worktrees", "0.43.0", kProvides, kRequires,
           std::span<const ConfigKey>{});
