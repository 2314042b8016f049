#include "worker_lanes.h"

#include <atomic>
#include <future>
#include <latch>
#include <set>

#include <gtest/gtest.h>

#include "fakes/fake_clock.h"

namespace svc::kernel {
namespace {

using namespace std::chrono_literals;

constexpr WorkerLane::Options kOne{.name = "one", .threads = 1, .waiting = 2};

TEST(WorkerLaneTest, StartsThreadsOnlyForWorkAndNoMoreThanItMay) {
  test::FakeClock clock;
  WorkerLane lane({.name = "two", .threads = 2, .waiting = 8}, clock);
  std::latch both(2);
  std::promise<void> go;
  const auto gate = go.get_future().share();
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(lane.submit([&, i](const std::stop_token&) {
      if (i < 2) {
        both.count_down();
      }
      gate.wait();
    }));
  }
  both.wait();
  const auto figures = lane.figures();
  EXPECT_EQ(figures.running, 2U);
  EXPECT_EQ(figures.waiting, 2U);
  go.set_value();
  lane.stop();
  EXPECT_EQ(lane.figures().done, 4U);
}

TEST(WorkerLaneTest, RefusesWhatItHasNoRoomForAndCountsIt) {
  test::FakeClock clock;
  std::promise<void> go;
  std::promise<void> runs;
  WorkerLane lane(kOne, clock);
  ASSERT_TRUE(lane.submit([&](const std::stop_token&) {
    runs.set_value();
    go.get_future().wait();
  }));
  runs.get_future().wait();
  EXPECT_TRUE(lane.submit([](const std::stop_token&) {}));
  EXPECT_TRUE(lane.submit([](const std::stop_token&) {}));
  EXPECT_FALSE(lane.submit([](const std::stop_token&) {}));
  EXPECT_EQ(lane.figures().refused, 1U);
  go.set_value();
}

TEST(WorkerLaneTest, AStopIsSeenByWhatRunsAndByWhatWaits) {
  test::FakeClock clock;
  WorkerLane lane(kOne, clock);
  std::promise<void> runs;
  std::atomic<int> saw = 0;
  ASSERT_TRUE(lane.submit([&](const std::stop_token& stop) {
    std::promise<void> stopped;
    const std::stop_callback on_stop(stop, [&stopped] { stopped.set_value(); });
    runs.set_value();
    stopped.get_future().wait();
    ++saw;
  }));
  ASSERT_TRUE(
      lane.submit([&](const std::stop_token& stop) { saw += stop.stop_requested() ? 1 : 0; }));
  runs.get_future().wait();
  lane.stop();
  EXPECT_EQ(saw, 2);
  EXPECT_FALSE(lane.submit([](const std::stop_token&) {}));
}

TEST(WorkerLaneTest, TheLongestJobIsToldAlsoWhileItRuns) {
  test::FakeClock clock;
  WorkerLane lane(kOne, clock);
  std::promise<void> runs;
  std::promise<void> go;
  ASSERT_TRUE(lane.submit([&](const std::stop_token&) {
    runs.set_value();
    go.get_future().wait();
  }));
  runs.get_future().wait();
  clock.advance(1500ms);
  EXPECT_EQ(lane.figures().longest_ms, 1500U);
  go.set_value();
  lane.stop();
  EXPECT_EQ(lane.figures().longest_ms, 1500U);
}

TEST(WorkerLanesTest, ShortJobsDoNotWaitForBulkJobs) {
  test::FakeClock clock;
  WorkerLanes lanes(clock);
  IWorkerPool& short_jobs = lanes;
  IBulkWorkers& bulk_jobs = lanes;
  std::promise<void> go;
  const auto gate = go.get_future().share();
  for (int i = 0; i < 16; ++i) {
    ASSERT_TRUE(bulk_jobs.submit([gate](const std::stop_token&) { gate.wait(); }));
  }
  std::promise<void> done;
  ASSERT_TRUE(short_jobs.submit([&done] { done.set_value(); }));
  done.get_future().wait();
  go.set_value();
  lanes.stop();
  const auto figures = lanes.lanes();
  ASSERT_EQ(figures.size(), 2U);
  EXPECT_EQ(figures[0].name, "short");
  EXPECT_EQ(figures[0].done, 1U);
  EXPECT_EQ(figures[1].name, "bulk");
  EXPECT_EQ(figures[1].done, 16U);
}

}  // namespace
}  // namespace svc::kernel
