#include "pending_requests.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"

#include "mocks/mock_reactor.h"
#include "mocks/reactor_clock.h"

namespace svc::hosts {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class PendingRequestsTest : public ::testing::Test {
 protected:
  std::uint64_t add(std::uint64_t session, std::chrono::milliseconds wait, std::size_t bytes = 1) {
    const auto id =
        pending_->add(session, "c", bytes, wait, [this](Result<std::string_view> result) {
          outcomes_.push_back(result ? std::string(result.value())
                                     : std::string(result.error().code.name()));
        });
    EXPECT_NE(id, 0U);
    return id;
  }

  test::FakeReactor reactor_;
  test::ReactorClock clock_{reactor_};
  std::shared_ptr<PendingRequests> pending_ = std::make_shared<PendingRequests>(reactor_, clock_);
  std::vector<std::string> outcomes_;
};

TEST_F(PendingRequestsTest, AnAnswerEndsItsRequestOnce) {
  const auto first = add(1, 10s);
  add(1, 10s);
  pending_->answer(1, first, std::string_view("a"));
  pending_->answer(1, first, std::string_view("b"));
  EXPECT_THAT(outcomes_, ElementsAre("a"));
  EXPECT_EQ(pending_->size(), 1U);
}

TEST_F(PendingRequestsTest, KnowsWhatWasAsked) {
  const auto id = add(1, 10s);
  EXPECT_EQ(pending_->type(id), "c");
  pending_->answer(1, id, std::string_view("a"));
  EXPECT_EQ(pending_->type(id), std::nullopt);
}

TEST_F(PendingRequestsTest, AnswersOfAnotherSessionAndUnknownRequestsDoNothing) {
  const auto id = add(1, 10s);
  pending_->answer(2, id, std::string_view("a"));
  pending_->answer(1, id + 1, std::string_view("a"));
  EXPECT_THAT(outcomes_, IsEmpty());
}

TEST_F(PendingRequestsTest, EachRequestTimesOutByItself) {
  add(1, 10s);
  add(1, 2s);
  add(1, 5s);
  reactor_.advance(2s - 1ms);
  EXPECT_THAT(outcomes_, IsEmpty());
  reactor_.advance(1ms);
  EXPECT_THAT(outcomes_, ElementsAre("timeout"));
  reactor_.advance(3s);
  EXPECT_EQ(outcomes_.size(), 2U);
  reactor_.advance(5s);
  EXPECT_EQ(outcomes_.size(), 3U);
  EXPECT_EQ(reactor_.pendingTimers(), 0U);
}

TEST_F(PendingRequestsTest, ManyRequestsShareOneTimer) {
  std::vector<std::uint64_t> ids;
  for (int i = 0; i < 1000; ++i) {
    ids.push_back(add(1, 30s));
  }
  EXPECT_EQ(reactor_.pendingTimers(), 1U);
  for (const auto id : ids) {
    pending_->answer(1, id, std::string_view("x"));
  }
  reactor_.advance(31s);
  EXPECT_EQ(outcomes_.size(), 1000U);
  EXPECT_EQ(reactor_.pendingTimers(), 0U);
}

TEST_F(PendingRequestsTest, AForgottenRequestIsNotAnswered) {
  const auto id = add(1, 10s, 7);
  EXPECT_EQ(pending_->bytes(1), 7U);
  EXPECT_TRUE(pending_->forget(id));
  EXPECT_FALSE(pending_->forget(id));
  pending_->answer(1, id, std::string_view("a"));
  reactor_.advance(20s);
  EXPECT_THAT(outcomes_, IsEmpty());
  EXPECT_EQ(pending_->bytes(1), 0U);
}

TEST_F(PendingRequestsTest, ALostSessionFailsItsRequestsOnly) {
  add(1, 10s, 3);
  add(2, 10s, 4);
  add(1, 10s, 5);
  EXPECT_EQ(pending_->bytes(1), 8U);
  pending_->fail(1, {errc::kHostUnavailable, "lost"});
  EXPECT_THAT(outcomes_, ElementsAre("host_unavailable", "host_unavailable"));
  EXPECT_EQ(pending_->bytes(1), 0U);
  EXPECT_EQ(pending_->bytes(2), 4U);
  EXPECT_EQ(pending_->size(), 1U);
}

TEST_F(PendingRequestsTest, AnAnswerMayAskAgain) {
  std::string second;
  const auto id = pending_->add(1, "c", 1, 10s, [&](const Result<std::string_view>&) {
    static_cast<void>(
        pending_->add(1, "c", 1, 10s, [&second](const Result<std::string_view>& result) {
          second = result ? "answered" : std::string(result.error().code.name());
        }));
  });
  pending_->fail(1, {errc::kHostUnavailable, "lost"});
  pending_->answer(1, id, std::string_view("late"));
  reactor_.advance(10s);
  EXPECT_EQ(second, "timeout");
}

}  // namespace
}  // namespace svc::hosts
