#include "timeline.h"

#include <string>

#include <gmock/gmock.h>

#include "svc/common/codes.h"

#include "timeline_fixture.h"

namespace svc::threads {
namespace {

using ::testing::ElementsAre;

TEST_F(TimelineTest, RowsOfAnUnfinishedTurnStandFlat) {
  spawn("hello");
  begin();
  work();
  const auto read = timeline();
  EXPECT_THAT(brief(read["rows"]),
              ElementsAre("user:hello", "command:completed", "assistant:Looking",
                          "file-change:completed", "file-change:completed"));
  const auto& rows = read["rows"].items();
  EXPECT_EQ(rows[0]["turnRequest"]["status"].asString(), "accepted");
  EXPECT_EQ(rows[1]["exitCode"].asInteger(-1), 0);
  EXPECT_EQ(rows[1]["itemId"].asString(), "c");
  EXPECT_EQ(rows[3]["change"]["diffStats"].dump(), R"({"added":2,"removed":1})");
  EXPECT_EQ(rows[4]["change"]["path"].asString(), "/b");
}

TEST_F(TimelineTest, AToolOfAPluginIsShownAsItsPluginSays) {
  presentation_ = [](const std::string& tool) {
    return tool != "deploy"
               ? Json()
               : Json::parse(R"({"label":{"pending":"Deploying","completed":"Deployed"},)"
                             R"("icon":{"glyph":"rocket"}})")
                     .value();
  };
  restart();
  spawn("hello");
  begin();
  item("item/started",
       R"({"id":"t","type":"toolCall","server":"svc","tool":"deploy","status":"pending"})");
  item("item/completed",
       R"({"id":"u","type":"toolCall","server":"other","tool":"deploy","status":"completed"})");
  item("item/completed",
       R"({"id":"v","type":"toolCall","server":"svc","tool":"plain","status":"completed"})");
  presentation_ = {};
  const auto read = timeline();
  const auto& rows = read["rows"].items();
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[1]["statusLabels"]["pending"].asString(), "Deploying")
      << "it stays when the plugin is gone";
  EXPECT_EQ(rows[1]["presentation"]["icon"]["glyph"].asString(), "rocket");
  EXPECT_TRUE(rows[2]["presentation"].isNull()) << "a tool of another server";
  EXPECT_TRUE(rows[3]["presentation"].isNull());
}

TEST_F(TimelineTest, ASuppressedToolIsShownOnlyWhenItFails) {
  presentation_ = [](const std::string&) { return Json::object().set("suppress", true); };
  restart();
  spawn("hello");
  begin();
  item("item/started",
       R"({"id":"t","type":"toolCall","server":"svc","tool":"quiet","status":"pending"})");
  item("item/completed",
       R"({"id":"t","type":"toolCall","server":"svc","tool":"quiet","status":"completed"})");
  item("item/started",
       R"({"id":"u","type":"toolCall","server":"svc","tool":"quiet","status":"pending"})");
  EXPECT_THAT(brief(timeline()["rows"]), ElementsAre("user:hello"));
  item("item/completed",
       R"({"id":"u","type":"toolCall","server":"svc","tool":"quiet","status":"failed"})");
  EXPECT_THAT(brief(timeline()["rows"]), ElementsAre("user:hello", "tool:error"));
}

TEST_F(TimelineTest, AnOperationWithoutANameSaysWhatItIs) {
  spawn("hello");
  begin();
  EXPECT_TRUE(
      hear("system/operation", turn_,
           R"({"operation":"x","operationId":"o1","status":"completed","message":"One line"})"));
  EXPECT_TRUE(
      hear("system/operation", turn_,
           R"({"operation":"x","operationId":"o2","status":"completed","message":"Two\nlines"})"));
  const auto read = timeline();
  const auto& rows = read["rows"].items();
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[1]["title"].asString(), "One line");
  EXPECT_TRUE(rows[1]["detail"].isNull());
  EXPECT_EQ(rows[2]["title"].asString(), "Operation");
  EXPECT_EQ(rows[2]["detail"].asString(), "Two\nlines");
}

TEST_F(TimelineTest, WhatAPluginMakesOfAnAnswerIsWhatItsRowSays) {
  spawn("hello");
  begin();
  const auto form = [this](const char* status, const Json& description) {
    Edit edit(*book_);
    auto data = Json::object().set("interactionId", "int_1").set("title", "Move it?");
    edit.log(*edit.thread(thread_).value(), "system/pluginInteraction/lifecycle", turn_,
             data.set("status", status).set("description", description));
    ASSERT_TRUE(edit.commit().ok());
  };
  const auto row = [this] { return timeline()["rows"].items().back(); };
  form("pending", {});
  EXPECT_EQ(row()["title"].asString(), "Move it?");
  EXPECT_TRUE(row()["detail"].isNull());
  form("resolved", Json::object().set("detail", "to the left"));
  EXPECT_EQ(row()["title"].asString(), "Move it?");
  EXPECT_EQ(row()["detail"].asString(), "to the left");
  form("resolved", Json::object().set("title", "Moved").set("detail", "to the right"));
  EXPECT_EQ(row()["title"].asString(), "Moved");
  EXPECT_EQ(row()["detail"].asString(), "to the right");
}

TEST_F(TimelineTest, ADeltaHasWhatChangedSince) {
  spawn("hello");
  begin();
  item("item/started", R"({"id":"c","type":"commandExecution","command":"ls","status":"pending"})");
  const auto known = timeline()["maxSeq"].asInteger();
  EXPECT_EQ(timeline({.after_sequence = known})["delta"].dump(), R"({"upsertRows":[]})");
  item("item/completed",
       R"({"id":"c","type":"commandExecution","command":"ls","status":"failed"})");
  const auto delta = timeline({.after_sequence = known});
  EXPECT_TRUE(delta["rows"].items().empty());
  EXPECT_THAT(brief(delta["delta"]["upsertRows"]), ElementsAre("command:error"));
  EXPECT_EQ(delta["delta"]["rowOrder"].items().size(), 2U);
}

TEST_F(TimelineTest, SaysWhatTheAgentThinksNow) {
  spawn("hello");
  begin();
  EXPECT_TRUE(timeline()["activeThinking"].isNull());
  item("item/started", R"({"id":"r","type":"reasoning","summary":[],"content":["Let me see"]})");
  item("item/started",
       R"({"id":"w","type":"backgroundTask","status":"pending","taskStatus":"running"})");
  const auto now = timeline();
  EXPECT_EQ(now["activeThinking"]["id"].asString(), "r");
  EXPECT_EQ(now["activeThinking"]["text"].asString(), "Let me see");
  EXPECT_EQ(now["activeThinking"]["startedAt"].asInteger(), clock_.nowMs());
  ASSERT_EQ(now["activeWorkflows"].items().size(), 1U);
  EXPECT_EQ(now["activeWorkflows"].items()[0]["itemId"].asString(), "w");
  item("item/completed", R"({"id":"r","type":"reasoning","summary":[],"content":["I see"]})");
  EXPECT_TRUE(timeline()["activeThinking"].isNull());
  finish();
  EXPECT_TRUE(timeline()["activeWorkflows"].items().empty());
}

TEST_F(TimelineTest, ShowsPlansQuestionsAndWhatIsLeftOut) {
  spawn("hello");
  begin();
  EXPECT_TRUE(
      hear("turn/plan/updated", turn_,
           R"({"plan":[{"step":"a","status":"completed"},{"step":"b","status":"active"}]})"));
  EXPECT_TRUE(
      hear("question/asked", turn_,
           R"({"questionId":"q","payload":{"kind":"approval","subject":{"kind":"command"}}})"));
  const auto read = timeline();
  EXPECT_EQ(read["pendingTodos"]["items"].items()[1]["status"].asString(), "in_progress");
  EXPECT_THAT(brief(read["rows"]), ElementsAre("user:hello", "approval:pending"));
  EXPECT_EQ(read["rows"].items()[1]["lifecycle"].asString(), "pending");
  EXPECT_THAT(brief(timeline({.summary_only = true})["rows"]), ElementsAre("user:hello"));
  EXPECT_EQ(readTimeline(*book_, {.thread_id = "thr_x"}).error().code, errc::kNotFound);
}

// Whatever the agent sends twice, or late, the rows are the same.
TEST_F(TimelineTest, TheSameEventsGiveTheSameRows) {
  spawn("hello");
  begin();
  work();
  const auto before = timeline()["rows"].dump();
  restartBook();
  EXPECT_EQ(timeline()["rows"].dump(), before);
  TimelineRows again(thread_);
  const auto events = store_.events({.thread_id = thread_, .limit = 100}).value();
  for (const auto& event : events) {
    again.add(event);
  }
  auto rows = Json::array();
  for (const auto& row : again.segments().back().rows) {
    rows.push(row.json);
  }
  EXPECT_EQ(rows.dump(), before);
}

}  // namespace
}  // namespace svc::threads
