// What keeps its thread for too long.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <future>
#include <memory>
#include <thread>

#include "svc/common/codes.h"

#include "fault_fixture.h"

namespace svc::jsruntime {
namespace {

using script::TerminationReason;
using std::chrono::milliseconds;

TEST_F(FaultTest, ReportsAStallAndThenTerminates) {
  options.limits.watchdog = milliseconds(100);
  options.limits.terminate = milliseconds(300);
  auto instance = create("runtime.handle('loop', function blocking() { for (;;) {} });");
  auto waiting = start(instance, "loop");
  const auto end = observer->waitForEnd();
  EXPECT_EQ(end.reason, TerminationReason::kWatchdog);
  EXPECT_NE(end.stack.find("at blocking (svc:test:2:"), std::string::npos) << end.stack;
  EXPECT_EQ(waiting.get().error().code, errc::kPluginNotRunning);
  const auto seen = observer->waitFor([](const auto&) { return true; });
  ASSERT_EQ(seen.stalls.size(), 1U);
  EXPECT_NE(seen.stalls[0].find("at blocking (svc:test:2:"), std::string::npos) << seen.stalls[0];
}

TEST_F(FaultTest, GivesUpAThreadThatStaysInASystemCall) {
  options.limits.watchdog = milliseconds(50);
  options.limits.terminate = milliseconds(100);
  const auto pipe = folder.path() / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  auto instance = create(kEvalAtOnce);
  auto waiting = start(instance, "eval", "require('fs').readFileSync('" + pipe.string() + "')");
  EXPECT_EQ(observer->waitForEnd().reason, TerminationReason::kWatchdog);
  EXPECT_TRUE(terminate(instance));  // nobody waits for the thread any more
  EXPECT_EQ(waiting.wait_for(milliseconds(0)), std::future_status::timeout);
  EXPECT_TRUE(instance->stats().parked);
  const int writer = open(pipe.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(writer, 0);
  close(writer);  // the end of the file, which the thread has waited for
  EXPECT_EQ(waiting.get().error().code, errc::kPluginNotRunning);
  EXPECT_TRUE(runtime.shutDown(kTooLong));
  EXPECT_FALSE(instance->stats().parked);
}

/// Holds the script thread in onConsole until it is told otherwise.
class HoldingObserver final : public script::IScriptObserver {
 public:
  struct Place {
    std::promise<void> entered;
    std::promise<void> leave;
  };
  explicit HoldingObserver(std::shared_ptr<Place> place) : place_(std::move(place)) {}
  void onUncaughtError(const script::ScriptError&, const std::string&) override {}
  void onConsole(const std::string&, const std::string&) override {
    place_->entered.set_value();
    place_->leave.get_future().wait();
  }
  void onStall(milliseconds, const std::string&) override {}
  void onEnded(const script::Termination&) override {}

 private:
  const std::shared_ptr<Place> place_;
};

TEST_F(FaultTest, AnObserverStaysWhileAThreadThatWasGivenUpIsInIt) {
  options.limits.watchdog = milliseconds(50);
  options.limits.terminate = milliseconds(100);
  const auto place = std::make_shared<HoldingObserver::Place>();
  options.observer = std::make_shared<HoldingObserver>(place);
  const std::weak_ptr<script::IScriptObserver> held = options.observer;
  auto instance = create(kEvalAtOnce);
  options.observer.reset();
  auto waiting = start(instance, "eval", "console.log('in')");
  place->entered.get_future().wait();
  EXPECT_TRUE(terminate(instance));
  const auto until = std::chrono::steady_clock::now() + kTooLong;
  while (held.use_count() > 1 && std::chrono::steady_clock::now() < until) {
    std::this_thread::yield();  // the supervisor is about to let go of it
  }
  EXPECT_EQ(held.use_count(), 1);
  place->leave.set_value();
  EXPECT_FALSE(waiting.get().ok());
}

TEST_F(FaultTest, AStallThatPassesIsOnlyReported) {
  options.limits.watchdog = milliseconds(50);
  auto instance = create(std::string(kEvalAtOnce));
  EXPECT_TRUE(
      call(instance, "eval", "const end = Date.now() + 400; while (Date.now() < end);").ok());
  const auto seen = observer->waitFor([](const auto& all) { return !all.stalls.empty(); });
  EXPECT_EQ(seen.stalls.size(), 1U);
  EXPECT_EQ(text(call(instance, "eval", "2")), "2");
}

TEST_F(FaultTest, APausedWatchdogNeitherReportsNorTerminates) {
  options.limits.watchdog = milliseconds(50);
  options.limits.terminate = milliseconds(150);
  auto instance = create(std::string(kEvalAtOnce));
  EXPECT_TRUE(call(instance, "eval",
                   "runtime.pauseWatchdog(true); const end = Date.now() + 600; while (Date.now() < "
                   "end); runtime.pauseWatchdog(false);")
                  .ok());
  EXPECT_EQ(text(call(instance, "eval", "2")), "2");
  EXPECT_TRUE(observer->waitFor([](const auto&) { return true; }).stalls.empty());
  auto waiting = start(instance, "eval", "for (;;);");
  EXPECT_EQ(observer->waitForEnd().reason, TerminationReason::kWatchdog) << "it watches again";
}

}  // namespace
}  // namespace svc::jsruntime
