#include <cstddef>
#include <stop_token>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "timeline_fixture.h"

namespace svc::threads {
namespace {

using ::testing::ElementsAre;

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

TEST_F(LongTurnTest, AReadThatNobodyWaitsForEndsBetweenItsSteps) {
  spawn("hello");
  begin();
  command(1);
  // The stop comes while the events are read.
  std::stop_source stop;
  store_.on_events = [&stop] { stop.request_stop(); };
  const auto given_up = [](const Result<Json>& read) {
    return read ? "an answer" : read.error().code.name();
  };
  EXPECT_EQ(given_up(readTimeline(
                *book_, {.thread_id = thread_, .segment_limit = 1, .stop = stop.get_token()})),
            "unavailable");
  EXPECT_EQ(given_up(readTurnRows(*book_, thread_, 1, 9, kEvents, stop.get_token())),
            "unavailable");
  store_.on_events = {};
}

}  // namespace
}  // namespace svc::threads
