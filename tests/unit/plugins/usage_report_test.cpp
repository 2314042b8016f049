#include "usage_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mocks/mock_script_runtime.h"

namespace svc::plugins {
namespace {

using ::testing::NiceMock;
using ::testing::Return;

std::shared_ptr<script::IScriptInstance> environment(const script::ScriptStats& stats) {
  auto instance = std::make_shared<NiceMock<script::MockScriptInstance>>();
  ON_CALL(*instance, stats).WillByDefault(Return(stats));
  return instance;
}

class UsageReportTest : public ::testing::Test {
 protected:
  UsageReportTest() { loaded->add("todo", meters); }
  PluginUsage usage() const { return UsageReport(loaded).usage().at(0); }

  std::shared_ptr<Meters> meters = std::make_shared<Meters>();
  std::shared_ptr<LoadedMap> loaded = std::make_shared<LoadedMap>();
};

TEST_F(UsageReportTest, ListsEveryKnownPluginById) {
  loaded->add("alpha", std::make_shared<Meters>());
  loaded->setStatus("todo", PluginStatus::kRunning, "");
  const auto all = UsageReport(loaded).usage();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].id, "alpha");
  EXPECT_EQ(all[1].id, "todo");
  EXPECT_EQ(all[1].status, PluginStatus::kRunning);
  loaded->erase("alpha");
  EXPECT_EQ(UsageReport(loaded).usage().size(), 1U);
}

TEST_F(UsageReportTest, SumsOverTheEnvironmentsOfAPlugin) {
  const auto before = environment({.cpu_ms = 10,
                                   .cpu_percent = 5,
                                   .loop_delay_p99_ms = 3,
                                   .heap_bytes = 100,
                                   .external_bytes = 7,
                                   .pending_calls = 1,
                                   .worker_threads = 1,
                                   .blocking_operations = 40,
                                   .descriptors = 10,
                                   .database_bytes = 1000,
                                   .database_connections = 3});
  const auto now = environment({.cpu_ms = 20,
                                .cpu_percent = 1.5,
                                .loop_delay_p99_ms = 2,
                                .heap_bytes = 200,
                                .external_bytes = 8,
                                .pending_calls = 2,
                                .worker_threads = 2,
                                .blocking_operations = 1,
                                .descriptors = 20,
                                .database_bytes = 2000,
                                .database_connections = 1});
  meters->addEnvironment(before);
  meters->addEnvironment(now);
  const auto both = usage();
  EXPECT_EQ(both.cpu_ms, 30U);
  EXPECT_DOUBLE_EQ(both.cpu_percent, 6.5);
  EXPECT_DOUBLE_EQ(both.loop_delay_p99_ms, 3);
  EXPECT_EQ(both.heap_bytes, 300U);
  EXPECT_EQ(both.external_bytes, 15U);
  EXPECT_EQ(both.pending_calls, 3U);
  EXPECT_EQ(both.worker_threads, 3U);
  EXPECT_EQ(both.blocking_operations, 41U);
  EXPECT_EQ(both.descriptors, 30U);
  EXPECT_EQ(both.database_bytes, 3000U);
  EXPECT_EQ(both.database_connections, 4U);
}

TEST_F(UsageReportTest, KeepsTheCpuTimeOfAnEnvironmentThatEnded) {
  const auto ended = environment({.cpu_ms = 10, .heap_bytes = 100});
  meters->addEnvironment(ended);
  meters->removeEnvironment(*ended);
  EXPECT_EQ(usage().cpu_ms, 10U);
  EXPECT_EQ(usage().heap_bytes, 0U);
}

TEST_F(UsageReportTest, CountsEnvironmentsThatAreGoneButForTheirThreads) {
  auto instance = std::make_shared<NiceMock<script::MockScriptInstance>>();
  script::ScriptStats stats{
      .heap_bytes = 100, .external_bytes = 7, .database_bytes = 3, .parked = true};
  ON_CALL(*instance, stats).WillByDefault([&stats] { return stats; });
  meters->addEnvironment(instance);
  EXPECT_EQ(usage().parked_environments, 0U);
  meters->removeEnvironment(*instance);
  EXPECT_EQ(usage().heap_bytes, 0U);
  EXPECT_EQ(usage().parked_environments, 1U);
  EXPECT_EQ(usage().parked_bytes, 110U);
  stats.parked = false;
  EXPECT_EQ(usage().parked_environments, 0U);
  EXPECT_EQ(usage().parked_bytes, 0U);
}

TEST_F(UsageReportTest, CountsCallsByTheTimeTheyTook) {
  using Milliseconds = std::chrono::duration<double, std::milli>;
  meters->recordCall(Milliseconds(1));
  meters->recordCall(Milliseconds(1.1));
  meters->recordFailedCall(Milliseconds(90'000), {});
  meters->recordRestart();
  const auto values = usage();
  EXPECT_EQ(values.latencies[0], 1U);
  EXPECT_EQ(values.latencies[1], 1U);
  EXPECT_EQ(values.latencies.back(), 1U);
  EXPECT_EQ(values.calls.count, 3U);
  EXPECT_EQ(values.calls.error_count, 1U);
  EXPECT_EQ(values.restarts, 1U);
}

}  // namespace
}  // namespace svc::plugins
