#include "event_log.h"

#include <map>
#include <random>
#include <set>

#include <gmock/gmock.h>

#include "svc/hostprotocol/agent_limits.h"

namespace svc::agentd {
namespace {

using common::Json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class EventLogTest : public ::testing::Test {
 protected:
  void tell(const std::string& type, const std::string& text = "x") {
    log_->append({.type = type, .turn_id = "t", .data = Json::object().set("text", text)});
  }
  void run() {
    for (const auto& task : std::exchange(tasks_, {})) {
      task();
    }
  }
  /// Numbers of what has come since the last call.
  std::vector<std::int64_t> arrived() {
    run();
    std::vector<std::int64_t> seqs;
    for (const auto& message : std::exchange(sent_, {})) {
      for (const auto& event : message["events"].items()) {
        seqs.push_back(event["seq"].asInteger());
      }
    }
    return seqs;
  }

  std::vector<std::function<void()>> tasks_;
  std::vector<Json> sent_;
  std::vector<bool> pressure_;
  std::shared_ptr<EventLog> log_ = std::make_shared<EventLog>(
      "s", "thr",
      EventLog::Services{
          .send = [this](const std::string& text) { sent_.push_back(Json::parse(text).value()); },
          .now_ms = [] { return 7; },
          .soon = [this](auto task) { tasks_.push_back(std::move(task)); },
          .pressure = [this](bool full) { pressure_.push_back(full); }});
};

TEST_F(EventLogTest, WhatIsToldAtOnceIsOneMessage) {
  log_->attach(0);
  tell("turn/started");
  tell("item/delta", "a");
  run();
  ASSERT_EQ(sent_.size(), 1U);
  EXPECT_EQ(
      sent_[0].dump(),
      R"({"type":"agent.events","sessionId":"s","threadId":"thr","events":[{"seq":1,"at":7,"turnId":"t","type":"turn/started","data":{"text":"x"}},{"seq":2,"at":7,"turnId":"t","type":"item/delta","data":{"text":"a"}}]})");
}

TEST_F(EventLogTest, NothingIsSentToNobodyAndAllOfItLater) {
  tell("turn/started");
  tell("item/delta");
  EXPECT_THAT(arrived(), IsEmpty());
  log_->attach(0);
  EXPECT_THAT(arrived(), ElementsAre(1)) << "the delta is gone, its item is told whole";
}

TEST_F(EventLogTest, WhatWasNotAcknowledgedComesAgainWithoutDeltas) {
  log_->attach(0);
  tell("item/started");
  tell("item/delta");
  tell("item/completed");
  EXPECT_THAT(arrived(), ElementsAre(1, 2, 3));
  log_->acknowledge(1);
  log_->detach();
  log_->attach(1);
  EXPECT_THAT(arrived(), ElementsAre(3));
  log_->acknowledge(3);
  EXPECT_TRUE(log_->settled());
  EXPECT_EQ(log_->held(), 0U);
}

TEST_F(EventLogTest, OnlyWhatWasSentIsAcknowledged) {
  log_->attach(0);
  tell("a");
  log_->acknowledge(99);
  EXPECT_FALSE(log_->settled());
  EXPECT_THAT(arrived(), ElementsAre(1));
}

TEST_F(EventLogTest, TooMuchAsksForLess) {
  log_->attach(0);
  const std::string large(limits::kAgentUnacknowledged / 4, 'x');
  for (int count = 0; count < 4; ++count) {
    tell("item/completed", large);
  }
  EXPECT_THAT(pressure_, ElementsAre(true));
  run();
  EXPECT_EQ(sent_.size(), 4U) << "a message has a size";
  log_->acknowledge(1);
  EXPECT_THAT(pressure_, ElementsAre(true)) << "not for every event";
  log_->acknowledge(3);
  EXPECT_THAT(pressure_, ElementsAre(true, false));
}

TEST_F(EventLogTest, AFloodOfDeltasToNobodyIsNoPressure) {
  const std::string large(limits::kAgentUnacknowledged / 4, 'x');
  for (int count = 0; count < 40; ++count) {
    tell("item/delta", large);
  }
  EXPECT_EQ(log_->held(), 0U);
  EXPECT_THAT(pressure_, IsEmpty());
}

/// A server that loses messages with each connection, stores what it gets in order and acknowledges when it likes.
TEST_F(EventLogTest, AnyCourseOfConnectionsStoresEveryEventOnceInOrder) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    log_ = std::make_shared<EventLog>(
        "s", "thr",
        EventLog::Services{
            .send = [this](const std::string& text) { sent_.push_back(Json::parse(text).value()); },
            .now_ms = [] { return 7; },
            .soon = [this](auto task) { tasks_.push_back(std::move(task)); },
            .pressure = [](bool) {}});
    std::vector<std::string> told;
    std::vector<std::string> stored;
    std::uint64_t stored_seq = 0;
    bool attached = false;
    const auto receive = [&] {
      run();
      for (const auto& message : std::exchange(sent_, {})) {
        for (const auto& event : message["events"].items()) {
          const auto seq = static_cast<std::uint64_t>(event["seq"].asInteger());
          if (seq > stored_seq) {
            stored_seq = seq;
            if (event["type"].asString() != "item/delta") {
              stored.push_back(event["data"]["text"].asString());
            }
          }
        }
      }
    };
    const auto attach = [&] {
      attached = true;
      log_->attach(stored_seq);
    };
    for (int step = 0; step < 60; ++step) {
      switch (random() % 7) {
        case 0:
          if (random() % 2 == 0) {
            run();  // sent, and lost on the way
          }
          log_->detach();
          attached = false;
          sent_.clear();
          break;
        case 1:
          if (!attached) {
            attach();
          }
          break;
        case 2:
          if (attached) {
            receive();
          }
          break;
        case 3:
          if (attached) {
            log_->acknowledge(stored_seq);
          }
          break;
        case 4:
          tell("item/delta");
          break;
        default:
          told.push_back(std::to_string(step));
          tell("item/completed", told.back());
      }
    }
    log_->detach();
    sent_.clear();
    attach();
    receive();
    ASSERT_EQ(stored, told) << seed;
    log_->acknowledge(stored_seq);
    ASSERT_TRUE(log_->settled()) << seed;
  }
}

}  // namespace
}  // namespace svc::agentd
