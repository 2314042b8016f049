#include "svc/kernel/module.h"

#include <array>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

#include "svc/http/http.h"
#include "svc/http/ready_problem.h"
#include "svc/installs/package_sources.h"
#include "svc/kernel/config_changes.h"
#include "svc/plugins/plugin_updates.h"
#include "svc/plugins/plugins.h"
#include "svc/storage/plugin_store.h"
#include "svc/storage/service_settings.h"
#include "svc/storage/snapshot_store.h"
#include "svc/storage/start_check.h"
#include "svc/updates/update_observer.h"

#include "backup.h"
#include "system_routes.h"
#include "update_checks.h"
#include "update_routes.h"
#include "updater.h"

namespace {

using namespace svc;

class UpdatesModule final : public Module {
 public:
  Status start(ModuleContext& context) override {
    auto server = context.services.require<http::IHttpServer>();
    auto manager = context.services.require<plugins::IPluginManager>();
    auto plugin_updates = context.services.require<plugins::IPluginUpdates>();
    auto sources = context.services.require<installs::IPackageSources>();
    auto rows = context.services.require<storage::IPluginStore>();
    auto snapshots = context.services.require<storage::ISnapshotStore>();
    auto settings = context.services.require<storage::IServiceSettings>();
    for (const Error* missing :
         {errorOf(server), errorOf(manager), errorOf(plugin_updates), errorOf(sources),
          errorOf(rows), errorOf(snapshots), errorOf(settings)}) {
      if (missing != nullptr) {
        return *missing;
      }
    }
    const updates::Threads threads{context.main, context.bulk_workers};
    const auto activity = std::make_shared<updates::Activity>();
    checks_ = std::make_shared<updates::UpdateChecks>(updates::UpdateChecks::Context{
        threads, context.clock, *plugin_updates.value(), *sources.value(), *settings.value(),
        context.log, [&config = context.config] { return config.getBoolean("updates.check"); }});
    if (auto* changes = context.services.optional<IConfigChanges>()) {
      // It is read before every check.
      followed_ = changes->add({.keys = {"updates.check"}, .apply = [](const IConfig&) {}});
    }
    const auto unfinished = std::make_shared<http::ReadyProblem>(
        context.services.optional<http::IHealth>(), "updates.recovery");
    updater_ = std::make_shared<updates::Updater>(
        updates::UpdateContext{threads, *manager.value(), *plugin_updates.value(), *sources.value(),
                               std::make_shared<updates::Snapshots>(
                                   *snapshots.value(), context.clock,
                                   context.paths.data / "plugins", stopping_.get_token()),
                               context.services.optional<updates::IUpdateObserver>(), context.log,
                               [unfinished](std::string what) { unfinished->set(std::move(what)); },
                               [weak = std::weak_ptr(checks_)](const std::string& plugin_id) {
                                 if (const auto checks = weak.lock()) {
                                   checks->refresh(plugin_id);
                                 }
                               }},
        activity);
    if (auto status = updater_->recover(*rows.value()); !status) {
      return status;
    }
    if (auto status = checks_->load(); !status) {
      return status;
    }
    context.when_ready([checks = checks_, updater = updater_] {
      updater->open();
      checks->open();
    });
    routes_.emplace(context.main, checks_, updater_);
    if (auto status = routes_->attach(*server.value()); !status) {
      return status;
    }
    system_routes_.emplace(
        threads,
        std::make_shared<updates::Backup>(context.paths.data, context.version, context.clock,
                                          context.services.optional<storage::IStartCheck>(),
                                          stopping_.get_token()),
        activity, [end = context.request_shutdown] { end("starting again on restored data"); });
    return system_routes_->attach(*server.value());
  }

  void drain(Completion<void> done) override {
    end();
    done({});
  }

  void stop() override {
    followed_.reset();
    system_routes_.reset();
    routes_.reset();
    end();
    updater_.reset();
    checks_.reset();
  }

 private:
  template <class T>
  static const Error* errorOf(const Result<T>& result) {
    return result ? nullptr : &result.error();
  }

  void end() {
    if (updater_) {
      updater_->stop();
    }
    if (checks_) {
      checks_->stop();
    }
    // After the updater, which would take an aborted copy for a failed one. The jobs end before the workers are waited for.
    stopping_.request_stop();
  }

  std::stop_source stopping_;
  std::shared_ptr<updates::UpdateChecks> checks_;
  std::shared_ptr<updates::Updater> updater_;
  Handle followed_;
  std::optional<updates::UpdateRoutes> routes_;
  std::optional<updates::SystemRoutes> system_routes_;
};

constexpr std::array kRequires{
    Requirement(http::IHttpServer::kId),         Requirement(plugins::IPluginManager::kId),
    Requirement(plugins::IPluginUpdates::kId),   Requirement(installs::IPackageSources::kId),
    Requirement(storage::IPluginStore::kId),     Requirement(storage::ISnapshotStore::kId),
    Requirement(storage::IServiceSettings::kId), Requirement(updates::IUpdateObserver::kId, true),
    Requirement(http::IHealth::kId, true),       Requirement(storage::IStartCheck::kId, true)};
constexpr std::array kConfig{ConfigKey{"updates.check", ConfigType::kBoolean, "true",
                                       "look for newer versions of plugins in the background"}};

}  // namespace

SVC_MODULE(UpdatesModule, "updates", "0.43.0", std::span<const ServiceId>{}, kRequires, kConfig);
