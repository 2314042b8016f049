// What blocks one script's threads is nothing to the others, and ends with it.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <future>
#include <list>

#include "blocking_threads.h"
#include "isolation_fixture.h"
#include "thread_accounts.h"

namespace svc::jsruntime {
namespace {

class BlockingWorkTest : public IsolationTest {
 protected:
  BlockingWorkTest() { EXPECT_EQ(::mkfifo(fifo.c_str(), 0600), 0); }

  /// An environment of its own for each call.
  Instance another() {
    options.parts.clear();
    options.observer = std::make_shared<RecordingObserver>();
    return create(kEval);
  }
  /// Begins opens that wait until somebody opens the other end.
  void block(const Instance& script, std::size_t opens, const std::filesystem::path& pipe) {
    EXPECT_EQ(text(call(script, "eval",
                        "globalThis.opened = 0; for (let i = 0; i < " + std::to_string(opens) +
                            "; ++i) use('fs').open('" + pipe.string() +
                            "', 'r', () => ++opened); 'begun'")),
              "begun");
  }
  /// Files, names and computing, of a script whose threads are free.
  void expectToWork(const Instance& script) {
    const auto file = folder.write("file", "content").string();
    EXPECT_EQ(text(call(script, "eval", "use('fs').promises.readFile('" + file + "', 'utf8')")),
              "content");
    EXPECT_EQ(
        text(call(script, "eval",
                  "new Promise((resolve) => use('dns').lookup('127.0.0.1', (error, address) => "
                  "use('zlib').gzip(address, (failed, packed) => resolve(failed ?? "
                  "use('zlib').gunzipSync(packed).toString()))))")),
        "127.0.0.1");
    EXPECT_EQ(text(call(script, "eval",
                        "new Promise((resolve) => use('crypto').pbkdf2('a', 'b', 1, 4, 'sha256', "
                        "(error, key) => resolve(error ?? key.length)))")),
              "4");
  }

  const std::filesystem::path fifo = folder.path() / "fifo";
};

/// More than the process would have threads for, if all environments shared them.
constexpr std::size_t kManyOpens = 1100;

TEST_F(BlockingWorkTest, BlockedOpensOfOneScriptLeaveThreadsForTheOthers) {
  const auto blocked = another();
  block(blocked, kManyOpens, fifo);
  expectToWork(another());
  EXPECT_EQ(text(call(blocked, "eval", "opened")), "0");
  EXPECT_EQ(blocked->stats().blocking_operations, kManyOpens);
  // All that have begun find their writer, and those that wait for them after them.
  const int writer = ::open(fifo.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(writer, 0);
  EXPECT_EQ(text(call(blocked, "eval",
                      "new Promise((resolve) => { const look = () => opened === " +
                          std::to_string(kManyOpens) +
                          " ? resolve(opened) : setImmediate(look); look(); })")),
            std::to_string(kManyOpens));
  ::close(writer);
}

TEST_F(BlockingWorkTest, WhatWaitsForAThreadIsDoneInOrder) {
  const auto script = another();
  const auto other = folder.path() / "other";
  ASSERT_EQ(::mkfifo(other.c_str(), 0600), 0);
  block(script, BlockingThreads::kMostThreads - 1, fifo);
  block(script, 1, other);
  const auto path = (folder.path() / "order").string();
  EXPECT_EQ(text(call(script, "eval",
                      "globalThis.made = 'none'; use('fs').mkdir('" + path +
                          "', (error) => made = error?.code ?? 'made'); use('fs').rmdir('" + path +
                          "', (error) => made += error?.code ?? ' removed'); 'begun'")),
            "begun");
  EXPECT_EQ(text(call(script, "eval", "new Promise((resolve) => setImmediate(resolve, made))")),
            "none");
  // One thread gets free, and does one after the other.
  const int writer = ::open(other.c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_GE(writer, 0);
  EXPECT_EQ(text(call(script, "eval",
                      "new Promise((resolve) => { const look = () => made.includes(' ') ? "
                      "resolve(made) : setImmediate(look); look(); })")),
            "made removed");
  ::close(writer);
}

TEST_F(BlockingWorkTest, WhatNobodyWillEverAnswerEndsWithItsEnvironment) {
  for (const bool in_worker : {false, true}) {
    const auto script = another();
    const std::string opens =
        "for (let i = 0; i < 50; ++i) use('fs').open('" + fifo.string() + "', 'r', () => {});";
    const std::string reads = "use('fs').read(use('fs').openSync('" + fifo.string() +
                              "', 'r+'), Buffer.alloc(1), 0, 1, null, () => {});";
    const auto all = reads + opens;
    EXPECT_EQ(text(call(script, "eval",
                        in_worker ? "new Promise((resolve) => new (use('worker_threads').Worker)("
                                    "`const use = require;" +
                                        all +
                                        "require('worker_threads').parentPort.postMessage('begun')`"
                                        ", { eval: true }).on('message', resolve))"
                                  : all + "'begun'")),
              "begun");
    EXPECT_TRUE(terminate(script));
  }
  EXPECT_TRUE(runtime.shutDown(kTooLong)) << "threads were left behind";
}

TEST_F(BlockingWorkTest, WhatHasNotBegunIsNotBegunWhenItsEnvironmentEnds) {
  for (const bool in_worker : {false, true}) {
    const auto script = another();
    // The rounds of each take an hour. They wait behind opens, which end with the environment.
    const std::string all = "for (let i = 0; i < " + std::to_string(BlockingThreads::kMostThreads) +
                            "; ++i) use('fs').open('" + fifo.string() +
                            "', 'r', () => {}); for (let i = 0; i < 40; ++i) "
                            "use('crypto').pbkdf2('a', 'b', 2 ** 31 - 1, 64, 'sha512', () => {});";
    EXPECT_EQ(text(call(script, "eval",
                        in_worker ? "new Promise((resolve) => new (use('worker_threads').Worker)("
                                    "`const use = require;" +
                                        all +
                                        "require('worker_threads').parentPort.postMessage('begun')`"
                                        ", { eval: true }).on('message', resolve))"
                                  : all + "'begun'")),
              "begun");
    EXPECT_TRUE(terminate(script));
  }
  EXPECT_TRUE(runtime.shutDown(kTooLong)) << "threads were left behind";
}

/// A job that waits for its gate.
class GatedJob final : public BlockingJob {
 public:
  GatedJob(std::shared_future<void> gate, std::atomic<std::size_t>& done)
      : gate_(std::move(gate)), done_(done) {}
  void work() override { gate_.wait(); }
  void skip() override {}
  void worked() override {
    ++done_;
    done_.notify_all();
  }

 private:
  const std::shared_future<void> gate_;
  std::atomic<std::size_t>& done_;
};

/// A job that takes so much time of a core.
class BusyJob final : public BlockingJob {
 public:
  explicit BusyJob(std::uint64_t milliseconds) : milliseconds_(milliseconds) {}
  void work() override {
    const auto until =
        clockNanoseconds(CLOCK_THREAD_CPUTIME_ID) + milliseconds_ * kNanosecondsPerMillisecond;
    while (clockNanoseconds(CLOCK_THREAD_CPUTIME_ID) < until) {
    }
  }
  void skip() override {}
  void worked() override { done_.set_value(); }
  void wait() { done_.get_future().wait(); }

 private:
  const std::uint64_t milliseconds_;
  std::promise<void> done_;
};

TEST(BlockingThreadsTest, CountsWhatRunsAndWaitsAndItsCpuTime) {
  const auto threads = std::make_shared<BlockingThreads>();
  std::promise<void> gate;
  const std::shared_future<void> opened = gate.get_future().share();
  std::atomic<std::size_t> done{0};
  std::list<GatedJob> jobs;
  constexpr std::size_t kJobs = BlockingThreads::kMostThreads + 3;
  while (jobs.size() < kJobs) {
    ASSERT_EQ(threads->take(jobs.emplace_back(opened, done)), BlockingThreads::Taken::kYes);
  }
  EXPECT_EQ(threads->use().jobs, kJobs);
  gate.set_value();
  for (auto now = done.load(); now < kJobs; now = done.load()) {
    done.wait(now);
  }
  EXPECT_EQ(threads->use().jobs, 0U);
  constexpr std::uint64_t kBusy = 50;
  BusyJob busy(kBusy);
  ASSERT_EQ(threads->take(busy), BlockingThreads::Taken::kYes);
  busy.wait();
  EXPECT_GE(threads->use().cpu_ms, kBusy);
}

TEST(BlockingThreadsTest, RefusesWhatIsMoreThanMayWait) {
  using Taken = BlockingThreads::Taken;
  constexpr std::size_t kAll = BlockingThreads::kMostThreads + BlockingThreads::kMostWaiting;
  const auto threads = std::make_shared<BlockingThreads>();
  std::promise<void> gate;
  const std::shared_future<void> opened = gate.get_future().share();
  std::atomic<std::size_t> done{0};
  std::list<GatedJob> jobs;
  std::size_t taken = 0;
  // A thread that has begun takes its job from those that wait, at some time; no more than this are taken in the end.
  for (std::size_t at = 0; at <= kAll; ++at) {
    taken += threads->take(jobs.emplace_back(opened, done)) == Taken::kYes ? 1 : 0;
  }
  EXPECT_GE(taken, BlockingThreads::kMostWaiting);
  EXPECT_LE(taken, kAll);
  EXPECT_FALSE(threads->withdraw(jobs.back())) << "it was not taken";
  gate.set_value();
  for (auto now = done.load(); now < taken; now = done.load()) {
    done.wait(now);
  }
  EXPECT_EQ(done.load(), taken);
}

}  // namespace
}  // namespace svc::jsruntime
