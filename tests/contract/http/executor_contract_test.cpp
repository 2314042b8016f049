// What every IExecutor promises, checked against the fake that tests drive by hand and the io thread.
#include <chrono>
#include <future>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "fakes/fake_executor.h"
#include "reactor.h"

namespace svc::test {
namespace {

using namespace std::chrono_literals;

/// An executor, and a way to let it work until `done` is ready.
class Rig {
 public:
  virtual ~Rig() = default;
  virtual IExecutor& executor() = 0;
  virtual void runUntil(std::future<void>& done) = 0;
};

class FakeRig final : public Rig {
 public:
  IExecutor& executor() override { return executor_; }
  void runUntil(std::future<void>& done) override {
    executor_.advance(1s);
    ASSERT_EQ(done.wait_for(0s), std::future_status::ready);
  }

 private:
  FakeExecutor executor_;
};

class ReactorRig final : public Rig {
 public:
  ReactorRig() { reactor_.start(); }
  IExecutor& executor() override { return reactor_; }
  void runUntil(std::future<void>& done) override {
    ASSERT_EQ(done.wait_for(10s), std::future_status::ready);
  }

 private:
  http::Reactor reactor_;
};

template <class RigType>
class ExecutorContract : public ::testing::Test {
 protected:
  void run() { rig_.runUntil(done_); }
  Task finish() {
    return [this] { promise_.set_value(); };
  }

  RigType rig_;
  IExecutor& executor_ = rig_.executor();
  std::promise<void> promise_;
  std::future<void> done_ = promise_.get_future();
};

using Rigs = ::testing::Types<FakeRig, ReactorRig>;
TYPED_TEST_SUITE(ExecutorContract, Rigs);

TYPED_TEST(ExecutorContract, RunsTasksInTheOrderPosted) {
  std::vector<int> order;
  this->executor_.post([&] { order.push_back(1); });
  this->executor_.post([&] { order.push_back(2); });
  this->executor_.post([&] { order.push_back(3); });
  this->executor_.post(this->finish());
  this->run();
  EXPECT_EQ(order, (std::vector{1, 2, 3}));
}

TYPED_TEST(ExecutorContract, NeverRunsATaskInsidePost) {
  bool inside = true;
  this->executor_.post([&] {
    this->executor_.post([&] {
      EXPECT_FALSE(inside);
      this->promise_.set_value();
    });
    inside = false;
  });
  this->run();
}

TYPED_TEST(ExecutorContract, IsCurrentInsideATask) {
  this->executor_.post([&] {
    EXPECT_TRUE(this->executor_.isCurrent());
    this->promise_.set_value();
  });
  this->run();
}

TYPED_TEST(ExecutorContract, IsNotCurrentOnAForeignThread) {
  std::thread([&] { EXPECT_FALSE(this->executor_.isCurrent()); }).join();
}

TYPED_TEST(ExecutorContract, RunsTimersInTheOrderOfTheirTime) {
  std::vector<int> order;
  std::vector<Handle> timers;
  // On its own thread, so that none is due while the next is set; on a busy machine that alone takes milliseconds.
  this->executor_.post([&] {
    timers.push_back(this->executor_.after(60ms, this->finish()));
    timers.push_back(this->executor_.after(30ms, [&] { order.push_back(2); }));
    timers.push_back(this->executor_.after(0ms, [&] { order.push_back(1); }));
  });
  this->run();
  EXPECT_EQ(order, (std::vector{1, 2}));
}

TYPED_TEST(ExecutorContract, ForgetsATimerWhoseHandleIsGone) {
  bool ran = false;
  this->executor_.post([&] {
    auto cancelled = this->executor_.after(0ms, [&] { ran = true; });
    cancelled.reset();
  });
  const auto last = this->executor_.after(2ms, this->finish());
  this->run();
  EXPECT_FALSE(ran);
}

TYPED_TEST(ExecutorContract, ATaskMayCancelATimerThatIsDueAtTheSameTime) {
  bool ran = false;
  Handle doomed;
  Handle first;
  Handle last;
  this->executor_.post([&] {
    first = this->executor_.after(1ms, [&] { doomed.reset(); });
    doomed = this->executor_.after(1ms, [&] { ran = true; });
    last = this->executor_.after(5ms, this->finish());
  });
  this->run();
  EXPECT_FALSE(ran);
}

TYPED_TEST(ExecutorContract, AHandleMayOutliveItsTimer) {
  auto timer = std::make_unique<Handle>(this->executor_.after(0ms, this->finish()));
  this->run();
  timer.reset();
}

}  // namespace
}  // namespace svc::test
