#include "live_texts.h"

#include <gtest/gtest.h>

#include "runner_fixture.h"
#include "thread_limits.h"
#include "timeline.h"

namespace svc::threads {
namespace {

class LiveTextsTest : public ::testing::Test {
 protected:
  using Json = common::Json;

  void start(const std::string& id, const std::string& text = {}, const Json& length = {}) {
    live_.logged(
        "t", "item/started",
        Json::object()
            .set("item", Json::object().set("id", id).set("type", "agentMessage").set("text", text))
            .set("length", length));
  }
  void grow(const std::string& id, std::int64_t offset, const std::string& text,
            const std::string& field = "text") {
    live_.grow("t", Json::object()
                        .set("itemId", id)
                        .set("field", field)
                        .set("offset", offset)
                        .set("text", text));
  }
  std::string textOfItem(const std::string& id) {
    const auto texts = live_.of("t");
    const auto found = texts.find(id);
    return found == texts.end() ? "none" : found->second.text;
  }

  std::vector<Delta> grown_;
  LiveTexts live_{[this](const std::string&, const Delta& delta) { grown_.push_back(delta); }};
};

TEST_F(LiveTextsTest, OffsetsCountUnitsOfUtf16) {
  start("m");
  grow("m", 0, "a😀é");
  grow("m", 4, "b");
  EXPECT_EQ(textOfItem("m"), "a😀éb");
  EXPECT_EQ(grown_.back().offset, 4);
}

TEST_F(LiveTextsTest, WhatComesAgainIsTakenOnce) {
  start("m");
  grow("m", 0, "a😀b");
  grow("m", 0, "a😀b");
  grow("m", 1, "😀bc");
  EXPECT_EQ(textOfItem("m"), "a😀bc");
  ASSERT_EQ(grown_.size(), 2U);
  EXPECT_EQ(grown_[1].offset, 4);
  EXPECT_EQ(grown_[1].text, "c");
}

TEST_F(LiveTextsTest, AfterAGapNothingIsTakenUntilTheItemIsToldAgain) {
  start("m");
  grow("m", 0, "ab");
  grow("m", 3, "d");
  grow("m", 2, "c");
  EXPECT_EQ(textOfItem("m"), "ab");
  start("m", "abcd", 4);
  grow("m", 4, "e");
  EXPECT_EQ(textOfItem("m"), "abcde");
}

TEST_F(LiveTextsTest, ATextThatWasCutIsShownAndNotContinued) {
  start("m", "head\n… tail", 400'000);
  grow("m", 400'000, "more");
  EXPECT_EQ(textOfItem("m"), "head\n… tail");
  EXPECT_TRUE(grown_.empty());
}

TEST_F(LiveTextsTest, OtherItemsAndFieldsAreNotTaken) {
  start("m");
  grow("x", 0, "a");
  grow("m", 0, "a", "output");
  EXPECT_TRUE(grown_.empty());
}

TEST_F(LiveTextsTest, EndsWithItsItemOrItsSession) {
  start("m");
  start("n");
  live_.logged(
      "t", "item/completed",
      Json::object().set("item", Json::object().set("id", "m").set("type", "agentMessage")));
  grow("m", 0, "late");
  EXPECT_EQ(textOfItem("m"), "none");
  EXPECT_EQ(textOfItem("n"), "");
  live_.forget("t");
  EXPECT_TRUE(live_.of("t").empty());
}

TEST_F(LiveTextsTest, HasABoundForEachTextAndForAThread) {
  start("m");
  const std::string whole(kItemText, 'x');
  grow("m", 0, whole);
  grow("m", static_cast<std::int64_t>(whole.size()), "y");
  EXPECT_EQ(textOfItem("m").size(), kItemText);

  std::size_t bytes = kItemText;
  for (int number = 0; bytes <= 2 * kLiveBytes; ++number, bytes += kItemText) {
    start("n" + std::to_string(number));
    grow("n" + std::to_string(number), 0, whole);
  }
  std::size_t held = 0;
  for (const auto& [id, text] : live_.of("t")) {
    held += text.text.size();
  }
  EXPECT_EQ(held, kLiveBytes);

  for (std::size_t number = 0; number < 2 * kLiveItems; ++number) {
    start("o" + std::to_string(number));
  }
  EXPECT_EQ(live_.of("t").size(), kLiveItems);
}

/// The way of a text from the agent into the timeline.
class LiveTimelineTest : public RunnerFixture {
 protected:
  Json rows(std::optional<std::int64_t> after = {}) {
    const auto read = readTimeline(
        *book_, {.thread_id = thread_, .segment_limit = kSegments, .after_sequence = after},
        live_.of(thread_));
    EXPECT_TRUE(read.ok());
    return after ? read.value()["delta"]["upsertRows"] : read.value()["rows"];
  }
  void started(const std::string& item) {
    EXPECT_TRUE(hear("item/started", turn_, R"({"item":)" + item + "}"));
  }
  void delta(const std::string& id, const std::string& field, const std::string& text) {
    EXPECT_TRUE(hear("item/delta", turn_,
                     R"({"itemId":")" + id + R"(","field":")" + field + R"(","offset":0,"text":")" +
                         text + R"("})"));
  }
};

TEST_F(LiveTimelineTest, RowsOfOpenItemsCarryTheirTextSoFar) {
  spawn();
  begin();
  started(R"({"id":"r","type":"reasoning","summary":[],"content":[]})");
  started(R"({"id":"c","type":"commandExecution","command":"ls","status":"pending"})");
  started(R"({"id":"m","type":"agentMessage","text":""})");
  delta("r", "reasoning", "Hm");
  delta("c", "output", "a.txt");
  delta("m", "text", "Look");
  const auto all = rows().items();
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[1]["text"].asString(), "Hm");
  EXPECT_EQ(all[2]["output"].asString(), "a.txt");
  EXPECT_EQ(all[3]["text"].asString(), "Look");
  // Nothing is new in the log, and the texts are there all the same.
  EXPECT_EQ(rows(book_->thread(thread_).value().last_seq).items().size(), 3U);
}

TEST_F(LiveTimelineTest, ADeltaIsNeitherLoggedNorStored) {
  spawn();
  begin();
  started(R"({"id":"m","type":"agentMessage","text":""})");
  const auto before = logTypes();
  store_.broken = Error{errc::kInternal, "the disk is full"};
  delta("m", "text", "Look");
  store_.broken.reset();
  EXPECT_EQ(logTypes(), before);
  EXPECT_EQ(live_.of(thread_).at("m").text, "Look");
}

TEST_F(LiveTimelineTest, AMessageThatIsToldAgainIsStillOpen) {
  spawn();
  begin();
  started(R"({"id":"m","type":"agentMessage","text":""})");
  EXPECT_TRUE(hear("item/started", turn_,
                   R"({"item":{"id":"m","type":"agentMessage","text":"Look"},"length":4})"));
  const auto row = rows().items()[1];
  EXPECT_EQ(row["sourceSeqStart"].asInteger(), row["sourceSeqEnd"].asInteger());
  EXPECT_EQ(row["text"].asString(), "Look");
  EXPECT_TRUE(
      hear("item/completed", turn_, R"({"item":{"id":"m","type":"agentMessage","text":"Look!"}})"));
  EXPECT_LT(rows().items()[1]["sourceSeqStart"].asInteger(),
            rows().items()[1]["sourceSeqEnd"].asInteger());
}

TEST_F(LiveTimelineTest, WhatHadNoEndIsClosedByTheEndOfItsTurn) {
  spawn();
  begin();
  started(R"({"id":"c","type":"commandExecution","command":"ls","status":"pending"})");
  started(R"({"id":"m","type":"agentMessage","text":"Loo"})");
  EXPECT_TRUE(hear("session/ended", "", R"({"reason":"exited","message":"gone"})"));
  EXPECT_TRUE(live_.of(thread_).empty());
  const auto all = rows().items();
  const auto& message = all.back();
  EXPECT_EQ(message["text"].asString(), "Loo");
  EXPECT_LT(message["sourceSeqStart"].asInteger(), message["sourceSeqEnd"].asInteger());
  const auto& turn = all[1];
  const auto inside = readTurnRows(*book_, thread_, turn["sourceSeqStart"].asInteger(),
                                   turn["sourceSeqEnd"].asInteger());
  ASSERT_TRUE(inside.ok());
  const auto& steps = inside.value()["rows"].items();
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[0]["status"].asString(), "interrupted");
  EXPECT_EQ(steps[1]["detail"].asString(), "gone");
}

}  // namespace
}  // namespace svc::threads
