#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/null_sink.h>

#include "fixture.h"
#include "memory_store.h"
#include "mocks/mock_generation.h"
#include "scheduler.h"

namespace svc::plugins {

/// A scheduler over rows in memory, on a clock the test drives.
class SchedulerTest : public ::testing::Test {
 protected:
  static constexpr std::int64_t kMinute = 60'000;

  /// One load of a plugin whose function is played by the test.
  class FakeGeneration : public ::testing::NiceMock<MockGeneration> {
   public:
    struct Call {
      std::string source;
      script::Invocation invocation;
      Completion<std::string> done;
    };

    FakeGeneration(std::string id, std::uint64_t load_id) : id_(std::move(id)) {
      ON_CALL(*this, pluginId).WillByDefault(::testing::ReturnRef(id_));
      ON_CALL(*this, loadId).WillByDefault(::testing::Return(load_id));
      ON_CALL(*this, registration("schedules")).WillByDefault([this] { return schedules_; });
      ON_CALL(*this, log).WillByDefault([this](std::string_view level, std::string_view message) {
        logged.push_back(std::string(level) + ": " + std::string(message));
      });
      ON_CALL(*this, invoke)
          .WillByDefault([this](std::string source, script::Invocation invocation,
                                Completion<std::string> done) {
            calls.push_back({std::move(source), std::move(invocation), std::move(done)});
          });
    }

    void schedule(const std::string& name, const std::string& cron) {
      schedules_.push(common::Json::object().set("name", name).set("cron", cron));
    }
    [[nodiscard]] common::Json meta(std::size_t index) const {
      return common::Json::parse(calls.at(index).invocation.meta).value();
    }
    void answer(std::size_t index, Result<std::string> result = std::string()) {
      calls.at(index).done(std::move(result));
    }

    std::vector<Call> calls;
    std::vector<std::string> logged;

   private:
    std::string id_;
    common::Json schedules_ = common::Json::array();
  };

  SchedulerTest() {
    loaded_->add("todo", std::make_shared<Meters>());
    main_.advance(std::chrono::milliseconds(30'500));  // sweeps come half a second after a tick
    restart();
  }
  ~SchedulerTest() override {
    scheduler_->close();
    // A real environment fails its pending calls when it ends.
    for (const auto& generation : generations_) {
      generation->calls.clear();
    }
    settle();
  }

  /// A new scheduler over the same rows, as after a restart of the server.
  void restart() {
    if (scheduler_) {
      scheduler_->close();
    }
    scheduler_ = std::make_shared<Scheduler>(Scheduler::Context{
        main_, workers_, clock_, store(), loaded_, log_, findZone(zone_).value()});
    scheduler_->onChanged([this] { ++changes_; });
    ASSERT_TRUE(scheduler_->open().ok());
  }
  void settle() {
    while (main_.runAll() > 0 || workers_.runAll()) {
    }
  }
  /// Second by second, as sweeps come.
  void advance(std::chrono::milliseconds time) {
    constexpr std::chrono::seconds kSecond{1};
    for (std::chrono::milliseconds passed{0}; passed < time; passed += kSecond) {
      main_.advance(kSecond);
      settle();
    }
  }
  std::shared_ptr<FakeGeneration> load(
      const std::vector<std::pair<std::string, std::string>>& schedules,
      const std::string& id = "todo") {
    auto generation = std::make_shared<FakeGeneration>(id, ++last_load_);
    for (const auto& [name, cron] : schedules) {
      generation->schedule(name, cron);
    }
    generations_.push_back(generation);
    loaded_->publish(id, generation);
    bool committed = false;
    scheduler_->commit(generation, [&committed](const Status& status) { committed = status.ok(); });
    settle();
    EXPECT_TRUE(committed);
    return generation;
  }
  ScheduleInfo info(const std::string& name, const std::string& id = "todo") {
    for (const auto& each : scheduler_->records(id)) {
      if (each.name == name) {
        return each;
      }
    }
    ADD_FAILURE() << "no schedule " << name;
    return {};
  }
  storage::IScheduleStore& store() { return memory_.schedules(); }

  svc::test::FakeMainExecutor main_;
  MainClock clock_{main_};
  QueuedWorkers workers_;
  storage_memory::MemoryStore memory_;
  std::shared_ptr<LoadedMap> loaded_ = std::make_shared<LoadedMap>();
  std::shared_ptr<spdlog::logger> log_ =
      std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::null_sink_mt>());
  std::string zone_ = "UTC";
  std::shared_ptr<Scheduler> scheduler_;
  std::vector<std::shared_ptr<FakeGeneration>> generations_;
  std::uint64_t last_load_ = 0;
  int changes_ = 0;
};

}  // namespace svc::plugins
