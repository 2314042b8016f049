#include "timeline.h"

#include "svc/common/codes.h"

#include "runner_fixture.h"
#include "thread_limits.h"

namespace svc::threads {
namespace {

using ::testing::ElementsAre;

class TimelineTest : public RunnerFixture {
 protected:
  Json timeline(TimelineQuery query = {}) {
    query.thread_id = thread_;
    query.segment_limit = query.segment_limit == 0 ? kSegments : query.segment_limit;
    auto out = readTimeline(*book_, query);
    EXPECT_TRUE(out.ok());
    return out ? std::move(out).value() : Json();
  }
  /// Each row as its kind, with the text or the status.
  static std::vector<std::string> brief(const Json& rows) {
    std::vector<std::string> out;
    for (const auto& row : rows.items()) {
      auto kind = row["kind"].asString();
      if (kind == "conversation") {
        kind = row["role"].asString() + ":" + row["text"].asString();
      } else if (kind == "work") {
        kind = row["workKind"].asString() + ":" + row["status"].asString();
      } else if (kind == "turn") {
        kind += ":" + row["status"].asString() + ":" + std::to_string(row["stepCount"].asInteger());
      } else {
        kind += ":" + row["systemKind"].asString();
      }
      out.push_back(kind);
    }
    return out;
  }
  void item(const std::string& type, const std::string& data) {
    EXPECT_TRUE(hear(type, turn_, R"({"item":)" + data + "}"));
  }
  void work() {
    item("item/started",
         R"({"id":"c","type":"commandExecution","command":"ls","status":"pending"})");
    item("item/completed", R"({"id":"m1","type":"agentMessage","text":"Looking"})");
    item(
        "item/completed",
        R"({"id":"c","type":"commandExecution","command":"ls","status":"completed","exitCode":0})");
    item("item/completed", R"({"id":"f","type":"fileChange","status":"completed","changes":[)"
                           R"({"path":"/a","kind":"update","diff":"--- a\n+++ a\n-x\n+y\n+z\n"},)"
                           R"({"path":"/b","kind":"add"}]})");
  }
};

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

TEST_F(TimelineTest, PagesCountSegmentsFromTheEnd) {
  spawn("one");
  begin();
  finish();
  for (const char* text : {"two", "three"}) {
    ASSERT_TRUE(send(text).ok());
    begin();
    finish();
  }
  const auto latest = timeline({.segment_limit = 2});
  EXPECT_THAT(brief(latest["rows"]), ElementsAre("user:two", "user:three"));
  EXPECT_TRUE(latest["hasOlderRows"].asBool());
  const auto& cursor = latest["timelinePage"]["olderCursor"];
  const auto older =
      timeline({.segment_limit = 2, .before_anchor_seq = cursor["anchorSeq"].asInteger()});
  EXPECT_THAT(brief(older["rows"]), ElementsAre("user:one"));
  EXPECT_FALSE(older["hasOlderRows"].asBool(true));
  EXPECT_TRUE(older["timelinePage"]["olderCursor"].isNull());
  EXPECT_EQ(older["timelinePage"]["kind"].asString(), "older");
}

/// Turns with more events than a page, which are five here.
class LongTurnTest : public TimelineTest {
 protected:
  static constexpr std::size_t kEvents = 5;

  void command(int number, const char* status = "completed") {
    item("item/completed", R"({"id":"c)" + std::to_string(number) +
                               R"(","type":"commandExecution","command":"ls","status":")" + status +
                               R"("})");
  }
  static std::vector<std::string> idsOf(const Json& rows) {
    std::vector<std::string> out;
    for (const auto& row : rows.items()) {
      out.push_back(row["kind"].asString() == "conversation" ? row["text"].asString()
                                                             : row["id"].asString());
    }
    return out;
  }
  Json before(const Json& page) {
    return timeline(
        {.before_anchor_seq = page["timelinePage"]["olderCursor"]["anchorSeq"].asInteger(),
         .max_events = kEvents});
  }
};

TEST_F(LongTurnTest, OneThatRunsShowsItsNewestRowsAndOlderOnesPageByPage) {
  spawn("hello");
  begin();
  for (int number = 1; number <= 8; ++number) {
    command(number);
  }
  const auto latest = timeline({.max_events = kEvents});
  EXPECT_THAT(idsOf(latest["rows"]), ElementsAre("c4", "c5", "c6", "c7", "c8"));
  EXPECT_TRUE(latest["hasOlderRows"].asBool());
  const auto older = before(latest);
  EXPECT_THAT(idsOf(older["rows"]).back(), "c3");
  auto all = idsOf(older["rows"]);
  for (auto page = older; page["hasOlderRows"].asBool();) {
    page = before(page);
    const auto more = idsOf(page["rows"]);
    all.insert(all.begin(), more.begin(), more.end());
  }
  EXPECT_THAT(all, ElementsAre("hello", "c1", "c2", "c3")) << "each once, none lost";
}

TEST_F(LongTurnTest, OneThatHasEndedIsFoldedAndOpensPageByPage) {
  spawn("hello");
  begin();
  for (int number = 1; number <= 8; ++number) {
    command(number);
  }
  item("item/completed", R"({"id":"m","type":"agentMessage","text":"Done"})");
  finish();
  const auto latest = timeline({.max_events = kEvents});
  EXPECT_THAT(brief(latest["rows"]),
              ElementsAre("user:hello", "turn:completed:3", "assistant:Done"));
  const auto& turn = latest["rows"].items()[1];
  auto first = turn["sourceSeqStart"].asInteger();
  EXPECT_LT(first, 6) << "all of the turn";
  auto last = Json(turn["sourceSeqEnd"]);
  std::vector<std::string> all;
  while (!last.isNull()) {
    const auto page = readTurnRows(*book_, thread_, first, last.asInteger(), kEvents).value();
    const auto ids = idsOf(page["rows"]);
    all.insert(all.begin(), ids.begin(), ids.end());
    last = page["olderSeqEnd"];
  }
  EXPECT_THAT(all, ElementsAre("c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8"));
}

TEST_F(LongTurnTest, APageThatIsTooLongBeginsWithALaterTurn) {
  int number = 0;
  for (const char* text : {"one", "two", "three"}) {
    if (thread_.empty()) {
      spawn(text);
    } else {
      ASSERT_TRUE(send(text).ok());
    }
    begin();
    command(++number);
    finish();
  }
  constexpr std::size_t kTurn = 5;
  const auto latest = timeline({.max_events = 2 * kTurn + 1});
  EXPECT_EQ(brief(latest["rows"]).front(), "user:two");
  const auto cursor = latest["timelinePage"]["olderCursor"]["anchorSeq"].asInteger();
  EXPECT_EQ(brief(timeline({.before_anchor_seq = cursor})["rows"]).front(), "user:one");
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
