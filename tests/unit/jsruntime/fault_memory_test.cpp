// What takes too much memory, in the environment and in its workers.

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>

#include "svc/common/codes.h"

#include "fault_fixture.h"

namespace svc::jsruntime {
namespace {

using script::TerminationReason;

std::ptrdiff_t threadsNamed(const std::string& name) {
  const std::filesystem::directory_iterator all("/proc/self/task");
  return std::count_if(begin(all), end(all), [&name](const auto& thread) {
    std::string found;
    return std::getline(std::ifstream(thread.path() / "comm"), found) && found == name;
  });
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

}  // namespace
}  // namespace svc::jsruntime
