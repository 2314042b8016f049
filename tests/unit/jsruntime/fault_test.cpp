#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include <dirent.h>

#include "svc/common/codes.h"

#include "script_fixture.h"

namespace svc::jsruntime {
namespace {

using script::TerminationReason;
using std::chrono::milliseconds;
using FaultTest = ScriptFixture;

constexpr const char* kEvalAtOnce = "runtime.handle('eval', (meta, body) => String(eval(body)));";
constexpr const char* kEvalAsync =
    "runtime.handle('eval', async (meta, body) => String(await eval(body)));";

std::size_t openDescriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

std::ptrdiff_t threadsNamed(const std::string& name) {
  const std::filesystem::directory_iterator all("/proc/self/task");
  return std::count_if(begin(all), end(all), [&name](const auto& thread) {
    std::string found;
    return std::getline(std::ifstream(thread.path() / "comm"), found) && found == name;
  });
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

TEST_F(FaultTest, TheHeapLimitEndsOnlyThisEnvironment) {
  auto neighbour_observer = std::make_shared<RecordingObserver>();
  options.observer = neighbour_observer;
  auto neighbour = create(kEvalAtOnce);
  options.parts.clear();
  options.observer = observer;
  options.limits.heap_bytes = 64UL << 20;
  auto instance = create(kEvalAtOnce);
  EXPECT_EQ(call(instance, "eval", "const all = []; for (;;) all.push(new Array(1000).fill({}))")
                .error()
                .code,
            errc::kPluginNotRunning);
  const auto end = observer->waitForEnd();
  EXPECT_EQ(end.reason, TerminationReason::kHeapLimit);
  EXPECT_NE(end.message.find("64 MiB"), std::string::npos) << end.message;
  EXPECT_EQ(text(call(neighbour, "eval", "1")), "1");
}

TEST_F(FaultTest, AScriptThatCatchesEverythingStillHitsTheHeapLimit) {
  options.limits.heap_bytes = 64UL << 20;
  auto instance = create(kEvalAtOnce);
  EXPECT_FALSE(call(instance, "eval",
                    "const all = []; for (;;) { try { all.push('x'.repeat(100000) + all.length) ; "
                    "all.push(new Array(10000).fill(1.5)) } catch {} }")
                   .ok());
  EXPECT_EQ(observer->waitForEnd().reason, TerminationReason::kHeapLimit);
}

TEST_F(FaultTest, OneAllocationBeyondTheHeapLimitEndsOnlyThisEnvironment) {
  options.limits.heap_bytes = 64UL << 20;
  auto instance = create(kEvalAtOnce);
  EXPECT_EQ(call(instance, "eval", "const all = []; for (;;) all.push(1.5)").error().code,
            errc::kPluginNotRunning);
  EXPECT_EQ(observer->waitForEnd().reason, TerminationReason::kHeapLimit);
  EXPECT_TRUE(terminate(instance));
  EXPECT_EQ(call(instance, "eval", "1").error().code, errc::kPluginNotRunning);
}

TEST_F(FaultTest, AHeapThatV8GaveUpIsFreedAlthoughItsThreadIsLost) {
  options.name = "lost";
  options.limits.heap_bytes = 24UL << 20;
  auto instance = create(kEvalAtOnce);
  auto waiting = start(instance, "eval", "new Array(1e9).fill(0).length");
  EXPECT_EQ(observer->waitForEnd().reason, TerminationReason::kHeapLimit);
  EXPECT_EQ(waiting.get().error().code, errc::kPluginNotRunning);
  EXPECT_TRUE(runtime.shutDown(kTooLong));  // parked threads are not waited for
  EXPECT_FALSE(instance->stats().parked);
  EXPECT_EQ(threadsNamed(options.name), 1) << "only a thread that is lost has something to free";
}

TEST_F(FaultTest, AnArrayTooLongForV8EndsOnlyItsEnvironment) {
  auto instance = create(kEvalAtOnce);
  EXPECT_EQ(call(instance, "eval", "'abc'.repeat(5e7).split('').length").error().code,
            errc::kPluginNotRunning);
  EXPECT_EQ(observer->waitForEnd().reason, TerminationReason::kHeapLimit);
  EXPECT_TRUE(instance->stats().parked);
}

class WorkerMemoryTest : public FaultTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(WorkerMemoryTest, EndsTheEnvironmentWhenItGrowsWithoutEnd) {
  options.limits.heap_bytes = 64UL << 20;
  const auto instance = create(kEvalAtOnce);
  EXPECT_EQ(text(call(instance, "eval",
                      "new (process.getBuiltinModule('worker_threads').Worker)(`const kept = [];"
                      "const grow = () => { " +
                          std::string(GetParam()) +
                          " }; grow();`, { eval: true }).on('error', () => {}); 'grows'")),
            "grows");
  const auto end = observer->waitForEnd();
  EXPECT_EQ(end.reason, TerminationReason::kHeapLimit);
  EXPECT_EQ(end.message,
            "the Buffers and SharedArrayBuffers of worker threads reached their limit of 128 MiB");
}

INSTANTIATE_TEST_SUITE_P(Ways, WorkerMemoryTest,
                         ::testing::Values("for (;;) kept.push(Buffer.alloc(1e6, 1));",
                                           "kept.push(Buffer.alloc(1e6, 1)); setImmediate(grow);"));

TEST_F(FaultTest, TheHeapsOfAllWorkersHaveALimitTogether) {
  options.limits.heap_bytes = 64UL << 20;
  const auto instance = create(kEvalAtOnce);
  // Each stays below its own limit.
  EXPECT_EQ(
      text(call(instance, "eval",
                "for (let i = 0; i < 5; ++i) new (process.getBuiltinModule('worker_threads')"
                ".Worker)(`const kept = []; const grow = () => { if (kept.length < 40) "
                "kept.push(Array.from({ length: 125e3 }, (_, i) => i + 0.5)); "
                "else Array.from({ length: 1e5 }, (_, i) => ({ i })); setImmediate(grow); }; "
                "grow();`, { eval: true }).on('error', (error) => { throw error; }); 'grows'")),
      "grows");
  const auto end = observer->waitForEnd();
  EXPECT_EQ(end.reason, TerminationReason::kHeapLimit);
  EXPECT_EQ(end.message,
            "the heaps of worker threads together reached their limit of 128 MiB, which follows "
            "from plugins.heapMiB");
}

TEST_F(FaultTest, TheGarbageOnTheHeapsOfWorkersIsNotHeldAgainstThem) {
  options.limits.heap_bytes = 64UL << 20;
  const auto instance = create(kEvalAsync);
  EXPECT_EQ(
      text(call(instance, "eval", R"js(Promise.all([1, 2, 3, 4].map(() => new Promise((resolve) =>
    new (process.getBuiltinModule('worker_threads').Worker)(`let kept = [];
      for (let i = 0; i < 1000; ++i) { kept.push(Array.from({ length: 1e4 }, (_, i) => ({ i }))); if (kept.length > 20) kept = []; }
      require('worker_threads').parentPort.postMessage('done')`, { eval: true }).on('message', resolve))))
    .then((all) => all.join(' ')))js")),
      "done done done done");
}

TEST_F(FaultTest, GarbageOfAWorkerIsNotHeldAgainstIt) {
  options.limits.heap_bytes = 64UL << 20;
  const auto instance = create(kEvalAsync);
  EXPECT_EQ(text(call(instance, "eval", R"js(new Promise((resolve) =>
    new (process.getBuiltinModule('worker_threads').Worker)(`for (let i = 0; i < 2000; ++i) Buffer.alloc(1e6, 1);
      require('worker_threads').parentPort.postMessage('done')`, { eval: true }).on('message', resolve)))js")),
            "done");
}

TEST_F(FaultTest, SharedMemoryIsRefusedOverTheLimit) {
  options.limits.heap_bytes = 64UL << 20;
  const auto instance = create(kEvalAsync);
  EXPECT_EQ(text(call(instance, "eval", R"js((async () => {
    const inWorker = await new Promise((resolve) => new (process.getBuiltinModule('worker_threads').Worker)(`
      const { parentPort } = require('worker_threads');
      const kept = [];
      try { for (;;) kept.push(new SharedArrayBuffer(16e6)); } catch (error) {
        parentPort.postMessage(error.name + ' ' + kept.length + ' ' + (kept[0] instanceof SharedArrayBuffer)); setInterval(() => kept, 1e6);
      }`, { eval: true }).on('message', resolve));
    try { new WebAssembly.Memory({ initial: 256, maximum: 65536, shared: true }); } catch (error) { return inWorker + ' ' + error.name; }
    return inWorker;
  })())js")),
            "RangeError 8 true RangeError");
}

TEST_F(FaultTest, SurvivesAFullStack) {
  auto instance = create(kEvalAtOnce);
  EXPECT_EQ(text(call(instance, "eval", "(function deep() { deep() })()")),
            "handler_error: Maximum call stack size exceeded");
  EXPECT_EQ(text(call(instance, "eval", "1")), "1");
}

TEST_F(FaultTest, RefusesNativeAddons) {
  folder.write("addon.node", "not an addon");
  auto instance = create(kEvalAtOnce);
  const auto loaded = call(instance, "eval",
                           "try { process.getBuiltinModule('module').createRequire('/')('" +
                               (folder.path() / "addon.node").string() +
                               "'); 'loaded' } catch (e) { e.code + ' ' + e.message }");
  EXPECT_NE(text(loaded).find("ERR_DLOPEN_FAILED native addons are not supported"),
            std::string::npos)
      << text(loaded);
}

TEST_F(FaultTest, KeepsTheProcessOfTheServer) {
  auto instance = create(kEvalAtOnce);
  const auto folder_before = std::filesystem::current_path();
  EXPECT_EQ(
      text(call(instance, "eval", "try { process.chdir('/'); 'moved' } catch (e) { e.code }")),
      "ERR_WORKER_UNSUPPORTED_OPERATION");
  EXPECT_EQ(std::filesystem::current_path(), folder_before);
  EXPECT_EQ(
      text(
          call(instance, "eval",
               "process.env.SVC_X = 1; process.title = 'mine'; process.env.SVC_X + process.title")),
      "1mine");
  EXPECT_EQ(getenv("SVC_X"), nullptr);
  struct sigaction before {};
  sigaction(SIGTERM, nullptr, &before);
  EXPECT_TRUE(
      call(instance, "eval", "process.once('SIGTERM', () => {}); process.on('SIGINT', () => {})")
          .ok());
  struct sigaction after {};
  sigaction(SIGTERM, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
  const auto seen = observer->waitFor([](const auto& all) { return !all.lines.empty(); });
  ASSERT_EQ(seen.lines.size(), 1U);
  EXPECT_EQ(seen.lines[0].level, "warn");
}

TEST_F(FaultTest, LeavesTheFlagsOfTheEngineAlone) {
  auto instance = create(kEvalAtOnce);
  EXPECT_EQ(text(call(instance, "eval",
                      "process.getBuiltinModule('node:v8').setFlagsFromString('--expose-gc'); "
                      "process.getBuiltinModule('vm').runInNewContext('typeof gc')")),
            "undefined");
}

TEST_F(FaultTest, GivesWorkersTheVariablesOfTheEnvironment) {
  options.environment = {{"SVC_SERVER_URL", "http://here"}};
  auto instance = create(kEvalAsync);
  EXPECT_EQ(text(call(instance, "eval",
                      R"js(new Promise((resolve, reject) => {
    const { Worker } = process.getBuiltinModule('worker_threads');
    const worker = new Worker("require('worker_threads').parentPort.postMessage("
      + "process.env.SVC_SERVER_URL + ' ' + typeof crypto.subtle)", { eval: true });
    worker.on('message', resolve).on('error', reject);
  }))js")),
            "http://here object");
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

TEST_F(FaultTest, GivesTheEnvironmentItsOwnVariables) {
  options.environment = {{"SVC_SERVER_URL", "http://here"}};
  setenv("SVC_FROM_SERVER", "yes", 1);
  auto instance = create(kEvalAtOnce);
  EXPECT_EQ(
      text(call(instance, "eval", "process.env.SVC_SERVER_URL + process.env.SVC_FROM_SERVER")),
      "http://hereyes");
}

TEST_F(FaultTest, EndsChildProcessesAndTheirChildren) {
  auto instance = create(std::string(kEvalAtOnce));
  ASSERT_TRUE(call(instance, "eval", R"(
    const { spawn } = process.getBuiltinModule('child_process');
    const child = spawn('sh', ['-c', 'sleep 1000 & echo $!; trap "" TERM; while :; do sleep 0.1; done']);
    child.stdout.on('data', (text) => console.log(child.pid + ' ' + String(text).trim()));)")
                  .ok());
  const auto seen = observer->waitFor([](const auto& all) { return !all.lines.empty(); });
  ASSERT_FALSE(seen.lines.empty());
  int shell = 0;
  int sleeper = 0;
  ASSERT_EQ(sscanf(seen.lines[0].text.c_str(), "%d %d", &shell, &sleeper), 2);
  EXPECT_TRUE(terminate(instance));
  // The shell ignores SIGTERM, so this waits for the SIGKILL as well. Gone, or a zombie of whoever adopted it.
  const auto gone = [](int pid) {
    std::ifstream status("/proc/" + std::to_string(pid) + "/stat");
    std::string number, name, state;
    return !(status >> number >> name >> state) || state == "Z";
  };
  const auto until = std::chrono::steady_clock::now() + kTooLong;
  while (!(gone(shell) && gone(sleeper)) && std::chrono::steady_clock::now() < until) {
    std::this_thread::yield();
  }
  EXPECT_TRUE(gone(shell));
  EXPECT_TRUE(gone(sleeper));
}

TEST_F(FaultTest, EndsWhatHasLeftItsTree) {
  auto instance = create(std::string(kEvalAtOnce));
  const auto begun = call(instance, "eval", R"(
    const { execFileSync } = process.getBuiltinModule('child_process');
    const daemon = (env) => String(execFileSync('/usr/bin/setsid', ['-f', '/bin/sh', '-c',
      'echo $$; exec /bin/sleep 1000 >/dev/null 2>&1'], { env })).trim();
    console.log([daemon(process.env), daemon({}), daemon({ SVC_LOAD_ID: '' })].join(' ')))");
  ASSERT_TRUE(begun.ok()) << begun.error().message;
  const auto seen = observer->waitFor([](const auto& all) { return !all.lines.empty(); });
  ASSERT_FALSE(seen.lines.empty());
  std::array<int, 3> pids{};
  ASSERT_EQ(sscanf(seen.lines[0].text.c_str(), "%d %d %d", &pids[0], &pids[1], &pids[2]), 3)
      << seen.lines[0].text;
  EXPECT_TRUE(terminate(instance));
  const auto gone = [](int pid) {
    std::ifstream status("/proc/" + std::to_string(pid) + "/stat");
    std::string number, name, state;
    return !(status >> number >> name >> state) || state == "Z";
  };
  const auto until = std::chrono::steady_clock::now() + kTooLong;
  while (!(gone(pids[0]) && gone(pids[1])) && std::chrono::steady_clock::now() < until) {
    std::this_thread::yield();
  }
  EXPECT_TRUE(gone(pids[0]));
  EXPECT_TRUE(gone(pids[1]));
  EXPECT_FALSE(gone(pids[2])) << "the script has let go of it";
  ::kill(pids[2], SIGKILL);
}

TEST_F(FaultTest, TerminatesAScriptThatWaitsForAChildProcess) {
  auto instance = create(std::string(kEvalAtOnce));
  auto waiting =
      start(instance, "eval",
            "console.log('in'); process.getBuiltinModule('child_process').execSync('sleep 1000')");
  observer->waitFor([](const auto& all) { return !all.lines.empty(); });
  EXPECT_TRUE(terminate(instance));
  EXPECT_EQ(waiting.get().error().code, errc::kPluginNotRunning);
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
