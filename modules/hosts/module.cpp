#include "svc/kernel/module.h"

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "svc/hosts/host_commands.h"
#include "svc/hosts/host_messages.h"
#include "svc/http/http.h"
#include "svc/installs/bundle_builder.h"
#include "svc/kernel/config_changes.h"
#include "svc/machines/host_registry.h"
#include "svc/plugins/plugins.h"

#include "artifact_route.h"
#include "artifact_step.h"
#include "clone_path.h"
#include "directory_routes.h"
#include "heap_limits.h"
#include "host_messages.h"
#include "host_rpc.h"
#include "hosts_part.h"
#include "loads.h"
#include "plugin_calls.h"
#include "plugin_events.h"
#include "plugin_host_route.h"
#include "session_routes.h"
#include "sessions.h"
#include "shared_ports.h"

namespace {

using namespace svc;

/// What lives on the io thread. Tasks hold it weakly; it ends there, too.
struct Core {
  Core(http::IReactor& reactor, IWorkerPool& workers, const IClock& clock,
       machines::IHostRegistry& registry, plugins::IPluginLogs& logs,
       const std::shared_ptr<spdlog::logger>& log)
      : sessions(std::make_shared<hosts::Sessions>(reactor, clock, registry, log)),
        rpc(std::make_shared<hosts::HostRpc>(reactor, workers, clock, registry, *sessions)),
        calls(std::make_shared<hosts::PluginCalls>(loads, *rpc, *sessions)),
        ports(std::make_shared<hosts::SharedPorts>(*sessions)),
        messages(reactor, *sessions),
        events(loads, logs) {
    sessions->listen(*rpc);
    sessions->listen(*calls);
    sessions->listen(events);
    sessions->listen(messages);
  }

  hosts::Loads loads;
  std::shared_ptr<hosts::Sessions> sessions;
  std::shared_ptr<hosts::HostRpc> rpc;
  std::shared_ptr<hosts::PluginCalls> calls;
  std::shared_ptr<hosts::SharedPorts> ports;
  hosts::HostMessages messages;
  hosts::PluginEvents events;
};

class HostsModule final : public Module {
 public:
  Status start(ModuleContext& context) override {
    auto server = context.services.require<http::IHttpServer>();
    auto reactor = context.services.require<http::IReactor>();
    auto api = context.services.require<plugins::IPluginApi>();
    auto logs = context.services.require<plugins::IPluginLogs>();
    auto manager = context.services.require<plugins::IPluginManager>();
    auto registry = context.services.require<machines::IHostRegistry>();
    for (const Error* missing : {errorOf(server), errorOf(reactor), errorOf(api), errorOf(logs),
                                 errorOf(manager), errorOf(registry)}) {
      if (missing != nullptr) {
        return *missing;
      }
    }
    main_ = &context.main;
    reactor_ = reactor.value();
    core_ = std::make_shared<Core>(*reactor_, context.workers, context.clock, *registry.value(),
                                   *logs.value(), context.log);
    step_ = std::make_shared<hosts::ArtifactStep>(context.main, context.workers);
    plugIn(*api.value(), *registry.value());
    follow(*manager.value(), *registry.value());
    followLimits(context);
    session_routes_.emplace(hosts::SessionRoutes::With{.registry = *registry.value(),
                                                       .sessions = *core_->sessions,
                                                       .loads = core_->loads,
                                                       .ports = *core_->ports,
                                                       .log = context.log});
    artifact_route_.emplace(*registry.value(), core_->loads, context.workers);
    directory_routes_.emplace(*core_->rpc);
    clone_path_.emplace(*core_->rpc);
    plugin_host_route_.emplace(*manager.value(), *reactor_,
                               std::shared_ptr<const hosts::Loads>(core_, &core_->loads));
    for (auto status :
         {session_routes_->attach(*server.value()), artifact_route_->attach(*server.value()),
          directory_routes_->attach(*server.value()), clone_path_->attach(*server.value()),
          plugin_host_route_->attach(*server.value())}) {
      if (!status) {
        return status;
      }
    }
    for (auto provided :
         {context.services.provide<hosts::IHostCommands>(*core_->rpc, "hosts"),
          context.services.provide<hosts::IHostMessages>(core_->messages, "hosts")}) {
      if (!provided) {
        return provided;
      }
    }
    return {};
  }

  void drain(Completion<void> done) override {
    auto held = std::make_shared<Completion<void>>(std::move(done));
    reactor_->post([core = core_, main = main_, held] {
      core->sessions->shutDown();
      main->post([held] { (*held)({}); });
    });
  }

  void stop() override {
    plugin_host_route_.reset();
    clone_path_.reset();
    directory_routes_.reset();
    artifact_route_.reset();
    session_routes_.reset();
    handles_.clear();
    step_.reset();
    if (reactor_ != nullptr) {
      reactor_->post([core = std::move(core_)] {});
    }
  }

 private:
  template <class T>
  static const Error* errorOf(const Result<T>& result) {
    return result ? nullptr : &result.error();
  }

  /// Runs on the io thread what needs the core.
  template <class Task>
  void onCore(Task task) {
    reactor_->post([weak = std::weak_ptr(core_), task = std::move(task)] {
      if (const auto core = weak.lock()) {
        task(*core);
      }
    });
  }

  void plugIn(plugins::IPluginApi& api, machines::IHostRegistry& registry) {
    handles_.push_back(api.addPart(hosts::hostsPart({.reactor = *reactor_,
                                                     .registry = registry,
                                                     .calls = core_->calls,
                                                     .ports = core_->ports})));
    handles_.push_back(
        api.addArtifactStep([step = step_](const plugins::ArtifactRequest& request,
                                           Completion<std::vector<plugins::DevProblem>> done) {
          step->run(request, std::move(done));
        }));
    handles_.push_back(api.addCommitStep([this](const plugins::GenerationPtr& generation) {
      onCore([generation, artifact = step_->take(*generation)](Core& core) {
        core.loads.commit(generation, artifact);
        core.ports->commit(generation->pluginId(), generation->loadId());
      });
    }));
    handles_.push_back(
        api.addDisposeStep(plugins::DisposePhase::kDisposeHostWorker,
                           [this](const plugins::GenerationPtr& generation, Completion<void> done) {
                             auto held = std::make_shared<Completion<void>>(std::move(done));
                             onCore([load_id = generation->loadId(), held](Core& core) {
                               core.ports->withdraw(load_id);
                               core.calls->dispose(load_id, std::move(*held));
                             });
                           }));
  }

  void follow(plugins::IPluginManager& manager, machines::IHostRegistry& registry) {
    handles_.push_back(manager.onChanged([this](const std::vector<plugins::PluginRecord>& records) {
      std::set<std::string> ids;
      std::map<std::string, std::uint64_t> numbers;
      for (const auto& record : records) {
        ids.insert(record.id);
        numbers[record.id] = static_cast<std::uint64_t>(record.generation);
      }
      step_->keepOnly(ids);
      onCore([numbers](Core& core) { core.loads.setNumbers(numbers); });
    }));
    handles_.push_back(registry.onRemoved(
        [reactor = reactor_, weak = std::weak_ptr(core_)](const std::string& id) {
          reactor->post([weak, id] {
            if (const auto core = weak.lock()) {
              core->sessions->remove(id);
            }
          });
        }));
  }

  void followLimits(ModuleContext& context) {
    core_->calls->setHeapLimits(hosts::HeapLimits(context.config));
    if (auto* changes = context.services.optional<IConfigChanges>()) {
      handles_.push_back(changes->add(
          {.keys = {"plugins.heapMiB", "plugins.overrides"}, .apply = [this](const IConfig& now) {
             onCore([given = hosts::HeapLimits(now)](Core& core) {
               core.calls->setHeapLimits(given);
             });
           }}));
    }
  }

  IMainExecutor* main_ = nullptr;
  http::IReactor* reactor_ = nullptr;
  std::shared_ptr<Core> core_;
  std::shared_ptr<hosts::ArtifactStep> step_;
  std::optional<hosts::SessionRoutes> session_routes_;
  std::optional<hosts::ArtifactRoute> artifact_route_;
  std::optional<hosts::DirectoryRoutes> directory_routes_;
  std::optional<hosts::ClonePath> clone_path_;
  std::optional<hosts::PluginHostRoute> plugin_host_route_;
  std::vector<Handle> handles_;
};

constexpr std::array kProvides{hosts::IHostCommands::kId, hosts::IHostMessages::kId};
constexpr std::array kRequires{
    Requirement(http::IHttpServer::kId),
    Requirement(http::IReactor::kId),
    Requirement(plugins::IPluginApi::kId),
    Requirement(plugins::IPluginLogs::kId),
    Requirement(plugins::IPluginManager::kId),
    Requirement(machines::IHostRegistry::kId),
    // Its provider builds host bundles in load step 4, before this module reads them.
    Requirement(installs::IBundleBuilder::kId, true),
};

}  // namespace

SVC_MODULE(HostsModule, "hosts", "0.43.0", kProvides, kRequires, std::span<const ConfigKey>{});
