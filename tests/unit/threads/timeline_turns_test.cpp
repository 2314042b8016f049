#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "svc/common/codes.h"

#include "timeline_fixture.h"

namespace svc::threads {
namespace {

using ::testing::ElementsAre;

TEST_F(TimelineTest, TheEndOfATurnIsAChangeOfItsRows) {
  spawn("hello");
  begin();
  work();
  const auto seen = book_->thread(thread_).value().last_seq;
  finish();
  const auto delta = timeline({.after_sequence = seen})["delta"];
  EXPECT_THAT(brief(delta["upsertRows"]), ElementsAre("turn:completed:3", "assistant:Looking"));
  EXPECT_EQ(delta["rowOrder"].items().size(), 3U);
}

TEST_F(TimelineTest, WhatHappensBetweenTurnsBelongsToNone) {
  spawn("hello");
  begin();
  work();
  finish();
  const auto alone = timeline()["rows"].items()[1].dump();
  clock_.advance(std::chrono::milliseconds(500));
  {
    Edit edit(*book_);
    edit.log(*edit.thread(thread_).value(), "system/operation", {},
             Json::object()
                 .set("operation", "tool-result")
                 .set("operationId", "op_1")
                 .set("status", "completed")
                 .set("message", "deploy has finished"));
    ASSERT_TRUE(edit.commit().ok());
  }
  ASSERT_TRUE(send("next").ok());
  const auto read = timeline();
  EXPECT_THAT(brief(read["rows"]),
              ElementsAre("user:hello", "turn:completed:3", "assistant:Looking", "system:operation",
                          "user:next"));
  EXPECT_EQ(read["rows"].items()[1].dump(), alone);
  EXPECT_EQ(read["timelinePage"]["returnedSegmentCount"].asInteger(), 2);
}

TEST_F(TimelineTest, AFinishedTurnIsFolded) {
  spawn("hello");
  begin();
  work();
  item("item/completed", R"({"id":"m2","type":"agentMessage","text":"Done"})");
  finish();
  EXPECT_THAT(brief(timeline()["rows"]),
              ElementsAre("user:hello", "turn:completed:4", "assistant:Done"));
  const auto nested = timeline({.include_nested = true});
  EXPECT_EQ(nested["rows"].items()[1]["children"].items().size(), 4U);
  EXPECT_TRUE(timeline()["rows"].items()[1]["children"].isNull());
  const auto& turn = nested["rows"].items()[1];
  EXPECT_EQ(readTurnRows(*book_, thread_, turn["sourceSeqStart"].asInteger(),
                         turn["sourceSeqEnd"].asInteger())
                .value()["rows"]
                .items()
                .size(),
            4U);
}

TEST_F(TimelineTest, TheLastTextIsBesideATurnThatDoesMoreAfterIt) {
  spawn("hello");
  begin();
  item("item/started", R"({"id":"c","type":"commandExecution","command":"ls","status":"pending"})");
  item("item/completed", R"({"id":"m","type":"agentMessage","text":"Done"})");
  item("item/completed",
       R"({"id":"c","type":"commandExecution","command":"ls","status":"completed"})");
  const auto opened = [this] {
    const auto turn = timeline()["rows"].items()[1];
    return brief(readTurnRows(*book_, thread_, turn["sourceSeqStart"].asInteger(),
                              turn["sourceSeqEnd"].asInteger())
                     .value()["rows"]);
  };
  finish();
  EXPECT_THAT(brief(timeline()["rows"]),
              ElementsAre("user:hello", "turn:completed:1", "assistant:Done"));
  EXPECT_THAT(opened(), ElementsAre("command:completed"));
}

TEST_F(TimelineTest, ATextThatBeginsAmongTheStepsAndEndsAfterThemIsNoneOfThem) {
  spawn("hello");
  begin();
  item("item/started", R"({"id":"m","type":"agentMessage","text":""})");
  item("item/completed",
       R"({"id":"c","type":"commandExecution","command":"ls","status":"completed"})");
  item("item/completed", R"({"id":"m","type":"agentMessage","text":"Done"})");
  const auto seqs = [](const Json& row) {
    return std::pair(row["sourceSeqStart"].asInteger(), row["sourceSeqEnd"].asInteger());
  };
  finish();
  const auto [first, last] = seqs(timeline()["rows"].items()[1]);
  EXPECT_THAT(brief(readTurnRows(*book_, thread_, first, last).value()["rows"]),
              ElementsAre("command:completed"));
  EXPECT_THAT(brief(readTurnRows(*book_, thread_, first - 1, last).value()["rows"]),
              ElementsAre("command:completed"));
}

TEST_F(TimelineTest, ATurnWhoseFormIsAnsweredLaterOpensWithoutTheTurnsInBetween) {
  spawn("hello");
  begin();
  const auto form = [this, turn = turn_](const char* status) {
    Edit edit(*book_);
    edit.log(*edit.thread(thread_).value(), "system/pluginInteraction/lifecycle", turn,
             Json::object().set("interactionId", "int_1").set("title", "?").set("status", status));
    ASSERT_TRUE(edit.commit().ok());
  };
  work();
  form("pending");
  finish();
  const auto open = [this] {
    const auto turn = timeline()["rows"].items()[1];
    return readTurnRows(*book_, thread_, turn["sourceSeqStart"].asInteger(),
                        turn["sourceSeqEnd"].asInteger())
        .value()["rows"];
  };
  const auto before = open();
  ASSERT_TRUE(send("next").ok());
  begin();
  work();
  finish();
  EXPECT_EQ(open().dump(), before.dump());
  const auto seen = book_->thread(thread_).value().last_seq;
  form("resolved");
  const auto delta = timeline({.after_sequence = seen})["delta"];
  EXPECT_THAT(brief(delta["upsertRows"]), ElementsAre("turn:completed:4")) << "windows ask again";
  const auto after = open();
  EXPECT_THAT(brief(after), ElementsAre("command:completed", "file-change:completed",
                                        "file-change:completed", "system:operation"));
  EXPECT_EQ(after.items().back()["status"].asString(), "resolved");
}

TEST_F(TimelineTest, WhyATurnEndedIsNoStepOfIt) {
  spawn("hello");
  begin();
  item("item/completed", R"({"id":"m1","type":"agentMessage","text":"Looking"})");
  EXPECT_TRUE(hear("provider/error", turn_, R"({"message":"try again"})"));
  item("item/completed", R"({"id":"m2","type":"agentMessage","text":"About to die"})");
  EXPECT_TRUE(hear("turn/completed", turn_,
                   R"({"status":"failed","error":{"message":"ended by signal 11"}})"));
  EXPECT_THAT(brief(timeline()["rows"]),
              ElementsAre("user:hello", "turn:error:2", "assistant:About to die"));
  const auto turn = timeline({.include_nested = true})["rows"].items()[1];
  EXPECT_EQ(turn["children"].items().size(), 3U);
  EXPECT_EQ(turn["summaryCount"].asInteger(), 3) << "it is one of the rows";
  ASSERT_TRUE(send("again").ok());
  begin();
  ASSERT_TRUE(stop().ok());
  finish("interrupted");
  EXPECT_EQ(brief(timeline()["rows"]).back(), "turn:interrupted:0");
}

TEST_F(TimelineTest, ATurnThatTheServerEndedSaysSoOnce) {
  spawn("hello");
  begin();
  item("item/completed", R"({"id":"c1","type":"commandExecution","command":"ls"})");
  restart();
  const auto rows = timeline({.include_nested = true})["rows"];
  std::vector<std::string> said;
  for (const auto& row : rows.items().back()["children"].items()) {
    if (row["kind"].asString() == "system") {
      said.push_back(row["title"].asString() + ": " + row["detail"].asString());
    }
  }
  EXPECT_THAT(said, ElementsAre("Interrupted: the server was restarted while the turn ran"));
}

TEST_F(TimelineTest, AFailedTurnSaysWhyOnce) {
  const auto why = [this] {
    EXPECT_TRUE(hear("turn/completed", turn_,
                     R"({"status":"failed","error":{"message":"ended by signal 11"}})"));
    const auto nested = timeline({.include_nested = true});
    std::vector<std::string> out;
    for (const auto& row : nested["rows"].items().back()["children"].items()) {
      out.push_back(row["title"].asString() + ": " + row["detail"].asString());
    }
    return out;
  };
  spawn("hello");
  begin();
  EXPECT_THAT(why(), ElementsAre("The turn failed: ended by signal 11"));
  ASSERT_TRUE(send("again").ok());
  begin();
  EXPECT_TRUE(hear("provider/error", turn_, R"({"message":"ended by signal 11"})"));
  EXPECT_THAT(why(), ElementsAre("The agent reports an error: ended by signal 11"));
}

TEST_F(TimelineTest, WhatWasNotRunSaysWhy) {
  EXPECT_CALL(environments_, resolve(::testing::_, ::testing::_, ::testing::_))
      .WillOnce(
          [](const EnvironmentNeed&, const PlaceListener&, Completion<ReadyEnvironment> done) {
            done(Error{errc::kUnavailable, "offline"});
          });
  spawn("hello");
  const auto read = timeline();
  EXPECT_EQ(read["rows"].items()[0]["turnRequest"]["status"].asString(), "rejected");
  EXPECT_EQ(read["rows"].items()[1]["kind"].asString(), "turn");
  const auto nested = timeline({.include_nested = true});
  EXPECT_EQ(nested["rows"].items()[1]["children"].items()[0]["detail"].asString(), "offline");
}

}  // namespace
}  // namespace svc::threads
