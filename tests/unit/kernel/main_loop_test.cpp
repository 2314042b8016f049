#include "main_loop.h"

#include <functional>
#include <memory>
#include <optional>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
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

TEST(MainLoopTest, HandlersOfItsContextRunOnItsThread) {
  MainLoop loop;
  bool handled = false;
  std::thread other([&, &context = loop.context()] {
    boost::asio::post(context, [&] { handled = loop.isCurrent(); });
  });
  loop.runUntil([&] { return handled; });
  other.join();
}

TEST(MainLoopTest, ATaskWakesTheWaitForSockets) {
  MainLoop loop;
  boost::asio::steady_timer never(loop.context(), std::chrono::hours(1));
  never.async_wait([](const auto&) {});
  bool done = false;
  std::optional<std::thread> other;
  // Posted from a handler's turn on, so that the loop is in its context before or soon after.
  boost::asio::post(loop.context(),
                    [&] { other.emplace([&] { loop.post([&] { done = loop.isCurrent(); }); }); });
  loop.runUntil([&] { return done; });
  EXPECT_TRUE(done);
  other->join();
}

TEST(MainLoopTest, TimersFireWhileItWaitsForSockets) {
  MainLoop loop;
  [[maybe_unused]] const auto& context = loop.context();
  std::vector<int> order;
  const auto late = loop.after(5ms, [&] { order.push_back(2); });
  const auto early = loop.after(1ms, [&] { order.push_back(1); });
  EXPECT_TRUE(loop.runUntil([&] { return order.size() == 2; }));
  EXPECT_THAT(order, ElementsAre(1, 2));
  EXPECT_FALSE(loop.runUntil([] { return false; }, std::chrono::steady_clock::now() + 1ms));
}

TEST(MainLoopTest, TasksWithoutEndLeaveHandlersTheirTurn) {
  MainLoop loop;
  bool handled = false;
  std::function<void()> again = [&] { loop.post([&] { again(); }); };
  again();
  boost::asio::post(loop.context(), [&] { handled = true; });
  EXPECT_TRUE(loop.runUntil([&] { return handled; }));
}

TEST(MainLoopTest, NothingRunsAfterTheHandlerThatFinishesIt) {
  MainLoop loop;
  bool finished = false;
  bool ran_after = false;
  std::function<void()> again = [&] {
    ran_after = ran_after || finished;
    loop.post([&] { again(); });
  };
  again();
  boost::asio::post(loop.context(), [&] { finished = true; });
  EXPECT_TRUE(loop.runUntil([&] { return finished; }));
  EXPECT_FALSE(ran_after);
}

TEST(MainLoopTest, WhatIsLeftInItsContextMayPostAtTheEnd) {
  struct Last {
    MainLoop* loop;
    ~Last() {
      loop->post([] {});
    }
  };
  MainLoop loop;
  boost::asio::post(loop.context(), [last = std::make_shared<Last>(Last{&loop})] {});
}

}  // namespace
}  // namespace svc::kernel
