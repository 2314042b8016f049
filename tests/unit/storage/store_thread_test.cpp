#include "store_thread.h"

#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"

#include "contract/storage/await.h"
#include "unit/storage/store_fixture.h"

namespace svc::storage {
namespace {

using ::testing::HasSubstr;

/// Succeeds at everything; interrupt() opens the promise.
class EasyTransactions final : public ITransactions {
 public:
  Status begin() override { return {}; }
  Status commit() override { return {}; }
  void rollback() override {}
  bool active() const override { return true; }
  void openSnapshot() override {}
  void closeSnapshot() override {}
  Status openSavepoint() override { return {}; }
  Status keepSavepoint() override { return {}; }
  Status undoSavepoint() override { return {}; }
  void interrupt() override { interrupted.set_value(); }

  std::promise<void> interrupted;
};

std::unique_ptr<StoreRequest> request(Completion<void> done, std::size_t bytes = 1) {
  return makeRequest(
      Access::kWrite, "a", bytes, []() -> Status { return {}; }, std::move(done));
}

class StoreThreadTest : public ::testing::Test {
 protected:
  ~StoreThreadTest() override {
    open();
    thread_.stop(std::chrono::minutes{1});
  }

  // Holds the thread in a request until `open` is called.
  void hold(std::shared_future<void> until) {
    auto held = std::make_shared<std::promise<void>>();
    thread_.submit(makeRequest<void>(Access::kRead, "a", 0,
                                     [held, until]() -> Status {
                                       held->set_value();
                                       until.wait();
                                       return {};
                                     },
                                     {}));
    held->get_future().wait();
  }
  void hold() { hold(gate_.get_future().share()); }
  void open() {
    if (!std::exchange(opened_, true)) {
      gate_.set_value();
    }
  }

  EasyTransactions transactions_;
  std::promise<void> gate_;
  bool opened_ = false;
  StoreThread thread_{transactions_, StoreLimits{.requests = 2, .bytes = 100}, silentLog()};
};

TEST_F(StoreThreadTest, RefusesARequestWhenTooManyWait) {
  hold();
  testing::Awaited<void> first;
  testing::Awaited<void> second;
  testing::Awaited<void> third;
  thread_.submit(request(first.completion()));
  thread_.submit(request(second.completion()));
  thread_.submit(request(third.completion()));
  const auto refused = third.get();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, errc::kOverloaded);
  EXPECT_THAT(refused.error().message, HasSubstr("limit 2"));
  open();
  EXPECT_TRUE(first.get().ok());
  EXPECT_TRUE(second.get().ok());
}

TEST_F(StoreThreadTest, RefusesARequestWhenTooManyBytesWait) {
  hold();
  testing::Awaited<void> first;
  testing::Awaited<void> second;
  thread_.submit(request(first.completion(), 60));
  thread_.submit(request(second.completion(), 41));
  const auto refused = second.get();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, errc::kOverloaded);
  EXPECT_THAT(refused.error().message, HasSubstr("100"));
}

TEST_F(StoreThreadTest, TakesRequestsAgainAfterItWasOverloaded) {
  hold();
  testing::Awaited<void> last;
  thread_.submit(request({}));
  thread_.submit(request(last.completion()));
  open();
  ASSERT_TRUE(last.get().ok());
  EXPECT_TRUE(
      testing::await<void>([&](auto done) { thread_.submit(request(std::move(done))); }).ok());
}

TEST_F(StoreThreadTest, FlushesEvenWhenTheQueueIsFull) {
  hold();
  std::vector<int> order;
  thread_.submit(request([&order](const Status&) { order.push_back(1); }));
  thread_.submit(request([&order](const Status&) { order.push_back(2); }));
  testing::Awaited<void> flushed;
  thread_.flush(flushed.completion());
  open();
  ASSERT_TRUE(flushed.get().ok());
  EXPECT_THAT(order, ::testing::ElementsAre(1, 2));
}

TEST_F(StoreThreadTest, FinishesWaitingRequestsWhenStopped) {
  hold();
  testing::Awaited<void> waiting;
  thread_.submit(request(waiting.completion()));
  open();
  thread_.stop(std::chrono::minutes{1});
  EXPECT_TRUE(waiting.get().ok());
}

TEST_F(StoreThreadTest, RefusesRequestsAfterItIsStopped) {
  thread_.stop(std::chrono::minutes{1});
  testing::Awaited<void> late;
  thread_.submit(request(late.completion()));
  EXPECT_EQ(late.get().error().code, errc::kUnavailable);
  testing::Awaited<void> flush;
  thread_.flush(flush.completion());
  EXPECT_EQ(flush.get().error().code, errc::kUnavailable);
}

TEST_F(StoreThreadTest, DropsWaitingRequestsWhenTheGraceIsOver) {
  hold(transactions_.interrupted.get_future().share());
  testing::Awaited<void> waiting;
  thread_.submit(request(waiting.completion()));
  thread_.stop(std::chrono::milliseconds{0});
  EXPECT_EQ(waiting.get().error().code, errc::kAborted);
}

}  // namespace
}  // namespace svc::storage
