#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "async.h"
#include "fakes/fake_executor.h"

namespace svc::plugins {
namespace {

using ::testing::ElementsAre;

class JobQueueTest : public ::testing::Test {
 protected:
  svc::testing::FakeExecutor executor_;
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

TEST_F(JobQueueTest, RefusesMoreThanItsLimit) {
  JobQueue queue(executor_);
  for (std::size_t index = 0; index < JobQueue::kLimit; ++index) {
    ASSERT_TRUE(queue.add(job("x")));
  }
  EXPECT_FALSE(queue.add(job("x")));
}

TEST_F(JobQueueTest, ClearDropsWhatHasNotStarted) {
  JobQueue queue(executor_);
  ASSERT_TRUE(queue.add(job("a")));
  queue.clear();
  executor_.runAll();
  EXPECT_THAT(started_, ElementsAre());
}

TEST(LimitedTest, AnswersOnceWithWhateverComesFirst) {
  svc::testing::FakeExecutor executor;
  std::vector<std::string> answers;
  const auto record = [&answers](const Status& status) {
    answers.push_back(status ? "done" : std::string(status.error().code.name()));
  };
  auto in_time =
      limited(executor, std::chrono::seconds(1), {errc::kTimeout, ""}, Completion<void>(record));
  in_time({});
  executor.advance(std::chrono::seconds(2));
  auto late =
      limited(executor, std::chrono::seconds(1), {errc::kTimeout, ""}, Completion<void>(record));
  executor.advance(std::chrono::seconds(2));
  late({});
  EXPECT_THAT(answers, ElementsAre("done", "timeout"));
  EXPECT_EQ(executor.pendingTimers(), 0U);
}

}  // namespace
}  // namespace svc::plugins
