#include "svc/kernel/module.h"

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "svc/base/environment.h"
#include "svc/common/codes.h"
#include "svc/serverlink/server_link.h"

#include "agent_commands.h"

namespace {

using namespace svc;

class AgentdModule final : public Module {
 public:
  Status start(ModuleContext& context) override {
    auto link = context.services.require<serverlink::IServerLink>();
    if (!link) {
      return std::move(link).error();
    }
    if (context.config.getBoolean("agents.enabled")) {
      commands_ = std::make_unique<agentd::AgentCommands>(
          *link.value(), context.main, context.bulk_workers, context.clock,
          agentd::AgentCommands::Options{.own = base::currentEnvironment(),
                                         .bin = context.paths.bin,
                                         .runs = context.paths.data / "agents",
                                         .pictures = context.paths.data / "pictures",
                                         .skills = context.paths.data / "skills",
                                         .version = context.version});
    } else {
      refuse(*link.value());
    }
    return {};
  }

  void drain(Completion<void> done) override {
    if (commands_) {
      commands_->drain(std::move(done));
    } else {
      done({});
    }
  }

  void stop() override {
    commands_.reset();
    refusals_.clear();
  }

 private:
  void refuse(serverlink::IServerLink& link) {
    for (const auto type : agentd::agentCommandTypes()) {
      refusals_.push_back(link.onCommand(std::string(type), [](const std::string&,
                                                               Completion<std::string> done) {
        done(Error{errc::kForbidden, "agents are switched off on this machine (agents.enabled)"});
      }));
    }
  }

  std::vector<Handle> refusals_;
  std::unique_ptr<agentd::AgentCommands> commands_;
};

constexpr std::array<ServiceId, 0> kProvides{};
constexpr std::array kRequires{Requirement(serverlink::IServerLink::kId)};

}  // namespace

SVC_MODULE(AgentdModule, "agentd", "0.43.0", kProvides, kRequires, std::span<const ConfigKey>{});
