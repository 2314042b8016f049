#include <signal.h>

#include <cstddef>
#include <filesystem>
#include <iterator>

#include "svc/common/codes.h"

#include "fault_fixture.h"

namespace svc::jsruntime {
namespace {

using script::TerminationReason;

std::size_t openDescriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

TEST_F(FaultTest, ReportsUncaughtExceptionsAndGoesOn) {
  auto instance = create(std::string(kEvalAtOnce) + R"(
    process.on('uncaughtException', () => console.log('mine too'));)");
  EXPECT_TRUE(call(instance, "eval",
                   "setTimeout(() => { throw Object.assign(new RangeError('in a timer'), {code: "
                   "'E_T'}) }, 0)")
                  .ok());
  const auto seen = observer->waitFor(
      [](const auto& all) { return !all.uncaught.empty() && !all.lines.empty(); });
  ASSERT_EQ(seen.uncaught.size(), 1U);
  EXPECT_EQ(seen.uncaught[0].origin, "timer");
  EXPECT_EQ(seen.uncaught[0].error.name, "RangeError");
  EXPECT_EQ(seen.uncaught[0].error.message, "in a timer");
  EXPECT_EQ(seen.uncaught[0].error.code, "E_T");
  EXPECT_TRUE(seen.uncaught[0].error.stack.starts_with("RangeError: in a timer"))
      << seen.uncaught[0].error.stack;
  EXPECT_EQ(text(call(instance, "eval", "1 + 1")), "2");
}

TEST_F(FaultTest, ReportsDetachedRejectionsWhateverListenersThereAre) {
  auto instance = create(std::string(kEvalAtOnce) + R"(
    process.on('unhandledRejection', () => { throw new Error('in the listener'); });
    process.setUncaughtExceptionCaptureCallback(() => {});)");
  EXPECT_TRUE(call(instance, "eval", "void Promise.reject(new Error('detached'))").ok());
  auto seen = observer->waitFor([](const auto& all) { return all.uncaught.size() >= 2; });
  ASSERT_EQ(seen.uncaught.size(), 2U);
  EXPECT_EQ(seen.uncaught[0].origin, "rejection");
  EXPECT_EQ(seen.uncaught[0].error.message, "detached");
  EXPECT_EQ(seen.uncaught[1].error.message, "in the listener");
  EXPECT_TRUE(
      call(instance, "eval",
           "process.removeAllListeners(); setTimeout(() => { throw new Error('captured') })")
          .ok());
  seen = observer->waitFor([](const auto& all) { return all.uncaught.size() >= 3; });
  ASSERT_EQ(seen.uncaught.size(), 3U);
  EXPECT_EQ(seen.uncaught[2].error.message, "captured");
}

TEST_F(FaultTest, EndsWithTheCodeOfProcessExit) {
  auto instance = create(kEvalAtOnce);
  EXPECT_EQ(call(instance, "eval", "process.exit(3)").error().code, errc::kPluginNotRunning);
  const auto end = observer->waitForEnd();
  EXPECT_EQ(end.reason, TerminationReason::kProcessExit);
  EXPECT_EQ(end.exit_code, 3);
}

TEST_F(FaultTest, EndsWhenATimerExits) {
  auto instance = create(kEvalAtOnce);
  EXPECT_TRUE(call(instance, "eval", "setTimeout(() => process.reallyExit(1))").ok());
  EXPECT_EQ(observer->waitForEnd().reason, TerminationReason::kProcessExit);
}

TEST_F(FaultTest, EndsWhenAPartExits) {
  const auto created = tryCreate("process.exit(1);");
  EXPECT_FALSE(created.ok());
  EXPECT_EQ(observer->waitForEnd().exit_code, 1);
}

TEST_F(FaultTest, EndsOnAbortAndOnASignalToItself) {
  auto instance = create(kEvalAtOnce);
  EXPECT_FALSE(call(instance, "eval", "process.abort()").ok());
  EXPECT_EQ(observer->waitForEnd().reason, TerminationReason::kProcessAbort);

  observer = std::make_shared<RecordingObserver>();
  options.observer = observer;
  options.parts.clear();
  instance = create(kEvalAtOnce);
  EXPECT_EQ(text(call(instance, "eval", "process.kill(process.pid, 0)")), "true");
  EXPECT_FALSE(call(instance, "eval", "process.kill(process.pid)").ok());
  const auto end = observer->waitForEnd();
  EXPECT_EQ(end.reason, TerminationReason::kSignal);
  EXPECT_EQ(end.exit_code, 128 + SIGTERM);
}

TEST_F(FaultTest, TerminatesAnEndlessLoop) {
  auto instance = create("runtime.handle('loop', () => { console.log('in'); while (true); });");
  auto waiting = start(instance, "loop");
  observer->waitFor([](const auto& all) { return !all.lines.empty(); });
  EXPECT_TRUE(terminate(instance));
  EXPECT_EQ(waiting.get().error().code, errc::kPluginNotRunning);
}

TEST_F(FaultTest, DroppingTheInstanceEndsTheEnvironment) {
  auto instance = create("setInterval(() => {}, 1000);");
  instance.reset();
  EXPECT_EQ(observer->waitForEnd().reason, TerminationReason::kRequested);
}

TEST_F(FaultTest, SurvivesAFullStack) {
  auto instance = create(kEvalAtOnce);
  EXPECT_EQ(text(call(instance, "eval", "(function deep() { deep() })()")),
            "handler_error: Maximum call stack size exceeded");
  EXPECT_EQ(text(call(instance, "eval", "1")), "1");
}

TEST_F(FaultTest, AServerClosesDespiteIdleConnections) {
  auto instance = create(kEvalAsync);
  EXPECT_EQ(text(call(instance, "eval",
                      R"js((async () => {
    const server = process.getBuiltinModule('http').createServer((_, response) => response.end('x'));
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    await (await fetch('http://127.0.0.1:' + server.address().port)).text();
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => server.close(resolve));
    return 'closed';
  })())js")),
            "closed");
}

TEST_F(FaultTest, ReturnsWhatItUsedAfterManyCycles) {
  std::size_t after_warm_up = 0;
  for (int cycle = 0; cycle < 50; ++cycle) {
    observer = std::make_shared<RecordingObserver>();
    options.observer = observer;
    options.parts.clear();
    auto instance = create(R"(
      const fs = process.getBuiltinModule('fs');
      fs.openSync('/dev/null');
      process.getBuiltinModule('net').createServer().listen(0, '127.0.0.1');
      setInterval(() => {}, 10);
      runtime.handle('x', () => 'x');)");
    EXPECT_EQ(text(call(instance, "x")), "x");
    ASSERT_TRUE(terminate(instance));
    if (cycle == 4) {
      after_warm_up = openDescriptors();
    }
  }
  EXPECT_LE(openDescriptors(), after_warm_up + 1);
}

TEST_F(FaultTest, EndsMessyEnvironmentsAtShutDown) {
  auto instance = create(std::string(kEvalAtOnce));
  auto waiting = start(instance, "eval", "console.log('in'); for (;;);");
  observer->waitFor([](const auto& all) { return !all.lines.empty(); });
  EXPECT_TRUE(runtime.shutDown(kTooLong));
  EXPECT_EQ(waiting.get().error().code, errc::kPluginNotRunning);
  EXPECT_EQ(tryCreate("").error().code, errc::kUnavailable);
}

}  // namespace
}  // namespace svc::jsruntime
