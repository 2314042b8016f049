#include "svc/kernel/module.h"

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "svc/http/http.h"
#include "svc/plugins/plugins.h"

#include "agent_tools.h"
#include "agents_part.h"
#include "counterparts.h"
#include "dispatch_hooks.h"
#include "form_pages.h"
#include "mentions.h"
#include "plugin_events.h"
#include "provider_check.h"
#include "tool_routes.h"

namespace {

using namespace svc;
using plugins::DisposePhase;
using plugins::GenerationPtr;

class AgentsModule final : public Module {
 public:
  Status start(ModuleContext& context) override {
    auto server = context.services.require<http::IHttpServer>();
    auto reactor = context.services.require<http::IReactor>();
    auto loaded = context.services.require<plugins::ILoadedPlugins>();
    auto api = context.services.require<plugins::IPluginApi>();
    auto manager = context.services.require<plugins::IPluginManager>();
    for (const Error* missing :
         {errorOf(server), errorOf(reactor), errorOf(loaded), errorOf(api), errorOf(manager)}) {
      if (missing != nullptr) {
        return *missing;
      }
    }
    counterparts_ = std::make_shared<agents::Counterparts>();
    // Whoever removes machines tells of it through IPluginEvents.
    handles_.push_back(counterparts_->serve({R"(events.on("experimental_host.deleted"))"}));
    thread_forms_ = std::make_shared<agents::ThreadForms>();
    providers_ = std::make_shared<agents::ProviderCheck>(
        *loaded.value(), [counterparts = counterparts_](const std::string& provider_id) {
          return counterparts->isReserved(provider_id);
        });
    tools_ = std::make_shared<agents::AgentTools>(*loaded.value(), context.main, context.clock);
    hooks_ = std::make_shared<agents::DispatchHooks>(*loaded.value(), context.main);
    event_handlers_ = std::make_shared<agents::EventHandlers>();
    events_ = std::make_shared<agents::PluginEvents>(*loaded.value(), event_handlers_);
    mentions_.emplace(*loaded.value(), *reactor.value());
    mention_route_.emplace(*mentions_);
    form_pages_ = std::make_shared<agents::FormPages>();
    tool_routes_.emplace(*loaded.value(), *reactor.value(), context.main, context.clock, tools_,
                         form_pages_);
    plugIn(*api.value(), context.main);
    handles_.push_back(manager.value()->onChanged(
        [tools = tools_](const std::vector<plugins::PluginRecord>& records) {
          tools->recordsChanged(records);
        }));
    if (auto status = mention_route_->attach(*server.value()); !status) {
      return status;
    }
    if (auto status = tool_routes_->attach(*server.value()); !status) {
      return status;
    }
    return offer(context.services);
  }

  void stop() override {
    tool_routes_.reset();
    mention_route_.reset();
    handles_.clear();
    mentions_.reset();
    events_.reset();
    event_handlers_.reset();
    hooks_.reset();
    tools_.reset();
    providers_.reset();
    form_pages_.reset();
    thread_forms_.reset();
    counterparts_.reset();
  }

 private:
  template <class T>
  static const Error* errorOf(const Result<T>& result) {
    return result ? nullptr : &result.error();
  }

  void plugIn(plugins::IPluginApi& api, IMainExecutor& main) {
    handles_.push_back(api.addPart(agents::agentsPart(
        providers_, tools_->calls(), counterparts_, thread_forms_, event_handlers_,
        [&main, weak = std::weak_ptr(hooks_)](const std::string& plugin_id) {
          main.post([weak, plugin_id] {
            if (const auto hooks = weak.lock()) {
              hooks->recheck(plugin_id);
            }
          });
        },
        [weak = std::weak_ptr(tools_)] {
          if (const auto tools = weak.lock()) {
            tools->registrationChanged();
          }
        })));
    handles_.push_back(api.addPrepareCheck(
        [providers = providers_](const GenerationPtr& generation, Completion<void> done) {
          done(providers->prepare(generation));
        }));
    handles_.push_back(api.addDisposeStep(
        DisposePhase::kAbortToolCalls, [tools = tools_, providers = providers_](
                                           const GenerationPtr& generation, Completion<void> done) {
          providers->release(*generation);
          tools->abortCalls(generation, std::move(done));
        }));
    handles_.push_back(api.addDisposeStep(
        DisposePhase::kDrainInvocations,
        [calls = tools_->calls()](const GenerationPtr& generation, Completion<void> done) {
          calls->whenOver(generation, std::move(done));
        }));
  }

  Status offer(ServiceRegistry& services) {
    constexpr std::string_view kName = "agents";
    for (auto status : {services.provide<agents::IAgentTools>(*tools_, kName),
                        services.provide<agents::IToolStats>(tools_->calls()->meters(), kName),
                        services.provide<agents::ICounterparts>(*counterparts_, kName),
                        services.provide<agents::IDispatchHooks>(*hooks_, kName),
                        services.provide<agents::IMentionProviders>(*mentions_, kName),
                        services.provide<agents::IPluginEvents>(*events_, kName),
                        services.provide<agents::IThreadForms>(*thread_forms_, kName),
                        services.provide<agents::IFormPages>(*form_pages_, kName)}) {
      if (!status) {
        return status;
      }
    }
    return {};
  }

  std::shared_ptr<agents::Counterparts> counterparts_;
  std::shared_ptr<agents::ThreadForms> thread_forms_;
  std::shared_ptr<agents::FormPages> form_pages_;
  std::shared_ptr<agents::ProviderCheck> providers_;
  std::shared_ptr<agents::AgentTools> tools_;
  std::shared_ptr<agents::DispatchHooks> hooks_;
  std::shared_ptr<agents::EventHandlers> event_handlers_;
  std::shared_ptr<agents::PluginEvents> events_;
  std::optional<agents::Mentions> mentions_;
  std::optional<agents::MentionRoute> mention_route_;
  std::optional<agents::ToolRoutes> tool_routes_;
  std::vector<Handle> handles_;
};

constexpr std::array kProvides{agents::IAgentTools::kId,       agents::IToolStats::kId,
                               agents::ICounterparts::kId,     agents::IDispatchHooks::kId,
                               agents::IMentionProviders::kId, agents::IPluginEvents::kId,
                               agents::IThreadForms::kId,      agents::IFormPages::kId};
constexpr std::array kRequires{
    Requirement(http::IHttpServer::kId),       Requirement(http::IReactor::kId),
    Requirement(plugins::ILoadedPlugins::kId), Requirement(plugins::IPluginApi::kId),
    Requirement(plugins::IPluginManager::kId),
};

}  // namespace

SVC_MODULE(AgentsModule, "agents", "0.43.0", kProvides, kRequires, std::span<const ConfigKey>{});
