#include "message_queue.h"

#include <gmock/gmock.h>

namespace svc::serverlink {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class MessageQueueTest : public ::testing::Test {
 protected:
  bool hold(std::string text) { return queue_.addOrHold(text, first_); }
  bool add(std::string text) { return queue_.addIfRoom(std::move(text), first_); }

  MessageQueue queue_{10, 20};
  bool first_ = false;
};

TEST_F(MessageQueueTest, WhatFindsNoRoomIsTakenWhenWhatIsBeforeItHasGone) {
  EXPECT_TRUE(hold("12345678"));
  EXPECT_TRUE(first_);
  EXPECT_TRUE(hold("abcdefgh"));
  EXPECT_FALSE(first_);
  EXPECT_TRUE(hold("ABCDEFGH"));
  EXPECT_EQ(queue_.bytes(), 24U);
  EXPECT_THAT(queue_.take(), ElementsAre("12345678", "abcdefgh"));
  EXPECT_THAT(queue_.take(), ElementsAre("ABCDEFGH"));
  EXPECT_THAT(queue_.take(), IsEmpty());
  queue_.release(24);
  EXPECT_EQ(queue_.bytes(), 0U);
}

TEST_F(MessageQueueTest, WhatIsSmallOvertakesIt) {
  EXPECT_TRUE(hold("12345678"));
  EXPECT_TRUE(hold("abcdefgh"));
  EXPECT_TRUE(add("x"));
  EXPECT_THAT(queue_.take(), ElementsAre("12345678", "x", "abcdefgh"));
}

TEST_F(MessageQueueTest, MoreThanIsHeldIsRefusedAndLeftAsItWas) {
  EXPECT_TRUE(hold("12345678"));
  EXPECT_TRUE(hold("abcdefgh"));
  EXPECT_TRUE(hold("ABCDEFGH"));
  std::string more = "12345";
  EXPECT_FALSE(queue_.addOrHold(more, first_));
  EXPECT_EQ(more, "12345");
  EXPECT_TRUE(hold("1234"));
}

TEST_F(MessageQueueTest, NothingIsTakenAfterItWasShut) {
  EXPECT_TRUE(queue_.shut());
  EXPECT_FALSE(queue_.shut());
  EXPECT_FALSE(hold("a"));
  EXPECT_FALSE(add("a"));
}

}  // namespace
}  // namespace svc::serverlink
