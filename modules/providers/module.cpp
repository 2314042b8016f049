#include "svc/kernel/module.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "svc/agents/agent_tools.h"
#include "svc/agents/counterparts.h"
#include "svc/hosts/host_commands.h"
#include "svc/hosts/host_messages.h"
#include "svc/http/http.h"
#include "svc/kernel/config_changes.h"
#include "svc/machines/host_registry.h"
#include "svc/mcp/thread_tokens.h"
#include "svc/plugins/plugins.h"
#include "svc/projects/attachments.h"
#include "svc/projects/projects.h"
#include "svc/providers/agent_sessions.h"
#include "svc/realtime/realtime.h"
#include "svc/skills/skills.h"

#include "agent_config.h"
#include "catalogue.h"
#include "command_routes.h"
#include "outfitter.h"
#include "provider_record.h"
#include "provider_routes.h"
#include "sessions.h"

namespace {

using namespace svc;

class ProvidersModule final : public Module {
 public:
  Status start(ModuleContext& context) override {
    auto server = context.services.require<http::IHttpServer>();
    auto reactor = context.services.require<http::IReactor>();
    auto commands = context.services.require<hosts::IHostCommands>();
    auto messages = context.services.require<hosts::IHostMessages>();
    auto machines = context.services.require<machines::IHostRegistry>();
    for (const Error* missing : {errorOf(server), errorOf(reactor), errorOf(commands),
                                 errorOf(messages), errorOf(machines)}) {
      if (missing != nullptr) {
        return *missing;
      }
    }
    reactor_ = reactor.value();
    catalogue_ = std::make_shared<providers::Catalogue>(providers::Catalogue::With{
        .commands = *commands.value(),
        .machines = *machines.value(),
        .declared = declarations(context.services.optional<plugins::ILoadedPlugins>()),
        .changed = [hub = context.services.optional<realtime::IRealtimeHub>()] {
          if (hub != nullptr) {
            hub->changed({.entity = "system", .kinds = {"provider-registrations-changed"}});
          }
        }});
    sessions_ = std::make_shared<providers::Sessions>(providers::Sessions::With{
        .reactor = *reactor_,
        .commands = *commands.value(),
        .messages = *messages.value(),
        .machines = *machines.value(),
        .catalogue = catalogue_,
        .outfitter = outfitter(context, *server.value(), *machines.value()),
        .workers = context.workers,
        .attachments = context.services.optional<projects::IAttachments>()});
    if (auto configured = configure(context.config); !configured) {
      return configured;
    }
    followConfig(context);
    // Sessions come first: nothing of earlier ones is told before they are named.
    listening_.push_back(messages.value()->listen(*sessions_));
    listening_.push_back(messages.value()->listen(*catalogue_));
    if (auto* counterparts = context.services.optional<agents::ICounterparts>()) {
      served_ = counterparts->serve(
          {"providers.register", "agents.configure", "agents.contributeInstructions"});
      reserved_ = counterparts->reserve([catalogue = catalogue_](const std::string& provider_id) {
        return catalogue->isConfigured(provider_id);
      });
    }
    routes_.emplace(providers::ProviderRoutes::With{
        .catalogue = catalogue_, .machines = *machines.value(), .server = *server.value()});
    if (auto attached = routes_->attach(); !attached) {
      return attached;
    }
    command_routes_.emplace(
        providers::CommandRoutes::With{.catalogue = catalogue_, .server = *server.value()});
    if (auto attached = command_routes_->attach(); !attached) {
      return attached;
    }
    return context.services.provide<providers::IAgentSessions>(*sessions_, "providers");
  }

  void stop() override {
    command_routes_.reset();
    routes_.reset();
    followed_.reset();
    reserved_.reset();
    served_.reset();
    listening_.clear();
    // Its timers are on that thread.
    if (sessions_) {
      reactor_->post([sessions = std::move(sessions_), catalogue = std::move(catalogue_)] {
        sessions->end();
      });
    }
  }

 private:
  template <class T>
  static const Error* errorOf(const Result<T>& result) {
    return result ? nullptr : &result.error();
  }

  std::shared_ptr<providers::Outfitter> outfitter(ModuleContext& context, http::IHttpServer& server,
                                                  machines::IHostRegistry& machines) const {
    auto& services = context.services;
    return std::make_shared<providers::Outfitter>(providers::Outfitter::With{
        .main = context.main,
        .workers = context.bulk_workers,
        .server = server,
        .machines = machines,
        .projects = services.optional<projects::IProjects>(),
        .tools = services.optional<agents::IAgentTools>(),
        .tokens = services.optional<mcp::IThreadTokens>(),
        .skills = services.optional<skills::ISkills>(),
        .capabilities =
            [catalogue = catalogue_](const std::string& provider_id, const std::string& host_id) {
              for (const auto& offer : catalogue->list(host_id)) {
                if (offer.id == provider_id) {
                  return providers::toRecord(offer)["capabilities"];
                }
              }
              return common::Json::object();
            },
        .stages =
            std::make_shared<skillfiles::SkillStages>(context.paths.data / "runtime" / "skills"),
        .data_directory = context.paths.data.string()});
  }

  static std::function<std::vector<std::pair<std::string, common::Json>>()> declarations(
      plugins::ILoadedPlugins* loaded) {
    return [loaded] {
      std::vector<std::pair<std::string, common::Json>> out;
      if (loaded != nullptr) {
        for (const auto& generation : loaded->all()) {
          const auto declared = generation->registration("providers");
          for (const auto& each : declared.items()) {
            out.emplace_back(generation->pluginId(), each);
          }
        }
      }
      return out;
    };
  }

  Status configure(const IConfig& config) {
    auto agents = providers::readAgents(config.getJson(providers::kAgentsKey));
    if (!agents) {
      return std::move(agents).error();
    }
    catalogue_->configure(std::move(agents).value());
    return {};
  }

  void followConfig(ModuleContext& context) {
    if (auto* changes = context.services.optional<IConfigChanges>()) {
      followed_ = changes->add({.keys = {std::string(providers::kAgentsKey)},
                                .apply = [this](const IConfig& now) { (void)configure(now); }});
    }
  }

  http::IReactor* reactor_ = nullptr;
  std::shared_ptr<providers::Catalogue> catalogue_;
  std::shared_ptr<providers::Sessions> sessions_;
  std::vector<Handle> listening_;
  Handle followed_;
  Handle served_;
  Handle reserved_;
  std::optional<providers::ProviderRoutes> routes_;
  std::optional<providers::CommandRoutes> command_routes_;
};

constexpr std::array kProvides{providers::IAgentSessions::kId};
constexpr std::array kRequires{
    Requirement(http::IHttpServer::kId),
    Requirement(http::IReactor::kId),
    Requirement(hosts::IHostCommands::kId),
    Requirement(hosts::IHostMessages::kId),
    Requirement(machines::IHostRegistry::kId),
    Requirement(plugins::ILoadedPlugins::kId, true),
    Requirement(agents::ICounterparts::kId, true),
    Requirement(agents::IAgentTools::kId, true),
    Requirement(mcp::IThreadTokens::kId, true),
    Requirement(projects::IProjects::kId, true),
    Requirement(projects::IAttachments::kId, true),
    Requirement(skills::ISkills::kId, true),
    Requirement(realtime::IRealtimeHub::kId, true),
};
constexpr std::array kConfig{
    ConfigKey{providers::kAgentsKey, ConfigType::kJson, "{}",
              "agents of machines by id: { command, args?, env?, displayName?, hosts? }",
              providers::checkAgents},
};

}  // namespace

SVC_MODULE(ProvidersModule, "providers", "0.43.0", kProvides, kRequires, kConfig);
