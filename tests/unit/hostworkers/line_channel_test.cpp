#include "line_channel.h"

#include <fcntl.h>

#include <gtest/gtest.h>

#include "svc/base/fd.h"

namespace svc::hostworkers {
namespace {

/// A channel whose thread the test is, and the other end of its socket.
class LineChannelTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto pair = base::makeSocketPair();
    ASSERT_TRUE(pair.ok());
    other_ = std::move(pair.value().there);
    ASSERT_EQ(::fcntl(other_.get(), F_SETFL, O_NONBLOCK), 0);
    channel_ = std::make_shared<LineChannel>(context_, pair.value().here.release(), kLongest);
  }
  /// What has arrived.
  [[nodiscard]] std::string arrived() const {
    std::string text;
    std::array<char, 65536> bytes;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled below
    for (auto count = base::readSome(other_.get(), bytes.data(), bytes.size()); count > 0;
         count = base::readSome(other_.get(), bytes.data(), bytes.size())) {
      text.append(bytes.data(), static_cast<std::size_t>(count));
    }
    return text;
  }
  void turn() {
    context_.restart();
    context_.poll();
  }

  static constexpr std::size_t kLongest = 64UL * 1024 * 1024;
  boost::asio::io_context context_;
  base::Fd other_;
  std::shared_ptr<LineChannel> channel_;
};

TEST_F(LineChannelTest, ALineThatIsSentAtOnceNeedsNoTurn) {
  channel_->sendAtOnce("a");
  EXPECT_EQ(channel_->backlog(), 0U);
  EXPECT_EQ(arrived(), "a\n");
}

TEST_F(LineChannelTest, QueuedLinesLeaveTogetherAndInOrder) {
  channel_->send("a");
  channel_->sendAtOnce("b");
  channel_->send("c");
  EXPECT_EQ(arrived(), "");
  EXPECT_EQ(channel_->backlog(), 6U);
  turn();
  EXPECT_EQ(arrived(), "a\nb\nc\n");
  EXPECT_EQ(channel_->backlog(), 0U);
  channel_->sendAtOnce("d");
  EXPECT_EQ(arrived(), "d\n");
}

TEST_F(LineChannelTest, WhatTheSystemDoesNotTakeIsQueued) {
  const std::string large(4'000'000, 'x');
  channel_->sendAtOnce(large);
  EXPECT_GT(channel_->backlog(), 0U);
  EXPECT_LT(channel_->backlog(), large.size());
  channel_->sendAtOnce("behind");
  std::string all;
  while (channel_->backlog() > 0) {
    all += arrived();
    turn();
  }
  all += arrived();
  EXPECT_TRUE(all == large + "\nbehind\n");
}

TEST_F(LineChannelTest, AClosedChannelTakesNothing) {
  channel_->close();
  channel_->sendAtOnce("a");
  channel_->send("b");
  EXPECT_EQ(channel_->backlog(), 0U);
  EXPECT_EQ(arrived(), "");
}

}  // namespace
}  // namespace svc::hostworkers
