#include "main_loop.h"

#include <thread>

#include <gmock/gmock.h>

namespace svc::kernel {
namespace {

using testing::ElementsAre;
using namespace std::chrono_literals;

TEST(MainLoopTest, RunsTasksInTheOrderPosted) {
  MainLoop loop;
  std::vector<int> order;
  loop.post([&] { order.push_back(1); });
  loop.post([&] { order.push_back(2); });
  EXPECT_TRUE(order.empty());
  loop.runUntil([&] { return order.size() == 2; });
  EXPECT_THAT(order, ElementsAre(1, 2));
}

TEST(MainLoopTest, TimersFireInTimeOrder) {
  MainLoop loop;
  std::vector<int> order;
  const auto late = loop.after(5ms, [&] { order.push_back(2); });
  const auto early = loop.after(1ms, [&] { order.push_back(1); });
  loop.runUntil([&] { return order.size() == 2; });
  EXPECT_THAT(order, ElementsAre(1, 2));
}

TEST(MainLoopTest, ADroppedHandleCancelsItsTimer) {
  MainLoop loop;
  bool fired = false;
  bool ended = false;
  {
    const auto dropped = loop.after(0ms, [&] { fired = true; });
  }
  const auto end = loop.after(1ms, [&] { ended = true; });
  loop.runUntil([&] { return ended; });
  EXPECT_FALSE(fired);
}

TEST(MainLoopTest, TheDeadlineEndsTheWait) {
  MainLoop loop;
  EXPECT_FALSE(loop.runUntil([] { return false; }, std::chrono::steady_clock::now() + 1ms));
}

TEST(MainLoopTest, AnotherThreadCanPost) {
  MainLoop loop;
  bool done = false;
  std::thread other([&] {
    EXPECT_FALSE(loop.isCurrent());
    loop.post([&] { done = loop.isCurrent(); });
  });
  loop.runUntil([&] { return done; });
  other.join();
}

}  // namespace
}  // namespace svc::kernel
