#include "svc/kernel/module.h"

#include <array>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "svc/common/data_remains.h"
#include "svc/common/json.h"
#include "svc/http/http.h"

#include "sqlite_start_check.h"
#include "sqlite_store.h"

namespace svc::storage {
namespace {

/// In /readyz while writes fail: what is asked of the server then mostly fails, too.
std::string stateOf(const SqliteStore& store) {
  auto entries = common::Json::array();
  if (const auto problem = store.problem(); !problem.empty()) {
    entries.push(common::Json::object()
                     .set("name", "storage.writes")
                     .set("state", "failing")
                     .set("detail", "writes are refused: " + problem));
  }
  return entries.dump();
}

Error withoutDatabase(const std::filesystem::path& data, const std::filesystem::path& remains) {
  return {errc::kIncompatible,
          fmt::format("{0}/svc.db is missing or empty, and only it knows what is in {1}: put it "
                      "back, from {0}/backups or with a backup ({2}); to begin with nothing move "
                      "{0} away",
                      data.string(), remains.string(), common::restoreByHand(data))};
}

class StorageModule final : public Module {
 public:
  Status start(ModuleContext& context) override {
    main_ = &context.main;
    services_ = &context.services;
    if (const auto remains = common::remainsWithoutDatabase(context.paths.data); !remains.empty()) {
      return withoutDatabase(context.paths.data, remains);
    }
    auto options = SqliteStoreOptions::of(context.paths.data);
    options.home = context.paths.data;
    auto store = SqliteStore::open(options, context.clock, context.log);
    if (!store) {
      return store.error();
    }
    store_ = std::move(store).value();
    start_check_.emplace(context.clock, context.log);
    if (auto* health = services_->optional<http::IHealth>()) {
      report_ = health->contribute(
          {.member = "modules", .json_value = [this] { return stateOf(*store_); }});
    }
    if (auto offered = services_->provide(store_->keyValues(), "storage"); !offered) {
      return offered;
    }
    if (auto offered = services_->provide(store_->settings(), "storage"); !offered) {
      return offered;
    }
    if (auto offered = services_->provide(store_->schedules(), "storage"); !offered) {
      return offered;
    }
    if (auto offered = services_->provide(store_->serviceSettings(), "storage"); !offered) {
      return offered;
    }
    if (auto offered = services_->provide(store_->installs(), "storage"); !offered) {
      return offered;
    }
    if (auto offered = services_->provide(store_->snapshots(), "storage"); !offered) {
      return offered;
    }
    if (auto offered = services_->provide(store_->hosts(), "storage"); !offered) {
      return offered;
    }
    if (auto offered = services_->provide(store_->mcpTokens(), "storage"); !offered) {
      return offered;
    }
    if (auto offered = services_->provide(store_->terminals(), "storage"); !offered) {
      return offered;
    }
    if (auto offered = services_->provide(store_->environments(), "storage"); !offered) {
      return offered;
    }
    if (auto offered = services_->provide(store_->projects(), "storage"); !offered) {
      return offered;
    }
    if (auto offered = services_->provide(store_->threads(), "storage"); !offered) {
      return offered;
    }
    if (auto offered = services_->provide(store_->pluginMeters(), "storage"); !offered) {
      return offered;
    }
    if (auto offered = services_->provide<IStartCheck>(*start_check_, "storage"); !offered) {
      return offered;
    }
    return services_->provide(store_->plugins(), "storage");
  }

  // Modules that stop later may still write; here only what is queued gets finished.
  void drain(Completion<void> done) override {
    if (!store_) {
      return done({});
    }
    auto shared = std::make_shared<Completion<void>>(std::move(done));
    store_->flush([shared, main = main_](const Status& status) {
      main->post([shared, status] { (*shared)(status); });
    });
  }

  void stop() override {
    services_->withdraw("storage");
    report_.reset();
    start_check_.reset();
    store_.reset();
  }

 private:
  IMainExecutor* main_ = nullptr;
  ServiceRegistry* services_ = nullptr;
  std::unique_ptr<SqliteStore> store_;
  std::optional<SqliteStartCheck> start_check_;
  Handle report_;
};

constexpr std::array kProvides{IKeyValueStore::kId,    IPluginStore::kId,      ISettingsStore::kId,
                               IServiceSettings::kId,  IScheduleStore::kId,    IInstallStore::kId,
                               ISnapshotStore::kId,    IHostStore::kId,        IMcpTokenStore::kId,
                               ITerminalStore::kId,    IProjectStore::kId,     IThreadStore::kId,
                               IEnvironmentStore::kId, IPluginMeterStore::kId, IStartCheck::kId};
constexpr std::array kRequires{Requirement(http::IHealth::kId, true)};
constexpr std::array<ConfigKey, 0> kConfig{};

}  // namespace
}  // namespace svc::storage

SVC_MODULE(svc::storage::StorageModule, "storage", "1.0.0", svc::storage::kProvides,
           svc::storage::kRequires, svc::storage::kConfig);
