#include "build_queue.h"

#include <future>

#include <gtest/gtest.h>

#include "svc/common/codes.h"

#include "fakes/bulk_threads.h"

namespace svc::app {
namespace {

using common::BuildReport;
using common::BuildRequest;

std::future<Result<BuildReport>> submit(BuildQueue& queue, const std::string& root = "/plugin") {
  auto promise = std::make_shared<std::promise<Result<BuildReport>>>();
  queue.submit({.root = root, .targets = {}},
               [promise](Result<BuildReport> report) { promise->set_value(std::move(report)); });
  return promise->get_future();
}

TEST(BuildQueueTest, BuildsAndKeepsTheBuilderWhileThereIsMore) {
  std::promise<void> go;
  const auto gate = go.get_future().share();
  int made = 0;
  std::vector<std::string> roots;
  test::BulkThreads workers;
  BuildQueue queue(
      workers,
      [&]() -> BuildQueue::Build {
        ++made;
        return [&](const BuildRequest& request, const std::stop_token&) {
          gate.wait();
          roots.push_back(request.root.string());
          return Result<BuildReport>(BuildReport{});
        };
      },
      1);
  auto first = submit(queue, "/a");
  auto second = submit(queue, "/b");
  go.set_value();
  EXPECT_TRUE(first.get());
  EXPECT_TRUE(second.get());
  EXPECT_EQ(made, 1);
  EXPECT_EQ(roots, (std::vector<std::string>{"/a", "/b"}));
}

TEST(BuildQueueTest, TheBuilderStaysForWhatComesSoon) {
  int made = 0;
  test::BulkThreads workers;
  BuildQueue queue(
      workers,
      [&]() -> BuildQueue::Build {
        ++made;
        return [](const BuildRequest&, const std::stop_token&) {
          return Result<BuildReport>(BuildReport{});
        };
      },
      2, std::chrono::hours(1));
  for (int build = 0; build < 5; ++build) {
    EXPECT_TRUE(submit(queue).get());
  }
  // It may still be on its way to its rest when the next job comes: that starts the other one, once.
  EXPECT_LE(made, 2);
}

TEST(BuildQueueTest, TheBuilderEndsWhenNothingComes) {
  int made = 0;
  std::promise<void> ended;
  test::BulkThreads workers;
  BuildQueue queue(
      workers,
      [&]() -> BuildQueue::Build {
        const bool first = ++made == 1;
        std::shared_ptr<void> process(nullptr, [&ended, first](void*) {
          if (first) {
            ended.set_value();
          }
        });
        return [process](const BuildRequest&, const std::stop_token&) {
          return Result<BuildReport>(BuildReport{});
        };
      },
      1, std::chrono::milliseconds(1));
  EXPECT_TRUE(submit(queue).get());
  ended.get_future().wait();
  EXPECT_TRUE(submit(queue).get());
  EXPECT_EQ(made, 2);
}

TEST(BuildQueueTest, AStopEndsABuilderAtRest) {
  std::promise<void> ended;
  test::BulkThreads workers;
  BuildQueue queue(
      workers,
      [&]() -> BuildQueue::Build {
        std::shared_ptr<void> process(nullptr, [&ended](void*) { ended.set_value(); });
        return [process](const BuildRequest&, const std::stop_token&) {
          return Result<BuildReport>(BuildReport{});
        };
      },
      1, std::chrono::hours(1));
  EXPECT_TRUE(submit(queue).get());
  queue.stop();
  ended.get_future().wait();
}

TEST(BuildQueueTest, StoppingEndsWhatRunsAndFailsWhatWaits) {
  std::promise<void> running;
  test::BulkThreads workers;
  BuildQueue queue(
      workers,
      [&]() -> BuildQueue::Build {
        return [&](const BuildRequest&, const std::stop_token& stop) -> Result<BuildReport> {
          std::promise<void> stopped;
          const std::stop_callback on_stop(stop, [&stopped] { stopped.set_value(); });
          running.set_value();
          stopped.get_future().wait();
          return Error{errc::kAborted, "stopped"};
        };
      },
      1);
  auto first = submit(queue);
  running.get_future().wait();
  auto second = submit(queue);
  queue.stop();
  EXPECT_EQ(first.get().error().code, errc::kAborted);
  EXPECT_EQ(second.get().error().code, errc::kAborted);
  EXPECT_EQ(submit(queue).get().error().code, errc::kAborted);
}

TEST(BuildQueueTest, RefusesMoreThanItKeeps) {
  std::promise<void> go;
  std::promise<void> running;
  const auto gate = go.get_future().share();
  bool first_run = true;
  test::BulkThreads workers;
  BuildQueue queue(
      workers,
      [&]() -> BuildQueue::Build {
        return [&](const BuildRequest&, const std::stop_token&) {
          if (std::exchange(first_run, false)) {
            running.set_value();
          }
          gate.wait();
          return Result<BuildReport>(BuildReport{});
        };
      },
      1);
  std::vector<std::future<Result<BuildReport>>> answers;
  answers.push_back(submit(queue));
  running.get_future().wait();
  for (std::size_t i = 0; i < BuildQueue::kWaiting; ++i) {
    answers.push_back(submit(queue));
  }
  EXPECT_EQ(submit(queue).get().error().code, errc::kOverloaded);
  go.set_value();
  for (auto& answer : answers) {
    EXPECT_TRUE(answer.get());
  }
}

TEST(BuildQueueTest, TheEndOfTheServerEndsWhatRuns) {
  std::promise<void> running;
  test::BulkThreads workers;
  BuildQueue queue(workers, [&]() -> BuildQueue::Build {
    return [&](const BuildRequest&, const std::stop_token& stop) -> Result<BuildReport> {
      std::promise<void> stopped;
      const std::stop_callback on_stop(stop, [&stopped] { stopped.set_value(); });
      running.set_value();
      stopped.get_future().wait();
      return Error{errc::kAborted, "stopped"};
    };
  });
  auto build = submit(queue);
  running.get_future().wait();
  workers.stop.request_stop();
  EXPECT_EQ(build.get().error().code, errc::kAborted);
}

TEST(BuildQueueTest, AFullLaneIsSaidAndFailsNothingThatABuilderTakes) {
  test::BulkThreads workers;
  workers.full = true;
  BuildQueue queue(workers, []() -> BuildQueue::Build {
    return [](const BuildRequest&, const std::stop_token&) {
      return Result<BuildReport>(BuildReport{});
    };
  });
  EXPECT_EQ(submit(queue).get().error().code, errc::kOverloaded);
  workers.full = false;
  EXPECT_TRUE(submit(queue).get());
}

}  // namespace
}  // namespace svc::app
