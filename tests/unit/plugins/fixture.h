#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/null_sink.h>
#include <spdlog/spdlog.h>

#include "fakes/fake_executor.h"
#include "fakes/fake_script_runtime.h"
#include "mocks/mock_key_value_store.h"
#include "mocks/mock_plugin_store.h"
#include "mocks/mock_schedule_store.h"
#include "mocks/mock_service_settings.h"
#include "mocks/mock_settings_store.h"
#include "mocks/mock_thread_store.h"
#include "plugin_manager.h"
#include "temp_directory.h"

namespace svc::plugins {

/// Jobs wait until the test runs them, so that "behind the caller's back" stays visible.
class QueuedWorkers final : public IWorkerPool {
 public:
  bool full = false;

  [[nodiscard]] bool submit(Task job) override {
    if (!full) {
      jobs_.push_back(std::move(job));
    }
    return !full;
  }
  bool runAll() {
    const bool any = !jobs_.empty();
    while (!jobs_.empty()) {
      auto job = std::move(jobs_.front());
      jobs_.pop_front();
      job();
    }
    return any;
  }

 private:
  std::deque<Task> jobs_;
};

/// The time of the hand-driven main thread as a clock.
class MainClock final : public IClock {
 public:
  explicit MainClock(const svc::test::FakeMainExecutor& main) : main_(main) {}
  [[nodiscard]] std::int64_t nowMs() const override { return (main_.now() + ahead).count(); }
  [[nodiscard]] std::chrono::steady_clock::time_point steadyNow() const override {
    return std::chrono::steady_clock::time_point{main_.now()};
  }

  /// Of the wall clock alone.
  std::chrono::milliseconds ahead{0};

 private:
  const svc::test::FakeMainExecutor& main_;
};

/// What a completion answered with; empty until it fires.
template <class T>
struct Answer {
  std::shared_ptr<std::optional<Result<T>>> slot = std::make_shared<std::optional<Result<T>>>();

  [[nodiscard]] Completion<T> completion() const {
    return Completion<T>([slot = slot](Result<T> result) { slot->emplace(std::move(result)); });
  }
  [[nodiscard]] bool fired() const { return slot->has_value(); }
  [[nodiscard]] bool ok() const { return fired() && slot->value().ok(); }
  [[nodiscard]] const auto& value() const { return slot->value().value(); }
  [[nodiscard]] const Error& error() const { return slot->value().error(); }
};

/// The whole manager over fakes: a script runtime and a clock the test drives, rows in memory.
class ManagerFixture : public ::testing::Test {
 protected:
  static constexpr std::string_view kTodoManifest =
      R"({"name":"svc-plugin-todo","version":"1.0.0","svc":{"server":"server.ts"}})";

  svc::test::TempDirectory directory_;
  svc::test::FakeMainExecutor main_;
  MainClock clock_{main_};
  QueuedWorkers workers_;
  script::FakeScriptRuntime runtime_;
  ::testing::NiceMock<storage::MockPluginStore> store_;
  ::testing::NiceMock<storage::MockKeyValueStore> kv_;
  ::testing::NiceMock<storage::MockThreadStore> threads_;
  ::testing::NiceMock<storage::MockSettingsStore> settings_store_;
  /// No plugin of these tests has schedules: nothing asks it.
  ::testing::StrictMock<storage::MockScheduleStore> schedule_store_;
  std::map<std::string, std::map<std::string, common::RawJson>> settings_rows_;
  ::testing::NiceMock<storage::MockServiceSettings> service_settings_;
  std::map<std::string, std::string> service_rows_;
  std::map<std::string, storage::PluginRow> rows_;
  std::shared_ptr<spdlog::logger> server_log_ =
      std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::null_sink_mt>());
  std::shared_ptr<LoadedMap> shared_map_ = std::make_shared<LoadedMap>();
  std::shared_ptr<PluginLogs> shared_logs_ = std::make_shared<PluginLogs>(
      workers_, clock_, directory_.path() / "data/plugins", server_log_);
  std::shared_ptr<AssetShelf> shared_assets_ = std::make_shared<AssetShelf>();
  LoadedMap& loaded_ = *shared_map_;
  PluginLogs& logs_ = *shared_logs_;
  PluginApi api_;
  std::shared_ptr<PluginManager> manager_;
  /// Changes what the next manager is made with.
  std::function<void(ManagerSettings& settings)> configure;

  ManagerFixture();
  ~ManagerFixture() override;

  /// A new manager over the same rows, as after a restart of the server.
  void restart(bool safe_mode = false);

  std::filesystem::path writePlugin(std::string_view folder = "todo",
                                    std::string_view manifest = kTodoManifest) const {
    directory_.write(std::filesystem::path(folder) / "package.json", manifest);
    directory_.write(std::filesystem::path(folder) / "server.ts", "export default () => {};");
    return directory_.path() / folder;
  }
  void addRow(const std::string& id, bool enabled = true, std::uint64_t generation = 0) {
    storage::PluginRow row;
    row.id = id;
    row.source = "path:" + (directory_.path() / id).string();
    row.root_dir = (directory_.path() / id).string();
    row.enabled = enabled;
    row.generation = generation;
    rows_[id] = row;
  }

  /// Everything that can happen without time passing.
  void settle() {
    while (main_.runAll() > 0 || workers_.runAll()) {
    }
  }
  void advance(std::chrono::milliseconds time) {
    settle();
    main_.advance(time);
    settle();
  }

  PluginRecord install(const std::filesystem::path& root);
  PluginRecord installTodo() { return install(writePlugin()); }
  PluginRecord record(const std::string& id = "todo");
  [[nodiscard]] Answer<std::vector<ReloadOutcome>> reload(const std::string& id = "todo");
  [[nodiscard]] Answer<GenerationPtr> acquire(const std::string& id = "todo");
  script::FakeScriptEnvironment& environment(std::size_t index) {
    return *runtime_.environments.at(index);
  }
  [[nodiscard]] std::vector<std::string> logMessages(const std::string& id = "todo");
  /// Names of the functions an environment was called with, in order.
  [[nodiscard]] static std::vector<std::string> calls(
      const script::FakeScriptEnvironment& environment) {
    std::vector<std::string> out;
    for (const auto& invocation : environment.invocations) {
      out.push_back(invocation.function);
    }
    return out;
  }
  /// Makes the factory of every later load wait for the test.
  void holdFactories();
  void failFactories(std::string message, std::string stack = "");
  void passFactories();

  std::vector<std::shared_ptr<Completion<std::string>>> held_factories_;
};

}  // namespace svc::plugins
