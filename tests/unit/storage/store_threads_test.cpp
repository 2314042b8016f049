#include "store_threads.h"

#include <atomic>
#include <future>
#include <mutex>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"

#include "contract/storage/await.h"
#include "unit/storage/store_fixture.h"

namespace svc::storage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Succeeds at everything unless the test says that the disk is full; interrupt() opens the promise.
class EasyTransactions final : public ITransactions {
 public:
  Status begin() override { return {}; }
  Status commit() override {
    return healed ? Status() : Status(Error{errc::kUnavailable, "disk full"});
  }
  void rollback() override {}
  bool active() const override { return true; }
  void openSnapshot() override { reading = true; }
  void closeSnapshot() override { reading = false; }
  Status openSavepoint() override { return {}; }
  Status keepSavepoint() override { return {}; }
  Status undoSavepoint() override { return {}; }
  Status tryWrite() override {
    return healed ? Status() : Status(Error{errc::kUnavailable, "disk full"});
  }
  std::size_t logPages() const override { return log_pages; }
  void foldLog() override { folded.set_value(other->reading); }
  void interrupt() override { interrupted.set_value(); }

  std::atomic<bool> healed = true;
  std::atomic<bool> reading = false;
  std::atomic<std::size_t> log_pages = 0;
  EasyTransactions* other = nullptr;
  /// Whether the other side had a snapshot open.
  std::promise<bool> folded;
  std::promise<void> interrupted;
};

std::unique_ptr<StoreRequest> request(Completion<void> done, std::size_t bytes = 1) {
  return makeRequest(
      Access::kWrite, "a", bytes, [](Side) -> Status { return {}; }, std::move(done));
}

/// What happened, in order, from any thread.
class Events {
 public:
  void add(const std::string& event) {
    const std::lock_guard lock(mutex_);
    events_.push_back(event);
  }
  std::vector<std::string> get() {
    const std::lock_guard lock(mutex_);
    return events_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> events_;
};

class StoreThreadsTest : public ::testing::Test {
 protected:
  ~StoreThreadsTest() override {
    open();
    threads_.stop(std::chrono::minutes{1});
  }

  // Holds a thread in a request until the future is there.
  void hold(Access access, std::string scope, std::shared_future<void> until) {
    auto held = std::make_shared<std::promise<void>>();
    threads_.submit(makeRequest<void>(access, std::move(scope), 0,
                                      [this, held, until](Side) -> Status {
                                        held->set_value();
                                        until.wait();
                                        events_.add("held");
                                        return {};
                                      },
                                      {}));
    held->get_future().wait();
  }
  void hold(Access access = Access::kWrite) { hold(access, "a", opened_by_.get_future().share()); }
  void open() {
    if (!std::exchange(opened_, true)) {
      opened_by_.set_value();
    }
  }
  void submit(Access access, std::string scope, std::string name, Completion<void> done = {}) {
    threads_.submit(makeRequest<void>(
        access, std::move(scope), 1,
        [this, name = std::move(name)](Side side) -> Status {
          events_.add(name + (side == Side::kWriter ? " writer" : " reader"));
          return {};
        },
        std::move(done)));
  }

  EasyTransactions writer_;
  EasyTransactions reader_;
  Events events_;
  std::promise<void> opened_by_;
  bool opened_ = false;
  StoreThreads threads_{writer_, reader_, StoreLimits{.requests = 2, .bytes = 100, .log_pages = 10},
                        silentLog()};
};

TEST_F(StoreThreadsTest, TellsThatWritesFailUntilTheDiskTakesThemAgainThoughNobodyWrites) {
  EasyTransactions writer;
  EasyTransactions reader;
  StoreThreads threads(writer, reader, StoreLimits{.retry = std::chrono::milliseconds{1}},
                       silentLog());
  EXPECT_EQ(threads.problem(), "");
  writer.healed = false;
  for (int write = 0; write < 2; ++write) {
    // What the first write has met is known when the second one is answered.
    test::Awaited<void> written;
    threads.submit(request(written.completion()));
    EXPECT_FALSE(written.get().ok());
  }
  EXPECT_EQ(threads.problem(), "disk full");
  writer.healed = true;
  while (!threads.problem().empty()) {
    std::this_thread::yield();
  }
  threads.stop(std::chrono::minutes{1});
}

TEST_F(StoreThreadsTest, RefusesARequestWhenTooManyWait) {
  hold();
  test::Awaited<void> first;
  test::Awaited<void> second;
  test::Awaited<void> third;
  threads_.submit(request(first.completion()));
  threads_.submit(request(second.completion()));
  threads_.submit(request(third.completion()));
  const auto refused = third.get();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, errc::kOverloaded);
  EXPECT_THAT(refused.error().message, HasSubstr("limit 2"));
  open();
  EXPECT_TRUE(first.get().ok());
  EXPECT_TRUE(second.get().ok());
}

TEST_F(StoreThreadsTest, RefusesARequestWhenTooManyBytesWait) {
  hold();
  test::Awaited<void> first;
  test::Awaited<void> second;
  threads_.submit(request(first.completion(), 60));
  threads_.submit(request(second.completion(), 41));
  const auto refused = second.get();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, errc::kOverloaded);
  EXPECT_THAT(refused.error().message, HasSubstr("100"));
}

TEST_F(StoreThreadsTest, TakesRequestsAgainAfterItWasOverloaded) {
  hold();
  test::Awaited<void> last;
  threads_.submit(request({}));
  threads_.submit(request(last.completion()));
  open();
  ASSERT_TRUE(last.get().ok());
  EXPECT_TRUE(
      test::await<void>([&](auto done) { threads_.submit(request(std::move(done))); }).ok());
}

TEST_F(StoreThreadsTest, FlushesEvenWhenTheQueueIsFull) {
  hold();
  std::vector<int> order;
  threads_.submit(request([&order](const Status&) { order.push_back(1); }));
  threads_.submit(request([&order](const Status&) { order.push_back(2); }));
  test::Awaited<void> flushed;
  threads_.flush(flushed.completion());
  open();
  ASSERT_TRUE(flushed.get().ok());
  EXPECT_THAT(order, ::testing::ElementsAre(1, 2));
}

TEST_F(StoreThreadsTest, FinishesWaitingRequestsWhenStopped) {
  hold();
  test::Awaited<void> waiting;
  threads_.submit(request(waiting.completion()));
  open();
  threads_.stop(std::chrono::minutes{1});
  EXPECT_TRUE(waiting.get().ok());
}

TEST_F(StoreThreadsTest, RefusesRequestsAfterItIsStopped) {
  threads_.stop(std::chrono::minutes{1});
  test::Awaited<void> late;
  threads_.submit(request(late.completion()));
  EXPECT_EQ(late.get().error().code, errc::kUnavailable);
  test::Awaited<void> flush;
  threads_.flush(flush.completion());
  EXPECT_EQ(flush.get().error().code, errc::kUnavailable);
}

TEST_F(StoreThreadsTest, DropsWaitingRequestsWhenTheGraceIsOver) {
  hold(Access::kWrite, "a", writer_.interrupted.get_future().share());
  hold(Access::kRead, "b", reader_.interrupted.get_future().share());
  test::Awaited<void> write;
  test::Awaited<void> read;
  submit(Access::kWrite, "c", "write", write.completion());
  submit(Access::kRead, "d", "read", read.completion());
  threads_.stop(std::chrono::milliseconds{0});
  EXPECT_EQ(write.get().error().code, errc::kAborted);
  EXPECT_EQ(read.get().error().code, errc::kAborted);
}

TEST_F(StoreThreadsTest, AnswersReadsOfOtherScopesWhileOneIsWritten) {
  hold();
  test::Awaited<void> read;
  submit(Access::kRead, "b", "read", read.completion());
  EXPECT_TRUE(read.get().ok());
  EXPECT_THAT(events_.get(), ElementsAre("read reader"));
}

TEST_F(StoreThreadsTest, PutsAReadBehindTheUnsettledWritesOfItsScope) {
  hold();
  test::Awaited<void> read;
  submit(Access::kRead, "a", "read", read.completion());
  open();
  EXPECT_TRUE(read.get().ok());
  EXPECT_THAT(events_.get(), ElementsAre("held", "read writer"));
}

TEST_F(StoreThreadsTest, ReadsBesideTheWriterAgainWhenTheWritesOfTheScopeAreSettled) {
  test::Awaited<void> flushed;
  submit(Access::kWrite, "b", "write");
  threads_.flush(flushed.completion());
  ASSERT_TRUE(flushed.get().ok());
  hold();
  test::Awaited<void> read;
  submit(Access::kRead, "b", "read", read.completion());
  EXPECT_TRUE(read.get().ok());
  EXPECT_THAT(events_.get(), ElementsAre("write writer", "read reader"));
}

TEST_F(StoreThreadsTest, LetsAWriteWaitForTheEarlierReadsOfItsScope) {
  hold(Access::kRead);
  test::Awaited<void> write;
  submit(Access::kWrite, "a", "write", write.completion());
  open();
  EXPECT_TRUE(write.get().ok());
  EXPECT_THAT(events_.get(), ElementsAre("held", "write writer"));
}

TEST_F(StoreThreadsTest, LetsAWriteOfAnotherScopePassAReadThatTakesLong) {
  hold(Access::kRead);
  test::Awaited<void> write;
  submit(Access::kWrite, "b", "write", write.completion());
  EXPECT_TRUE(write.get().ok());
  EXPECT_THAT(events_.get(), ElementsAre("write writer"));
}

TEST_F(StoreThreadsTest, FlushesReadsAsWell) {
  hold(Access::kRead);
  test::Awaited<void> flushed;
  threads_.flush([&](Status status) {
    events_.add("flushed");
    flushed.completion()(status);
  });
  open();
  ASSERT_TRUE(flushed.get().ok());
  EXPECT_THAT(events_.get(), ElementsAre("held", "flushed"));
}

TEST_F(StoreThreadsTest, TakesReadsWhenTheQueueOfWritesIsFull) {
  hold();
  submit(Access::kWrite, "a", "write");
  submit(Access::kWrite, "a", "write");
  test::Awaited<void> read;
  submit(Access::kRead, "b", "read", read.completion());
  EXPECT_TRUE(read.get().ok());
}

TEST_F(StoreThreadsTest, LetsReadsRestWhileALongLogIsFolded) {
  auto folded = writer_.folded.get_future();
  writer_.other = &reader_;
  writer_.log_pages = 10;
  hold(Access::kRead);
  submit(Access::kWrite, "b", "write");
  open();
  EXPECT_FALSE(folded.get());
}

}  // namespace
}  // namespace svc::storage
