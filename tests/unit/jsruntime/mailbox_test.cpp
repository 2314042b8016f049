#include "mailbox.h"

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace svc::jsruntime {
namespace {

class NumberMessage final : public Message {
 public:
  explicit NumberMessage(int number) : value(number) {}
  void deliver(Bridge&) override {}
  void refuse(const std::string&) override {}
  int value;
};

std::vector<int> values(Message* first) {
  std::vector<int> all;
  for (; first != nullptr; first = Mailbox::next(first)) {
    all.push_back(static_cast<NumberMessage*>(first)->value);
  }
  return all;
}

TEST(MailboxTest, HandsMessagesOverInTheOrderTheyCame) {
  Mailbox box;
  NumberMessage one(1), two(2), three(3);
  EXPECT_EQ(box.push(&one), Mailbox::Push::kFirst);
  EXPECT_EQ(box.push(&two), Mailbox::Push::kQueued);
  EXPECT_EQ(box.push(&three), Mailbox::Push::kQueued);
  EXPECT_EQ(values(box.takeAll()), (std::vector{1, 2, 3}));
  EXPECT_EQ(box.takeAll(), nullptr);
}

TEST(MailboxTest, SparesTheWakeWhileTheReceiverIsAwake) {
  Mailbox box;
  NumberMessage one(1), two(2), three(3);
  EXPECT_EQ(box.push(&one), Mailbox::Push::kFirst);
  EXPECT_EQ(values(box.takeAll()), std::vector{1});
  EXPECT_EQ(box.push(&two), Mailbox::Push::kQueued);
  EXPECT_FALSE(box.rest()) << "something has arrived meanwhile";
  EXPECT_EQ(values(box.takeAll()), std::vector{2});
  EXPECT_TRUE(box.rest());
  EXPECT_EQ(box.push(&three), Mailbox::Push::kFirst);
}

TEST(MailboxTest, RefusesMessagesOnceClosed) {
  Mailbox box;
  NumberMessage one(1), two(2);
  EXPECT_EQ(box.push(&one), Mailbox::Push::kFirst);
  EXPECT_EQ(values(box.close()), std::vector{1});
  EXPECT_EQ(box.push(&two), Mailbox::Push::kClosed);
  EXPECT_EQ(box.close(), nullptr);
}

TEST(MailboxTest, LosesNothingBetweenManySenders) {
  constexpr int kSenders = 4;
  constexpr int kEach = 5000;
  Mailbox box;
  std::atomic<int> wakes{0};
  std::vector<std::unique_ptr<NumberMessage>> messages;
  for (int number = 0; number < kSenders * kEach; ++number) {
    messages.push_back(std::make_unique<NumberMessage>(number));
  }
  std::vector<std::jthread> senders;
  for (int sender = 0; sender < kSenders; ++sender) {
    senders.emplace_back([&, sender] {
      for (int count = 0; count < kEach; ++count) {
        if (box.push(messages[static_cast<std::size_t>(sender * kEach + count)].get()) ==
            Mailbox::Push::kFirst) {
          wakes.fetch_add(1);
          wakes.notify_one();
        }
      }
    });
  }
  int received = 0;
  std::vector<int> last(kSenders, -1);
  while (received < kSenders * kEach) {
    wakes.wait(0);
    wakes.fetch_sub(1);
    do {
      for (const int number : values(box.takeAll())) {
        ++received;
        EXPECT_GT(number, last[static_cast<std::size_t>(number / kEach)])
            << "in the order of each sender";
        last[static_cast<std::size_t>(number / kEach)] = number;
      }
    } while (!box.rest());
  }
}

}  // namespace
}  // namespace svc::jsruntime
