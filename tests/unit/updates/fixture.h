#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/null_sink.h>
#include <spdlog/spdlog.h>

#include "svc/common/codes.h"

#include "fakes/fake_clock.h"
#include "fakes/fake_executor.h"
#include "fakes/fake_snapshot_store.h"
#include "mocks/mock_package_sources.h"
#include "mocks/mock_plugin_manager.h"
#include "mocks/mock_plugin_updates.h"
#include "snapshots.h"
#include "unit/plugins/temp_directory.h"
#include "update_run.h"

namespace svc::updates {

/// Jobs wait until the test runs them.
class QueuedWorkers final : public IBulkWorkers {
 public:
  [[nodiscard]] bool submit(Job job) override {
    jobs_.push_back(std::move(job));
    return true;
  }
  bool runAll() {
    const bool any = !jobs_.empty();
    for (auto& job : std::exchange(jobs_, {})) {
      job(stop_.get_token());
    }
    return any;
  }

 private:
  std::deque<Job> jobs_;
  std::stop_source stop_;
};

/// What a completion answered with; empty until it fires.
template <class T>
struct Answer {
  std::shared_ptr<std::optional<Result<T>>> slot = std::make_shared<std::optional<Result<T>>>();

  [[nodiscard]] Completion<T> completion() const {
    return Completion<T>([slot = slot](Result<T> result) { slot->emplace(std::move(result)); });
  }
  [[nodiscard]] bool fired() const { return slot->has_value(); }
  [[nodiscard]] const auto& value() const { return slot->value().value(); }
  [[nodiscard]] const Error& error() const { return slot->value().error(); }
};

/// The plugin that is updated, as the manager would show it.
struct FakePlugin {
  storage::PluginRow row;
  plugins::PluginRecord record;
  /// What the next loads make of the record.
  std::deque<std::function<void(plugins::PluginRecord& record)>> loads;
  std::vector<std::string> events;
  bool turn_taken = false;
};

/// Does what a switch does to the fake plugin, and writes down what it was asked for.
class FakeSwitch final : public plugins::IPluginSwitch {
 public:
  explicit FakeSwitch(FakePlugin& plugin) : plugin_(plugin) { plugin_.turn_taken = true; }
  FakeSwitch(const FakeSwitch&) = delete;
  FakeSwitch& operator=(const FakeSwitch&) = delete;
  ~FakeSwitch() override { plugin_.turn_taken = false; }

  [[nodiscard]] const storage::PluginRow& row() const override { return plugin_.row; }
  void suspend(std::string detail, Completion<void> done) override {
    plugin_.events.push_back("suspend: " + detail);
    plugin_.record.status = plugins::PluginStatus::kStarting;
    done({});
  }
  void replace(storage::PluginRow row, Completion<void> done) override {
    plugin_.events.push_back("replace: " + row.version);
    plugin_.row = std::move(row);
    done({});
  }
  void adopt(storage::PluginRow row) override {
    plugin_.events.push_back("adopt: " + row.version);
    plugin_.row = std::move(row);
  }
  void load(Completion<plugins::PluginRecord> done) override {
    plugin_.events.push_back("load: " + plugin_.row.version);
    auto& record = plugin_.record;
    record.version = plugin_.row.version;
    record.root_dir = plugin_.row.root_dir;
    record.enabled = plugin_.row.enabled;
    record.status =
        record.enabled ? plugins::PluginStatus::kRunning : plugins::PluginStatus::kDisabled;
    if (!plugin_.loads.empty()) {
      plugin_.loads.front()(record);
      plugin_.loads.pop_front();
    }
    done(record);
  }
  void giveUp(std::string detail) override { plugin_.events.push_back("give up: " + detail); }

 private:
  FakePlugin& plugin_;
};

inline storage::PluginRow rowOf(const std::string& version) {
  storage::PluginRow row;
  row.id = "todo";
  row.source = "npm:svc-plugin-todo";
  row.source_kind = "npm";
  row.root_dir = "/cache/todo/" + version;
  row.version = version;
  row.resolved = "npm:svc-plugin-todo@" + version;
  row.generation = 3;
  return row;
}

/// One managed plugin, "todo" 1.0.0, whose source offers 1.1.0.
class UpdatesFixture : public ::testing::Test {
 protected:
  UpdatesFixture();
  ~UpdatesFixture() override;

  [[nodiscard]] std::vector<plugins::PluginRecord> records() const { return {plugin_.record}; }

  /// Runs what waits on the main thread and on workers until there is nothing left.
  void settle() {
    do {
      main_.runAll();
    } while (workers_.runAll() || main_.pendingTasks() > 0);
  }
  /// Tells listeners what the record is now.
  void announce() {
    for (const auto& [key, listener] : std::map(listeners_)) {
      listener(records());
    }
    settle();
  }
  void advance(std::chrono::milliseconds time) {
    clock_.advance(time);
    main_.advance(time);
    settle();
  }
  std::string unfinished_;
  std::vector<std::string> resumed_{};
  [[nodiscard]] UpdateContext context(IUpdateObserver* observer = nullptr) {
    return {{main_, workers_},
            manager_,
            switches_,
            sources_,
            snapshots_,
            observer,
            log_,
            [this](std::string what) { unfinished_ = std::move(what); },
            [this](const std::string& id) { resumed_.push_back(id); }};
  }
  /// An update of "todo" until nothing happens by itself any more.
  std::shared_ptr<UpdateRun> update(const Answer<UpdateResult>& answer,
                                    IUpdateObserver* observer = nullptr);
  /// The installed version gets files of its own, so that a rollback finds them.
  const storage::PluginRow& installPrevious() {
    const auto files = directory_.path() / "cache/1.0.0";
    std::filesystem::create_directories(files);
    plugin_.row.root_dir = files.string();
    plugin_.record.root_dir = plugin_.row.root_dir;
    return plugin_.row;
  }
  [[nodiscard]] std::filesystem::path dataOf(const std::string& plugin) const {
    return directory_.path() / "plugins" / plugin;
  }
  [[nodiscard]] std::filesystem::path snapshotDirectory() const {
    return directory_.path() / "plugins/snapshots/todo" / store_.only().id;
  }

  svc::test::TempDirectory directory_;
  svc::test::FakeMainExecutor main_;
  svc::test::FakeClock clock_;
  QueuedWorkers workers_;
  svc::test::FakeSnapshotStore store_;
  std::shared_ptr<Snapshots> snapshots_ =
      std::make_shared<Snapshots>(store_, clock_, directory_.path() / "plugins");
  FakePlugin plugin_;
  installs::Resolution found_;
  bool safe_mode_ = false;
  std::map<int, plugins::MockPluginManager::Listener> listeners_;
  int last_listener_ = 0;
  std::function<Result<std::vector<storage::PluginRow>>()> rows_or_ = [this] {
    return Result<std::vector<storage::PluginRow>>(std::vector{plugin_.row});
  };
  ::testing::NiceMock<plugins::MockPluginManager> manager_;
  ::testing::NiceMock<plugins::MockPluginUpdates> switches_;
  ::testing::NiceMock<installs::MockPackageSources> sources_;
  std::shared_ptr<spdlog::logger> log_ =
      std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::null_sink_mt>());
};

}  // namespace svc::updates
