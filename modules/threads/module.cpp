#include "svc/kernel/module.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "svc/agents/agent_tools.h"
#include "svc/agents/counterparts.h"
#include "svc/agents/dispatch_hooks.h"
#include "svc/agents/mention_providers.h"
#include "svc/agents/plugin_events.h"
#include "svc/agents/thread_forms.h"
#include "svc/common/codes.h"
#include "svc/environments/environments.h"
#include "svc/hostprotocol/agent_limits.h"
#include "svc/hosts/host_messages.h"
#include "svc/http/http.h"
#include "svc/http/ready_problem.h"
#include "svc/kernel/config_changes.h"
#include "svc/kernel/config_rules.h"
#include "svc/machines/host_registry.h"
#include "svc/mcp/late_results.h"
#include "svc/plugins/plugins.h"
#include "svc/projects/projects.h"
#include "svc/providers/agent_sessions.h"
#include "svc/realtime/realtime.h"
#include "svc/storage/thread_store.h"
#include "svc/threads/threads.h"

#include "announcer.h"
#include "detached_calls.h"
#include "kept_timelines.h"
#include "known_threads.h"
#include "live_journal.h"
#include "plugin_forms.h"
#include "thread_record.h"
#include "thread_routes.h"
#include "thread_runtime.h"
#include "workplaces.h"

namespace {

using namespace svc;

/// Between two looks at what waits for a time.
constexpr std::chrono::seconds kTick{1};

constexpr const char* kIdleMinutes = "agentProcesses.idleMinutes";
constexpr const char* kPerMachine = "agentProcesses.perMachine";
constexpr std::int64_t kMostIdleMinutes = 7L * 24 * 60;

/// In /readyz, while it is so.
constexpr const char* kBusyThreads = "threads stay busy until the data directory can be written";

class ThreadsModule final : public Module {
 public:
  Status start(ModuleContext& context) override {
    auto server = context.services.require<http::IHttpServer>();
    auto store = context.services.require<storage::IThreadStore>();
    auto projects = context.services.require<projects::IProjects>();
    for (const auto& needed :
         {server ? Status{} : Status{server.error()}, store ? Status{} : Status{store.error()},
          projects ? Status{} : Status{projects.error()}}) {
      if (!needed) {
        return needed;
      }
    }
    main_ = &context.main;
    build(context, *store.value());
    if (auto opened = book_->open(); !opened) {
      return opened;
    }
    waiting_.emplace(context.services.optional<http::IHealth>(), "threads.recovery");
    if (auto recovered = runner_->recover(); !recovered) {
      context.log->error(
          "threads that ran when the server stopped stay busy: their end cannot be stored: {}; it "
          "is tried again",
          recovered.error().message);
      waiting_->set(kBusyThreads);
    }
    for (const auto& row : book_->threads()) {
      useEnvironment(row.id);
    }
    // Nobody waits for it; what is not done now is done at the next start.
    (void)context.bulk_workers.submit([this](const std::stop_token&) {
      (void)records_->purge([this](const std::string& id) { (void)folders_->remove(id); });
    });
    removed_ = projects.value()->onRemoved(
        [this](const std::string& project_id) { removeOf(project_id); });
    if (auto* environments = context.services.optional<environments::IEnvironments>()) {
      told_work_ = environments->tellWork(
          {.title = [this](const std::string& id) { return records_->titleOfWork(id); },
           .running = [this](const std::string& id) { return records_->atWorkIn(id); }});
    }
    routes_.emplace(context.workers,
                    threads::Desk{*book_, *records_, *extras_, *queue_, *interactions_, *log_,
                                  *runner_, *live_, *timelines_,
                                  threads::Surroundings{
                                      .folders = *folders_,
                                      .hub = context.services.optional<realtime::IRealtimeHub>(),
                                      .server_host = serverHost(context),
                                      .check_plugin = pluginCheck(context.services)}},
                    *projects.value());
    if (auto attached = routes_->attach(*server.value()); !attached) {
      return attached;
    }
    servePlugins(context.services);
    deliverLateResults(context.services.optional<mcp::ILateResults>());
    if (auto* messages = context.services.optional<hosts::IHostMessages>()) {
      hosts_ = messages->listen(*runtime_);
    }
    arm();
    return context.services.provide<threads::IThreads>(*known_, "threads");
  }

  void ready(Completion<void> done) override {
    runner_->ready();
    done({});
  }

  /// Before the calls that forms belong to are ended: their plugins hear why. What comes of calls from here on is told by the next start.
  void drain(Completion<void> done) override {
    timer_.reset();
    late_.reset();
    routes_->close();
    runner_->rest();
    auto held = std::make_shared<Completion<void>>(std::move(done));
    forms_->close([this, held](const Status&) { main_->post([held] { (*held)({}); }); });
  }

  void stop() override {
    followed_.reset();
    timer_.reset();
    told_work_.reset();
    hosts_.reset();
    late_.reset();
    runner_->close();
    plugins_.clear();
    removed_.reset();
    log_->release();
    announcer_->stop();
    routes_.reset();
  }

 private:
  void build(ModuleContext& context, storage::IThreadStore& store) {
    auto& services = context.services;
    announcer_.emplace(services.optional<realtime::IRealtimeHub>(),
                       services.optional<agents::IPluginEvents>(), context.main,
                       [this](const std::string& thread_id) {
                         auto row = book_->thread(thread_id);
                         return row ? std::optional(std::move(row).value()) : std::nullopt;
                       });
    journal_.emplace(context.paths.data / "threads" / "live");
    live_.emplace([this](const std::string& thread_id,
                         const threads::Delta& delta) { announcer_->streamed(thread_id, delta); },
                  &*journal_);
    book_.emplace(
        store, context.clock,
        threads::Announcements{
            .changed =
                [this](const threads::Notice& notice) {
                  announcer_->changed(notice);
                  if (notice.change == "thread-deleted") {
                    log_->removed(notice.thread_id);
                  }
                  if (notice.change == "archived-changed" || notice.change == "thread-deleted" ||
                      notice.change == "environment-changed") {
                    runner_->run([this, id = notice.thread_id] { useEnvironment(id); });
                  }
                },
            .emitted = [this](const std::string& name,
                              const common::Json& payload) { announcer_->emitted(name, payload); },
            .logged =
                [this](const std::vector<storage::ThreadEventRow>& events) {
                  log_->added(events);
                  announcer_->logged(events);
                }});
    runtime_.emplace(
        context.clock, [this](const std::string& host_id) { tellOfHost(host_id); },
        [this](const std::string& host_id) { return !busyOn(host_id).empty(); });
    book_->useRuntime([this](const storage::ThreadRow& row) { return runtime_->of(row); });
    folders_.emplace(context.paths.data / "threads");
    detached_.emplace(context.paths.data / "threads" / "detached");
    if (auto* environments = services.optional<environments::IEnvironments>()) {
      places_ = std::make_shared<threads::Workplaces>(*environments);
    }
    records_.emplace(*book_);
    extras_.emplace(*book_);
    queue_.emplace(*book_);
    log_.emplace(*book_, context.main);
    timelines_.emplace(*book_);
    runner_.emplace(
        *book_, context.workers,
        threads::Crew{.agents = services.optional<providers::IAgentSessions>(),
                      .environments = places_.get(),
                      .hooks = services.optional<agents::IDispatchHooks>(),
                      .mentions = services.optional<agents::IMentionProviders>(),
                      .main = &context.main,
                      .plugins = services.optional<plugins::ILoadedPlugins>(),
                      .live = &*live_,
                      .runtime = &*runtime_,
                      .lookup =
                          [server = services.optional<http::IHttpServer>()](
                              std::string target, Completion<common::Json> done) {
                            threads::askRoute(*server, std::move(target), std::move(done));
                          },
                      .presentation = presentations(services),
                      .in_background =
                          [this](const std::string& thread_id) {
                            const auto calls = detached_->list();
                            return std::any_of(calls.begin(), calls.end(), [&](const auto& call) {
                              return call.thread_id == thread_id;
                            });
                          }});
    bound(context.config);
    if (auto* changes = services.optional<IConfigChanges>()) {
      followed_ = changes->add({.keys = {kIdleMinutes, kPerMachine},
                                .apply = [this](const IConfig& now) { bound(now); }});
    }
    interactions_.emplace(*book_, *runner_);
    forms_.emplace(*book_, *runner_, *interactions_);
    known_.emplace(*book_, *records_,
                   [this](const threads::Notice& notice) { announcer_->changed(notice); });
  }

  void bound(const IConfig& config) {
    runner_->bound({.idle = std::chrono::minutes(config.getInteger(kIdleMinutes)),
                    .per_machine = static_cast<std::size_t>(config.getInteger(kPerMachine))});
  }

  static std::function<common::Json(const std::string& tool)> presentations(
      ServiceRegistry& services) {
    auto* const tools = services.optional<agents::IAgentTools>();
    if (tools == nullptr) {
      return {};
    }
    return [tools](const std::string& tool) { return tools->presentationOf(tool); };
  }

  static std::function<Status(const std::string& plugin_id)> pluginCheck(
      ServiceRegistry& services) {
    return [plugins = services.optional<plugins::ILoadedPlugins>()](const std::string& plugin_id) {
      // What is unknown is said at once; a plugin that is installed counts, running or not.
      const auto refused = std::make_shared<Status>();
      if (plugins != nullptr) {
        plugins->acquire(plugin_id, [refused](const Result<plugins::GenerationPtr>& found) {
          if (!found && found.error().code == errc::kUnknownPlugin) {
            *refused = found.error();
          }
        });
      }
      return *refused;
    };
  }

  /// Each call that its agent was told of is owed a message, also by the server that comes after this one.
  void deliverLateResults(mcp::ILateResults* late) {
    for (auto& call : detached_->list()) {
      runner_->tellLate({.thread_id = std::move(call.thread_id),
                         .tool = std::move(call.tool),
                         .text = "the server was restarted before it had ended. Look at what it "
                                 "has done before calling it again.",
                         .failed = true},
                        [this, id = call.id] { detached_->remove(id); });
    }
    if (late == nullptr) {
      return;
    }
    late_ = late->onLateResult(
        [this](mcp::LateCall call) {
          runner_->run([this, call = std::move(call)] {
            // Where it cannot be written down it is delivered as long as this server runs.
            (void)detached_->add({call.id, call.thread_id, call.tool});
          });
        },
        [this](mcp::LateResult result) {
          if (result.dropped) {
            runner_->run([this, id = result.call_id] { detached_->remove(id); });
            return;
          }
          runner_->tellLate({.thread_id = std::move(result.thread_id),
                             .tool = std::move(result.tool),
                             .text = std::move(result.text),
                             .failed = result.failed},
                            [this, id = result.call_id] { detached_->remove(id); });
        });
  }

  static std::function<std::string()> serverHost(ModuleContext& context) {
    return [registry = context.services.optional<machines::IHostRegistry>()] {
      const auto hosts = registry == nullptr ? std::vector<machines::Host>() : registry->list();
      return hosts.empty() || !hosts.front().is_server ? std::string() : hosts.front().id;
    };
  }

  /// A machine has come or gone: threads that run there look different.
  void tellOfHost(const std::string& host_id) {
    for (const auto& row : busyOn(host_id)) {
      book_->tellShown(row);
    }
  }

  [[nodiscard]] std::vector<storage::ThreadRow> busyOn(const std::string& host_id) const {
    auto rows = book_->threads();
    std::erase_if(rows, [&host_id](const storage::ThreadRow& row) {
      const auto state = threads::threadStateOf(row.status);
      return !state || !threads::isBusy(*state) ||
             threads::parsed(row.environment)["hostId"].asString() != host_id;
    });
    return rows;
  }

  /// Threads of a project go with it. A worker, as the project's own removal.
  void removeOf(const std::string& project_id) {
    for (const auto& row : book_->threads()) {
      if (row.project_id == project_id) {
        runner_->stopThen({row.id}, "thread-deleted",
                          [this, id = row.id] { (void)records_->remove(id, true); });
      }
    }
  }

  /// A thread keeps its environment until it is archived or deleted.
  void useEnvironment(const std::string& thread_id) {
    if (places_) {
      const auto row = book_->thread(thread_id);
      const bool uses = row && row.value().archived_at == 0;
      places_->use(thread_id, uses ? row.value().environment_id : std::string());
    }
  }

  /// What plugins register for threads is acted on from here on.
  void servePlugins(ServiceRegistry& services) {
    if (auto* counterparts = services.optional<agents::ICounterparts>()) {
      plugins_.push_back(counterparts->serve(threads::servedMembers()));
    }
    if (auto* forms = services.optional<agents::IThreadForms>()) {
      plugins_.push_back(forms->serve(*forms_));
    }
    if (auto* api = services.optional<plugins::IPluginApi>()) {
      plugins_.push_back(api->addDisposeStep(
          plugins::DisposePhase::kInterruptInteractions,
          [this](const plugins::GenerationPtr& generation, Completion<void> done) {
            forms_->dispose(generation->loadId(), std::move(done));
          }));
    }
  }

  void arm() {
    timer_ = main_->after(kTick, [this] {
      runner_->tick();
      runner_->run([this] {
        interactions_->tick();
        announcer_->tick(*book_);
        timelines_->tick();
        waiting_->set(runner_->unstored() > 0 ? kBusyThreads : "");
      });
      arm();
    });
  }

  IMainExecutor* main_ = nullptr;
  std::optional<threads::Announcer> announcer_;
  std::optional<threads::DetachedCalls> detached_;
  std::optional<threads::LiveJournal> journal_;
  std::optional<threads::LiveTexts> live_;
  std::optional<threads::ThreadBook> book_;
  std::optional<threads::ThreadRuntime> runtime_;
  std::optional<threads::ThreadFolders> folders_;
  std::shared_ptr<threads::Workplaces> places_;
  std::optional<threads::ThreadRecords> records_;
  std::optional<threads::ThreadExtras> extras_;
  std::optional<threads::MessageQueue> queue_;
  std::optional<threads::EventLog> log_;
  std::optional<threads::KeptTimelines> timelines_;
  std::optional<threads::TurnRunner> runner_;
  std::optional<threads::InteractionDesk> interactions_;
  std::optional<threads::PluginForms> forms_;
  std::optional<threads::KnownThreads> known_;
  std::optional<threads::ThreadRoutes> routes_;
  std::vector<Handle> plugins_;
  std::optional<http::ReadyProblem> waiting_;
  Handle removed_;
  Handle told_work_;
  Handle timer_;
  Handle hosts_;
  Handle late_;
  Handle followed_;
};

constexpr std::array kProvides{threads::IThreads::kId};
constexpr std::array kRequires{Requirement(http::IHttpServer::kId),
                               Requirement(storage::IThreadStore::kId),
                               Requirement(projects::IProjects::kId),
                               Requirement(realtime::IRealtimeHub::kId, true),
                               Requirement(agents::IPluginEvents::kId, true),
                               Requirement(agents::IAgentTools::kId, true),
                               Requirement(agents::IDispatchHooks::kId, true),
                               Requirement(agents::IMentionProviders::kId, true),
                               Requirement(agents::ICounterparts::kId, true),
                               Requirement(agents::IThreadForms::kId, true),
                               Requirement(plugins::IPluginApi::kId, true),
                               Requirement(plugins::ILoadedPlugins::kId, true),
                               Requirement(machines::IHostRegistry::kId, true),
                               Requirement(hosts::IHostMessages::kId, true),
                               Requirement(mcp::ILateResults::kId, true),
                               Requirement(providers::IAgentSessions::kId, true),
                               Requirement(environments::IEnvironments::kId, true)};
constexpr std::array kConfig{
    ConfigKey{
        kIdleMinutes, ConfigType::kInteger, "60",
        "minutes after which the agent of a thread that has nothing to do is ended, until the "
        "next message; 0 = never",
        config_rules::integer<0, kMostIdleMinutes>},
    ConfigKey{kPerMachine, ConfigType::kInteger, "32",
              "most agents of threads that run on one machine at a time",
              config_rules::integer<1, static_cast<std::int64_t>(limits::kAgentSessions)>}};

}  // namespace

SVC_MODULE(ThreadsModule, "threads", "0.1.0", kProvides, kRequires, kConfig);
