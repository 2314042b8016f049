#include "read_lane.h"

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace svc::threads {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Keeps jobs until the test runs them, in their order.
class HeldWorkers final : public IWorkerPool {
 public:
  bool submit(Task job) override {
    if (!full) {
      jobs.push_back(std::move(job));
    }
    return !full;
  }
  void runOne() {
    auto job = std::move(jobs.front());
    jobs.pop_front();
    job();
  }
  std::deque<Task> jobs;
  bool full = false;
};

class ReadLaneTest : public ::testing::Test {
 protected:
  bool post(const std::string& name) {
    return lane_.post([this, name](const std::stop_token& stop) {
      done_.push_back(stop.stop_requested() ? name + " stops" : name);
    });
  }

  HeldWorkers workers_;
  ReadLane lane_{workers_};
  std::vector<std::string> done_;
};

TEST_F(ReadLaneTest, HasOneJobOnTheWorkersAndLetsOthersInBetween) {
  ASSERT_TRUE(post("a"));
  ASSERT_TRUE(post("b"));
  ASSERT_TRUE(workers_.submit([this] { done_.emplace_back("other"); }));
  ASSERT_EQ(workers_.jobs.size(), 2U) << "of its two it has handed over one";
  while (!workers_.jobs.empty()) {
    workers_.runOne();
  }
  EXPECT_THAT(done_, ElementsAre("a", "other", "b"));
  ASSERT_TRUE(post("c"));
  workers_.runOne();
  EXPECT_EQ(done_.back(), "c");
}

TEST_F(ReadLaneTest, WhatRunsAndWhatWaitsSeesTheStop) {
  bool seen = false;
  ASSERT_TRUE(lane_.post([&](const std::stop_token& stop) {
    const bool before = stop.stop_requested();
    lane_.close();
    seen = !before && stop.stop_requested();
  }));
  ASSERT_TRUE(post("a"));
  while (!workers_.jobs.empty()) {
    workers_.runOne();
  }
  EXPECT_TRUE(seen);
  EXPECT_THAT(done_, ElementsAre("a stops"));
}

TEST_F(ReadLaneTest, WhatIsQueuedRunsAlsoWhenTheWorkersTakeNoMore) {
  ASSERT_TRUE(post("a"));
  ASSERT_TRUE(post("b"));
  workers_.full = true;
  workers_.runOne();
  EXPECT_THAT(done_, ElementsAre("a", "b"));
}

TEST_F(ReadLaneTest, RefusesWhatNobodyCanTake) {
  workers_.full = true;
  EXPECT_FALSE(post("a"));
  workers_.full = false;
  for (std::size_t number = 0; number < ReadLane::kQueue; ++number) {
    ASSERT_TRUE(post("b"));
  }
  EXPECT_FALSE(post("c"));
  EXPECT_THAT(done_, IsEmpty());
}

}  // namespace
}  // namespace svc::threads
