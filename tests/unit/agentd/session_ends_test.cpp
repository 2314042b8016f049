// How turns and sessions end, well or not.
#include <csignal>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/hostprotocol/agent_limits.h"

#include "agent_bounds.h"
#include "session.h"
#include "session_fixture.h"

namespace svc::agentd {
namespace {

using common::Json;
using ::testing::Contains;
using ::testing::HasSubstr;

using SessionEndsTest = SessionFixture;

TEST_F(SessionEndsTest, ACancelEndsTheTurnAndAnswersWhatIsOpen) {
  ASSERT_TRUE(
      open(
          R"({"turns":[[{"text":"a"},{"request":{"method":"session/request_permission","params":{"toolCall":{"toolCallId":"c","title":"x"},"options":[]}}},
    {"update":{"sessionUpdate":"tool_call","toolCallId":"d","title":"late"}},{"untilCancelled":true}]]})")
          .ok());
  EXPECT_FALSE(session_->cancel()) << "nothing runs";
  prompt("t1");
  untilTold("question/asked");
  EXPECT_TRUE(session_->cancel());
  EXPECT_EQ(untilTold("question/withdrawn")["reason"].asString(), "cancelled");
  const auto& end = untilTold("turn/completed");
  EXPECT_EQ(end["status"].asString(), "interrupted");
  EXPECT_THAT(heardMethods(), Contains("session/cancel"));
  bool answered = false;
  for (const auto& message : heard()) {
    answered = answered || message["result"]["outcome"]["outcome"].asString() == "cancelled";
  }
  EXPECT_TRUE(answered);
  for (const auto* item : all("item/completed")) {
    EXPECT_NE(item->data["item"]["status"].asString(), "pending");
  }
  EXPECT_EQ(session_->state(), SessionState::kIdle);
}

TEST_F(SessionEndsTest, AnAgentThatDoesNotStopIsEnded) {
  ASSERT_TRUE(open(R"({"ignoresCancel":true,"turns":[[{"text":"a"},{"silence":true}]]})").ok());
  prompt("t1");
  untilTold("item/delta");
  EXPECT_TRUE(session_->cancel());
  EXPECT_EQ(timers_.fire(limits::kAgentCancel), 1);
  EXPECT_EQ(untilTold("turn/completed")["status"].asString(), "interrupted");
  const auto& end = untilTold("session/ended");
  EXPECT_EQ(end["reason"].asString(), "failed");
  EXPECT_THAT(end["message"].asString(), HasSubstr("agentCancel"));
  EXPECT_FALSE(alive(pid_));
}

TEST_F(SessionEndsTest, StopReasonsAndErrorsEndTurns) {
  ASSERT_TRUE(
      open(
          R"({"turns":[[{"answer":{"stopReason":"refusal"}}],[{"answer":{"stopReason":"max_tokens"}}],
    [{"error":{"code":-32603,"message":"Internal error","data":{"details":"model is down"}}}],[{"error":{"code":-32000,"message":"sign in"}}],[{"answer":{"stopReason":"new_in_v3"}}],[{"answer":{}}]]})")
          .ok());
  const auto end = [this](std::size_t turn) {
    prompt(fmt::format("t{}", turn));
    return untilTold("turn/completed", turn);
  };
  EXPECT_EQ(end(1)["error"]["code"].asString(), "refusal");
  EXPECT_EQ(end(2)["status"].asString(), "failed");
  EXPECT_EQ(end(3)["error"]["message"].asString(), "Internal error: model is down");
  EXPECT_EQ(end(4)["error"]["code"].asString(), "unauthorized");
  EXPECT_THAT(untilTold("turn/completed", 4)["error"]["message"].asString(),
              HasSubstr("in a terminal of its machine, sign in there and try again"));
  EXPECT_EQ(untilTold("provider/error", 2)["errorInfo"]["category"].asString(), "unauthorized");
  EXPECT_EQ(end(5)["status"].asString(), "completed");
  EXPECT_EQ(end(6)["status"].asString(), "completed");
}

TEST_F(SessionEndsTest, WhatWasSaidBeforeAFailureStandsBeforeIt) {
  ASSERT_TRUE(open(R"({"turns":[[{"text":"half a"},)"
                   R"({"error":{"code":-32603,"message":"model overloaded"}}]]})")
                  .ok());
  prompt("t1");
  untilTold("turn/completed");
  std::vector<std::string> order;
  for (const auto& event : events_) {
    if (event.type == "item/completed" || event.type == "provider/error" ||
        event.type == "turn/completed") {
      order.push_back(event.type);
    }
  }
  EXPECT_THAT(order, ::testing::ElementsAre("item/completed", "provider/error", "turn/completed"));
}

TEST_F(SessionEndsTest, GarbageWithoutEndIsTheEnd) {
  ASSERT_TRUE(
      open(R"({"turns":[[{"repeat":{"times":200,"steps":[{"raw":"Debugger listening on…\n"}]}}]]})")
          .ok());
  prompt("t1");
  const auto& end = untilTold("session/ended");
  EXPECT_THAT(end["message"].asString(), HasSubstr("Debugger listening"));
  EXPECT_EQ(untilTold("turn/completed")["status"].asString(), "failed");
}

TEST_F(SessionEndsTest, SomeGarbageInEachTurnIsNoEnd) {
  ASSERT_TRUE(
      open(R"({"turns":[[{"repeat":{"times":60,"steps":[{"raw":"a warning\n"}]}},{"text":"x"}]]})")
          .ok());
  for (const std::size_t turn : {1, 2, 3}) {
    prompt(fmt::format("t{}", turn));
    EXPECT_EQ(untilTold("turn/completed", turn)["status"].asString(), "completed");
  }
}

TEST_F(SessionEndsTest, ALineThatIsTooLongIsTheEnd) {
  ASSERT_TRUE(open(fmt::format(R"({{"turns":[[{{"filler":{}}},{{"silence":true}}]]}})",
                               limits::kAgentLine + 1))
                  .ok());
  prompt("t1");
  EXPECT_THAT(untilTold("session/ended")["message"].asString(), HasSubstr("agentLine"));
}

TEST_F(SessionEndsTest, DeathAtStartSaysItsLastWords) {
  const auto opened = open(R"({"first":[{"stderr":"Error: no key\n"},{"exit":7}]})");
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, errc::kUnavailable);
  EXPECT_EQ(opened.error().message,
            "the agent ended with exit status 7 before its session was there; its last words: "
            "Error: no key");
  const auto& end = untilTold("session/ended");
  EXPECT_EQ(end["reason"].asString(), "exited");
  EXPECT_EQ(end["exitCode"].asInteger(), 7);
  EXPECT_EQ(
      session_->prompt(Json::object().set("turnId", "t").set("prompt", blocks("x"))).error().code,
      errc::kConflict);
}

TEST_F(SessionEndsTest, DeathAtStartWithoutAWordSaysWhereToLook) {
  EXPECT_EQ(open(R"({"first":[{"exit":0}]})").error().message,
            "the agent ended with exit status 0 before its session was there; start its program in "
            "a terminal of its machine to see why");
}

TEST_F(SessionEndsTest, DeathInsteadOfGoingOnSaysSo) {
  constexpr const char* kDies =
      R"({"capabilities":{"sessionCapabilities":{"resume":{}}},"on":{"session/resume":[{"exit":5}]}})";
  auto wanted = request();
  wanted.resume = "earlier";
  EXPECT_EQ(open(kDies, wanted).error().details, R"({"resumes":true})");
}

TEST_F(SessionEndsTest, SilenceInsteadOfGoingOnSaysSo) {
  auto wanted = request();
  wanted.resume = "earlier";
  begin(
      R"({"capabilities":{"loadSession":true},"on":{"session/load":[{"stderr":"waiting\n"},{"silence":true}]}})",
      wanted);
  until([this] { return heard().size() == 2; });
  EXPECT_EQ(timers_.fire(limits::kAgentOpen), 1);
  ASSERT_TRUE(opened_.has_value());
  EXPECT_EQ(opened_->error().details, R"({"resumes":true})");
}

TEST_F(SessionEndsTest, DeathAtStartAfterOtherWordsShowsThem) {
  EXPECT_THAT(open(R"({"first":[{"raw":"usage: agent [--acp]\n"},{"exit":2}]})").error().message,
              HasSubstr("no message of ACP: usage: agent [--acp]; is it a program that speaks"));
}

TEST_F(SessionEndsTest, AClosedOutputIsNoEndByASignal) {
  ASSERT_TRUE(open(R"({"turns":[[{"text":"bye"},{"closeOutput":true},{"silence":true}]]})").ok());
  prompt("t1");
  EXPECT_EQ(untilTold("turn/completed")["error"]["message"].asString(),
            "the agent closed its output and was ended");
  untilTold("session/ended");
  EXPECT_FALSE(alive(pid_));
}

class KilledAgentTest : public SessionFixture, public ::testing::WithParamInterface<int> {};

INSTANTIATE_TEST_SUITE_P(Signals, KilledAgentTest, ::testing::Values(SIGKILL, SIGTERM));

TEST_P(KilledAgentTest, EndsByThatSignal) {
  ASSERT_TRUE(open(R"({"turns":[[{"text":"working"},{"silence":true}]]})").ok());
  prompt("t1");
  untilTold("item/started");
  ASSERT_EQ(::kill(pid_, GetParam()), 0);
  EXPECT_EQ(untilTold("turn/completed")["error"]["message"].asString(),
            fmt::format("the agent was ended by signal {}", GetParam()));
  untilTold("session/ended");
}

TEST_F(SessionEndsTest, ALineOfTooManyValuesIsTheEnd) {
  std::string values;
  for (std::size_t at = 0; at <= limits::kAgentLineValues; ++at) {
    values += "1,";
  }
  ASSERT_TRUE(
      open(fmt::format(R"({{"turns":[[{{"raw":"[{}1]\n"}},{{"silence":true}}]]}})", values)).ok());
  prompt("t1");
  EXPECT_THAT(untilTold("session/ended")["message"].asString(), HasSubstr("agentLineValues"));
  EXPECT_EQ(untilTold("turn/completed")["status"].asString(), "failed");
}

TEST_F(SessionEndsTest, DeathInATurnFailsIt) {
  ASSERT_TRUE(open(R"({"turns":[[{"text":"half a"},{"signal":"SIGKILL"}]]})").ok());
  prompt("t1");
  const auto& end = untilTold("turn/completed");
  EXPECT_EQ(end["status"].asString(), "failed");
  EXPECT_EQ(end["error"]["code"].asString(), "agent_ended");
  EXPECT_EQ(untilTold("session/ended")["signal"].asInteger(), 9);
  EXPECT_EQ(events_.back().type, "session/ended") << "the last";
  EXPECT_EQ(said(), "half a");
}

TEST_F(SessionEndsTest, SilenceAtStartHasALimit) {
  begin(R"({"on":{"initialize":[{"stderr":"waiting\n"},{"silence":true}]}})", request());
  until([this] { return heard().size() == 1; });
  EXPECT_EQ(timers_.fire(limits::kAgentOpen), 1);
  ASSERT_TRUE(opened_.has_value());
  EXPECT_EQ(opened_->error().code, errc::kTimeout);
  EXPECT_THAT(opened_->error().message,
              HasSubstr("(limit agentOpen): it does not answer \"initialize\"; its last words: "));
  untilTold("session/ended");
}

TEST_F(SessionEndsTest, NothingOfAnAgentIsLeft) {
  ASSERT_TRUE(
      open(
          R"({"ignoresTerm":true,"survivesEnd":true,"turns":[[{"start":{"argv":["sleep","1000"],"own":false}},{"start":{"argv":["sleep","1000"],"own":true}},{"silence":true}]]})")
          .ok());
  prompt("t1");
  until([&] { return all("item/delta").size() == 2; });
  std::vector<pid_t> pids;
  for (const auto* delta : all("item/delta")) {
    pids.push_back(std::stoi(delta->data["text"].asString().substr(4)));
    EXPECT_TRUE(alive(pids.back()));
  }
  session_->close({errc::kAborted, "the session was closed"});
  EXPECT_EQ(untilTold("session/ended")["reason"].asString(), "closed");
  EXPECT_EQ(untilTold("turn/completed")["status"].asString(), "interrupted");
  EXPECT_TRUE(untilTold("turn/completed")["error"].isNull()) << "somebody has asked for it";
  for (const auto pid : {pid_, pids[0], pids[1]}) {
    EXPECT_FALSE(alive(pid));
  }
}

TEST_F(SessionEndsTest, ATurnThatEndsWithTheDaemonSaysSo) {
  ASSERT_TRUE(open(R"({"turns":[[{"text":"one"},{"silence":true}]]})").ok());
  prompt("t1");
  untilTold("item/delta");
  session_->close({errc::kHostUnavailable, "the daemon is stopping"});
  const auto& ended = untilTold("turn/completed");
  EXPECT_EQ(ended["status"].asString(), "interrupted");
  EXPECT_EQ(ended["error"]["code"].asString(), "host-daemon-restarted");
  EXPECT_EQ(ended["error"]["message"].asString(), "the daemon is stopping");
}

TEST_F(SessionEndsTest, AnAgentThatIsNotReadWaits) {
  ASSERT_TRUE(
      open(
          R"({"turns":[[{"repeat":{"times":100000,"steps":[{"text":"0123456789012345678901234567890123456789"}]}}]]})")
          .ok());
  prompt("t1");
  untilTold("item/delta");
  session_->setReading(false);
  settle();
  const auto before = events_.size();
  io_->restart();
  io_->run_for(std::chrono::milliseconds(50));
  EXPECT_EQ(events_.size(), before);
  session_->setReading(true);
  until([&] { return events_.size() > before; });
}

TEST_F(SessionEndsTest, AnAgentThatDoesNotListenIsRefusedMore) {
  ASSERT_TRUE(open(R"({"turns":[[{"deaf":true}]]})").ok());
  prompt("t1");
  untilTold("turn/completed");
  prompt("t2", std::string(limits::kAgentInput + 1, 'x'));
  EXPECT_THAT(untilTold("turn/completed", 2)["error"]["message"].asString(),
              HasSubstr("agentInput"));
  EXPECT_EQ(untilTold("session/ended")["reason"].asString(), "failed");
}

}  // namespace
}  // namespace svc::agentd
