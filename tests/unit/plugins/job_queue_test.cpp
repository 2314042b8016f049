#include "job_queue.h"

#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fakes/fake_executor.h"

namespace svc::plugins {
namespace {

using ::testing::ElementsAre;

class JobQueueTest : public ::testing::Test {
 protected:
  svc::test::FakeExecutor executor_;
  std::vector<std::string> started_;
  std::vector<Completion<void>> running_;

  JobQueue::Job job(std::string name) {
    return [this, name = std::move(name)](Completion<void> finished) {
      started_.push_back(name);
      running_.push_back(std::move(finished));
    };
  }
};

TEST_F(JobQueueTest, RunsOneAfterAnother) {
  JobQueue queue(executor_);
  ASSERT_TRUE(queue.add(job("a")));
  ASSERT_TRUE(queue.add(job("b")));
  executor_.runAll();
  EXPECT_THAT(started_, ElementsAre("a"));
  running_.front()({});
  executor_.runAll();
  EXPECT_THAT(started_, ElementsAre("a", "b"));
  EXPECT_FALSE(queue.idle());
  running_.back()({});
  EXPECT_TRUE(queue.idle());
}

TEST_F(JobQueueTest, RunsSomeInParallel) {
  JobQueue queue(executor_, 2);
  for (const auto* name : {"a", "b", "c"}) {
    ASSERT_TRUE(queue.add(job(name)));
  }
  executor_.runAll();
  EXPECT_THAT(started_, ElementsAre("a", "b"));
  running_.clear();  // dropping a completion ends its job too
  executor_.runAll();
  EXPECT_THAT(started_, ElementsAre("a", "b", "c"));
}

TEST_F(JobQueueTest, WhatIsPreferredIsNextAndTheOthersKeepTheirOrder) {
  JobQueue queue(executor_);
  for (const auto* name : {"a", "b", "c", "d"}) {
    ASSERT_TRUE(queue.add(job(name), name));
  }
  executor_.runAll();
  queue.prefer("d");
  queue.prefer("a");  // has begun
  queue.prefer("nobody");
  for (std::size_t ended = 0; ended < 3; ++ended) {
    running_.at(ended)({});
    executor_.runAll();
  }
  EXPECT_THAT(started_, ElementsAre("a", "d", "b", "c"));
}

TEST_F(JobQueueTest, RefusesMoreThanItsLimit) {
  JobQueue queue(executor_);
  for (std::size_t index = 0; index < JobQueue::kLimit; ++index) {
    ASSERT_TRUE(queue.add(job("x")));
  }
  EXPECT_FALSE(queue.add(job("x")));
}

Course<void> takeTurn(JobQueue* queue, std::vector<std::string>* events, std::string name,
                      std::vector<Completion<void>>* running) {
  auto turn = co_await queue->turn();
  if (!turn) {
    events->push_back(name + ": " + std::string(turn.error().code.name()));
    co_return turn.error();
  }
  events->push_back(name + " began");
  std::ignore = co_await answer<void>(
      [running](Completion<void> done) { running->push_back(std::move(done)); });
  co_return {};
}

TEST_F(JobQueueTest, ACourseHasItsTurnUntilItEnds) {
  JobQueue queue(executor_);
  takeTurn(&queue, &started_, "a", &running_).start({});
  takeTurn(&queue, &started_, "b", &running_).start({});
  executor_.runAll();
  EXPECT_THAT(started_, ElementsAre("a began"));
  running_.front()({});
  executor_.runAll();
  EXPECT_THAT(started_, ElementsAre("a began", "b began"));
  running_.back()({});
  EXPECT_TRUE(queue.idle());
}

TEST_F(JobQueueTest, ATurnThatIsNotGivenSaysWhy) {
  JobQueue queue(executor_, 1, 1);
  takeTurn(&queue, &started_, "a", &running_).start({});
  takeTurn(&queue, &started_, "b", &running_).start({});
  EXPECT_THAT(started_, ElementsAre("b: overloaded"));
  queue.clear();
  EXPECT_THAT(started_, ElementsAre("b: overloaded", "a: aborted"));
  executor_.runAll();
  EXPECT_TRUE(queue.idle());
}

TEST_F(JobQueueTest, ClearDropsWhatHasNotStarted) {
  JobQueue queue(executor_);
  ASSERT_TRUE(queue.add(job("a")));
  queue.clear();
  executor_.runAll();
  EXPECT_THAT(started_, ElementsAre());
}

}  // namespace
}  // namespace svc::plugins
