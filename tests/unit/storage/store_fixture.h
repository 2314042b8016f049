#pragma once

#include <stdlib.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

#include <spdlog/logger.h>
#include <spdlog/sinks/null_sink.h>

#include "sqlite_store.h"

namespace svc::storage {

/// A new folder, removed with its content.
class TempDir {
 public:
  TempDir() {
    auto pattern = (std::filesystem::temp_directory_path() / "svc-storage-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) {
      throw std::runtime_error("cannot make a folder like " + pattern);
    }
    path_ = pattern;
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

class FixedClock final : public IClock {
 public:
  [[nodiscard]] std::int64_t nowMs() const override { return 1'700'000'000'000; }
  [[nodiscard]] std::chrono::steady_clock::time_point steadyNow() const override { return {}; }
};

inline std::shared_ptr<spdlog::logger> silentLog() {
  return std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::null_sink_mt>());
}

/// A store on a database of its own.
class StoreFixture {
 public:
  StoreFixture() : StoreFixture(StoreLimits{}) {}
  explicit StoreFixture(StoreLimits limits) : limits_(limits) {
    if (const auto status = open(); !status) {
      throw std::runtime_error(status.error().message);
    }
  }

  [[nodiscard]] std::filesystem::path file() const { return dir_.path() / "svc.db"; }
  [[nodiscard]] std::filesystem::path backups() const { return dir_.path() / "backups"; }
  SqliteStore& store() { return *store_; }
  IKeyValueStore& keyValues() { return store_->keyValues(); }
  IPluginStore& plugins() { return store_->plugins(); }
  IPluginMeterStore& pluginMeters() { return store_->pluginMeters(); }
  IScheduleStore& schedules() { return store_->schedules(); }
  ISettingsStore& settings() { return store_->settings(); }
  IServiceSettings& serviceSettings() { return store_->serviceSettings(); }
  IInstallStore& installs() { return store_->installs(); }
  ISnapshotStore& snapshots() { return store_->snapshots(); }
  [[nodiscard]] IHostStore& hosts() { return store_->hosts(); }
  [[nodiscard]] IMcpTokenStore& mcpTokens() { return store_->mcpTokens(); }
  [[nodiscard]] ITerminalStore& terminals() { return store_->terminals(); }
  [[nodiscard]] IEnvironmentStore& environments() { return store_->environments(); }
  [[nodiscard]] IProjectStore& projects() { return store_->projects(); }
  [[nodiscard]] IThreadStore& threads() { return store_->threads(); }

  Status open() {
    auto store = SqliteStore::open({.file = file(), .backups = backups(), .limits = limits_},
                                   clock_, silentLog());
    if (!store) {
      return store.error();
    }
    store_ = std::move(store).value();
    return {};
  }
  void close() { store_.reset(); }

 private:
  TempDir dir_;
  FixedClock clock_;
  StoreLimits limits_;
  std::unique_ptr<SqliteStore> store_;
};

}  // namespace svc::storage
