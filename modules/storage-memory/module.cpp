#include "svc/kernel/module.h"

#include <array>
#include <memory>

#include "memory_store.h"

namespace svc::storage_memory {
namespace {

class StorageMemoryModule final : public Module {
 public:
  Status start(ModuleContext& context) override {
    main_ = &context.main;
    services_ = &context.services;
    context.log->warn("everything is kept in memory and is gone when the service stops");
    if (auto offered = services_->provide(store_.keyValues(), "storage-memory"); !offered) {
      return offered;
    }
    if (auto offered = services_->provide(store_.settings(), "storage-memory"); !offered) {
      return offered;
    }
    if (auto offered = services_->provide(store_.schedules(), "storage-memory"); !offered) {
      return offered;
    }
    if (auto offered = services_->provide(store_.serviceSettings(), "storage-memory"); !offered) {
      return offered;
    }
    if (auto offered = services_->provide(store_.installs(), "storage-memory"); !offered) {
      return offered;
    }
    if (auto offered = services_->provide(store_.snapshots(), "storage-memory"); !offered) {
      return offered;
    }
    if (auto offered = services_->provide(store_.hosts(), "storage-memory"); !offered) {
      return offered;
    }
    if (auto offered = services_->provide(store_.mcpTokens(), "storage-memory"); !offered) {
      return offered;
    }
    if (auto offered = services_->provide(store_.terminals(), "storage-memory"); !offered) {
      return offered;
    }
    if (auto offered = services_->provide(store_.environments(), "storage-memory"); !offered) {
      return offered;
    }
    if (auto offered = services_->provide(store_.projects(), "storage-memory"); !offered) {
      return offered;
    }
    if (auto offered = services_->provide(store_.threads(), "storage-memory"); !offered) {
      return offered;
    }
    if (auto offered = services_->provide(store_.pluginMeters(), "storage-memory"); !offered) {
      return offered;
    }
    return services_->provide(store_.plugins(), "storage-memory");
  }

  void drain(Completion<void> done) override {
    auto shared = std::make_shared<Completion<void>>(std::move(done));
    store_.flush([shared, main = main_](const Status& status) {
      main->post([shared, status] { (*shared)(status); });
    });
  }

  void stop() override {
    services_->withdraw("storage-memory");
    store_.stop();
  }

 private:
  IMainExecutor* main_ = nullptr;
  ServiceRegistry* services_ = nullptr;
  MemoryStore store_;
};

constexpr std::array kProvides{
    storage::IKeyValueStore::kId,    storage::IPluginStore::kId,     storage::ISettingsStore::kId,
    storage::IServiceSettings::kId,  storage::IScheduleStore::kId,   storage::IInstallStore::kId,
    storage::ISnapshotStore::kId,    storage::IHostStore::kId,       storage::IMcpTokenStore::kId,
    storage::ITerminalStore::kId,    storage::IProjectStore::kId,    storage::IThreadStore::kId,
    storage::IEnvironmentStore::kId, storage::IPluginMeterStore::kId};
constexpr std::array<Requirement, 0> kRequires{};
constexpr std::array<ConfigKey, 0> kConfig{};

}  // namespace
}  // namespace svc::storage_memory

SVC_MODULE(svc::storage_memory::StorageMemoryModule, "storage-memory", "1.0.0",
           svc::storage_memory::kProvides, svc::storage_memory::kRequires,
           svc::storage_memory::kConfig);
