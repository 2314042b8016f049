#include "client.h"

#include "svc/common/limits/http.h"

#include "hub_fixture.h"

namespace svc::realtime {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ClientTest : public HubFixture {
 protected:
  std::shared_ptr<Window> window_ = greeted();

  void say(std::string text) { window_->handler->onText(std::move(text)); }
  void subscribe(const std::string& id) {
    say(R"({"type":"subscribe","target":{"kind":"thread-detail","threadId":")" + id + R"("}})");
  }
  std::size_t received() {
    window_->frames.clear();
    hub_->changed({.entity = "thread", .id = "thr_1", .kinds = {"status-changed"}});
    reactor_.runAll();
    return window_->frames.size();
  }
};

TEST_F(ClientTest, AnswersPing) {
  say(R"({"type":"ping"})");
  EXPECT_THAT(window_->texts(), ElementsAre(R"({"type":"pong"})"));
}

TEST_F(ClientTest, SubscribesAndUnsubscribesAndRepeatsHarmlessly) {
  subscribe("thr_1");
  subscribe("thr_1");
  EXPECT_EQ(received(), 1U);
  say(R"({"type":"unsubscribe","target":{"kind":"thread-detail","threadId":"thr_1"}})");
  say(R"({"type":"unsubscribe","target":{"kind":"thread-detail","threadId":"thr_1"}})");
  EXPECT_EQ(received(), 0U);
  EXPECT_EQ(window_->close_code, 0);
}

TEST_F(ClientTest, ClosesOnBadMessages) {
  for (const auto* message :
       {"", "{", "5", "[]", "{}", R"({"type":7})", R"({"type":"shout"})", R"({"type":"subscribe"})",
        R"({"type":"subscribe","target":{"kind":"nothing"}})",
        R"({"type":"unsubscribe","target":{"kind":"thread-detail"}})",
        R"({"type":"subscribe","target":{"kind":"thread-detail","threadId":""}})"}) {
    window_ = greeted();
    say(message);
    EXPECT_EQ(window_->close_code, 1008) << message;
    EXPECT_THAT(window_->close_reason, ::testing::Not(IsEmpty()));
    EXPECT_LE(window_->close_reason.size(), 123U);
  }
}

TEST_F(ClientTest, ClosesOnBinaryFrames) {
  window_->handler->onBinary("x");
  EXPECT_EQ(window_->close_code, 1008);
}

TEST_F(ClientTest, SurvivesASocketThatClosesInsideASend) {
  const auto other = greeted();
  ON_CALL(*window_->socket, sendText).WillByDefault([this](const Frame&) {
    window_->handler->onClose(1013, "");
  });
  hub_->broadcast("1");
  hub_->broadcast("2");
  reactor_.runAll();
  EXPECT_THAT(other->texts(), ElementsAre("1", "2"));
}

TEST_F(ClientTest, LimitsSubscriptions) {
  for (std::size_t index = 0; index < limits::kWsSubscriptions; ++index) {
    subscribe(std::to_string(index));
  }
  subscribe("0");
  EXPECT_EQ(window_->close_code, 0);
  subscribe("one-more");
  EXPECT_EQ(window_->close_code, 1008);
  EXPECT_THAT(window_->close_reason, HasSubstr("1025 subscriptions, the limit is 1024"));
}

}  // namespace
}  // namespace svc::realtime
