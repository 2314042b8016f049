#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "svc/common/codes.h"

#include "agents_fixture.h"

namespace svc::agentd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(AgentsTest, AfterALostConnectionNothingIsLostAndOpenItemsComeWhole) {
  ASSERT_TRUE(
      open(
          "a",
          R"({"turns":[[{"text":"one "},{"request":{"method":"session/request_permission","params":{"toolCall":{"toolCallId":"c","title":"x"},"options":[{"optionId":"y","name":"Y","kind":"allow_once"}]}}},
    {"text":"two "},{"request":{"method":"session/request_permission","params":{"toolCall":{"toolCallId":"d","title":"z"},"options":[{"optionId":"y","name":"Y","kind":"allow_once"}]}}},{"text":"end"}]]})")
          .ok());
  ASSERT_TRUE(prompt("a", "t1").ok());
  const auto first = untilTold("a", "question/asked");
  const auto seq = last("a");
  acknowledge("a", seq);
  agents_->sessionLost();
  const auto answer = [this](const Json& question) {
    return ask(&Agents::answer,
               of("a").set("questionId", question["questionId"]).set("decision", "allow_once"))
        .ok();
  };
  // As if the answer had been on its way when the connection was lost.
  ASSERT_TRUE(answer(first));
  events_.clear();
  until([&] { return heard().back()["method"].isNull(); });
  settle();
  EXPECT_THAT(events_, IsEmpty());
  const auto resumed = Json::parse(resume({{"a", seq}, {"gone", 5}}).value()).value();
  ASSERT_EQ(resumed["sessions"].items().size(), 1U);
  EXPECT_EQ(resumed["sessions"].items()[0]["state"].asString(), "running");
  EXPECT_EQ(resumed["sessions"].items()[0]["turnId"].asString(), "t1");
  const auto second = untilTold("a", "question/asked");
  EXPECT_NE(second["questionId"], first["questionId"]);
  for (const auto& event : events_["a"]) {
    EXPECT_GT(event["seq"].asInteger(), seq);
  }
  ASSERT_TRUE(answer(second));
  untilTold("a", "turn/completed");
  std::vector<std::string> texts;
  for (const auto& event : told("a", "item/completed")) {
    if (event["data"]["item"]["type"].asString() == "agentMessage") {
      texts.push_back(event["data"]["item"]["text"].asString());
    }
  }
  EXPECT_THAT(texts, ElementsAre("two ", "end"));
}

TEST_F(AgentsTest, AServerThatHasRestartedGetsWhatIsOpenWhole) {
  ASSERT_TRUE(
      open(
          "a",
          R"({"turns":[[{"text":"Hello"},{"request":{"method":"wait","params":{}}},{"text":" you"},{"untilCancelled":true}]]})")
          .ok());
  ASSERT_TRUE(prompt("a", "t1").ok());
  until([&] { return said("a") == "Hello you"; });
  acknowledge("a", last("a"));
  const auto seq = last("a");
  agents_->sessionLost();
  events_.clear();
  ASSERT_TRUE(resume({{"a", seq}}).ok());
  const auto again = untilTold("a", "item/started");
  EXPECT_EQ(again["item"]["text"].asString(), "Hello you");
  EXPECT_EQ(again["length"].asInteger(), 9);
  EXPECT_EQ(ask(&Agents::cancel, of("a")).value(), R"({"cancelled":true})");
  EXPECT_EQ(untilTold("a", "turn/completed")["status"].asString(), "interrupted");
}

TEST_F(AgentsTest, AQuestionThatWaitsIsAskedAgainInTheNextConnection) {
  ASSERT_TRUE(
      open(
          "a",
          R"({"turns":[[{"request":{"method":"session/request_permission","params":{"toolCall":{"toolCallId":"c","title":"x"},"options":[]}}}]]})")
          .ok());
  ASSERT_TRUE(prompt("a", "t1").ok());
  const auto asked = untilTold("a", "question/asked");
  acknowledge("a", last("a"));
  agents_->sessionLost();
  events_.clear();
  ASSERT_TRUE(resume({{"a", 3}}).ok());
  EXPECT_EQ(untilTold("a", "question/asked")["questionId"], asked["questionId"]);
}

TEST_F(AgentsTest, AnEndIsToldUntilItIsStored) {
  ASSERT_TRUE(open("a", R"({"turns":[[{"exit":3}]]})").ok());
  ASSERT_TRUE(prompt("a", "t1").ok());
  EXPECT_EQ(untilTold("a", "session/ended")["exitCode"].asInteger(), 3);
  EXPECT_EQ(marks(), 0U);
  agents_->sessionLost();
  events_.clear();
  EXPECT_THAT(resume({{"a", 0}}).value(), HasSubstr(R"("state":"ended")"));
  untilTold("a", "session/ended");
  acknowledge("a", last("a"));
  agents_->sessionLost();
  EXPECT_EQ(resume({{"a", 0}}).value(), R"({"sessions":[]})");
  EXPECT_EQ(prompt("a", "t2").error().code, errc::kNotFound);
  EXPECT_TRUE(open("a", "{}").ok()) << "it is forgotten";
}

TEST_F(AgentsTest, ARefusalOfTheServerEndsThemAllAndOthersMayFollow) {
  ASSERT_TRUE(open("a", "{}").ok());
  ASSERT_TRUE(open("b", "{}").ok());
  agents_->sessionLost();
  agents_->refused();
  until([&] { return marks() == 0; });
  EXPECT_TRUE(open("c", "{}").ok()) << "the key is known again";
}

TEST_F(AgentsTest, WhatTheServerDoesNotNameIsEnded) {
  ASSERT_TRUE(open("a", "{}").ok());
  agents_->sessionLost();
  EXPECT_EQ(resume({}).value(), R"({"sessions":[]})");
  until([&] { return marks() == 0; });
}

}  // namespace
}  // namespace svc::agentd
