#include "exchange.h"

#include <thread>

#include <gtest/gtest.h>

#include "mocks/mock_reactor.h"

namespace svc::http {
namespace {

using test::FakeReactor;

class RecordingSink final : public IAnswerSink {
 public:
  void deliver(Answer answer) override { answers.push_back(std::move(answer)); }
  std::vector<Answer> answers;
};

class ExchangeTest : public ::testing::Test {
 protected:
  std::shared_ptr<Exchange> make(std::uint64_t sequence = 1) {
    return std::make_shared<Exchange>(Request{}, BodyShare(), sink_, queue_, sequence);
  }

  FakeReactor reactor_;
  std::shared_ptr<AnswerQueue> queue_ = std::make_shared<AnswerQueue>(reactor_);
  std::shared_ptr<RecordingSink> sink_ = std::make_shared<RecordingSink>();
};

TEST_F(ExchangeTest, AnswersDirectlyOnTheIoThread) {
  make(7)->respond({.body = "a"});
  ASSERT_EQ(sink_->answers.size(), 1U);
  EXPECT_EQ(sink_->answers[0].sequence, 7U);
  EXPECT_EQ(sink_->answers[0].response.body, "a");
}

TEST_F(ExchangeTest, AnswersOfOtherThreadsComeInOneBatch) {
  reactor_.setCurrent(false);
  make(1)->respond({});
  make(2)->respond({});
  make(3)->respond({});
  EXPECT_EQ(reactor_.pendingTasks(), 1U);
  EXPECT_TRUE(sink_->answers.empty());
  reactor_.runAll();
  EXPECT_EQ(sink_->answers.size(), 3U);
}

TEST_F(ExchangeTest, StepsKeepTheirOrderAcrossThreads) {
  const auto exchange = make();
  reactor_.setCurrent(false);
  exchange->begin({});
  reactor_.setCurrent(true);
  exchange->write("later");
  EXPECT_TRUE(sink_->answers.empty());
  reactor_.runAll();
  ASSERT_EQ(sink_->answers.size(), 2U);
  EXPECT_EQ(sink_->answers[0].kind, Answer::Kind::kBegin);
  EXPECT_EQ(sink_->answers[1].piece, "later");
}

TEST_F(ExchangeTest, DroppingItAnswersOnce) {
  make().reset();
  ASSERT_EQ(sink_->answers.size(), 1U);
  EXPECT_EQ(sink_->answers[0].response.status, 500U);
}

TEST_F(ExchangeTest, DroppingAStreamAbortsIt) {
  make()->begin({});
  ASSERT_EQ(sink_->answers.size(), 2U);
  EXPECT_EQ(sink_->answers[1].kind, Answer::Kind::kAbort);
}

TEST_F(ExchangeTest, PiecesNeedABegunStream) {
  const auto exchange = make();
  exchange->write("x");
  exchange->finish();
  EXPECT_TRUE(sink_->answers.empty());
  exchange->respond({});
  exchange->begin({});
  exchange->write("x");
  EXPECT_EQ(sink_->answers.size(), 1U);
}

TEST_F(ExchangeTest, TheTokenKnowsAClientThatLeftEarlier) {
  const auto exchange = make();
  exchange->clientGone();
  EXPECT_TRUE(exchange->disconnected().stop_requested());
  exchange->respond({});
}

TEST_F(ExchangeTest, ALostConnectionIsNoProblem) {
  const auto exchange = make();
  sink_.reset();
  exchange->respond({});
}

TEST_F(ExchangeTest, AClosedQueueDropsAnswers) {
  const auto exchange = make();
  reactor_.setCurrent(false);
  queue_->close();
  exchange->respond({});
  EXPECT_EQ(reactor_.pendingTasks(), 0U);
}

}  // namespace
}  // namespace svc::http
