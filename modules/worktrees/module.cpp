#include "svc/kernel/module.h"

#include <array>
#include <memory>
#include <span>

#include "svc/base/environment.h"
#include "svc/serverlink/server_link.h"

#include "adopted_worktrees.h"
#include "git_commands.h"
#include "leftovers.h"
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
    const auto environment = base::currentEnvironment();
    const auto home = environment.find("HOME");
    auto roots = context.config.getStringList("files.roots");
    if (!roots.empty()) {
      // What the daemon makes for threads is its own.
      roots.push_back((context.paths.data / "personal").string());
      roots.push_back((context.paths.data / "worktrees").string());
    }
    worktrees::adoptWorktrees(context.paths.data / "worktrees", *context.log);
    jobs_ = std::make_unique<worktrees::LongJobs>();
    leftovers_ = std::make_unique<worktrees::Leftovers>(context.paths.data);
    commands_ = std::make_unique<worktrees::GitCommands>(
        context.bulk_workers, *jobs_, *leftovers_, environment,
        base::PathBounds(home == environment.end() ? "/" : home->second, roots));
    commands_->attach(*link.value());
    // Who lets no agent work here lets no repository run what is in it either.
    places_ = std::make_unique<worktrees::PlaceCommands>(
        *jobs_, *commands_, *leftovers_, context.paths.data, context.paths.bin,
        context.config.getBoolean("agents.enabled"));
    places_->attach(*link.value());
    return {};
  }

  void stop() override {
    jobs_.reset();
    places_.reset();
    commands_.reset();
    leftovers_.reset();
  }

 private:
  std::unique_ptr<worktrees::Leftovers> leftovers_;
  std::unique_ptr<worktrees::LongJobs> jobs_;
  std::unique_ptr<worktrees::GitCommands> commands_;
  std::unique_ptr<worktrees::PlaceCommands> places_;
};

constexpr std::array<ServiceId, 0> kProvides{};
constexpr std::array kRequires{Requirement(serverlink::IServerLink::kId)};

}  // namespace

SVC_MODULE(WorktreesModule, "worktrees", "0.43.0", kProvides, kRequires,
           std::span<const ConfigKey>{});
