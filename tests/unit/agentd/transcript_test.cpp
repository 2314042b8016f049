#include "transcript.h"

#include <gmock/gmock.h>

#include "transcript_fixture.h"

namespace svc::agentd {
namespace {

using ::testing::ElementsAre;

TEST_F(TranscriptTest, ATextIsOneItemWhateverItsChunks) {
  transcript_.turnStarted("t1", 1);
  text("Hé");
  text("llo 😀");
  text("!");
  transcript_.turnEnded(2);
  EXPECT_THAT(told(), ElementsAre("item/started agentMessage", "item/delta", "item/delta",
                                  "item/delta", "item/completed agentMessage"));
  EXPECT_EQ(item(0)["text"].asString(), "");
  EXPECT_EQ(events_[1].data["offset"].asInteger(), 0);
  EXPECT_EQ(events_[2].data["offset"].asInteger(), 2);
  EXPECT_EQ(events_[3].data["offset"].asInteger(), 8) << "UTF-16 units";
  EXPECT_EQ(lastItem()["text"].asString(), "Héllo 😀!");
  EXPECT_EQ(lastItem()["id"], item(0)["id"]);
  for (const auto& event : events_) {
    EXPECT_EQ(event.turn_id, "t1");
  }
}

TEST_F(TranscriptTest, ACharacterThatIsCutBetweenTwoPiecesArrivesWhole) {
  transcript_.turnStarted("t1", 1);
  piece(R"(a \ud83d)");
  piece(R"(\uDE00 b)");
  piece("\xF0\x9F");
  piece("\x98");
  piece("\x80\xC3");
  piece("\xA9 c");
  transcript_.turnEnded(2);
  EXPECT_THAT(deltas(), ElementsAre("0 a ", "2 😀 b", "6 😀", "8 é c"));
  EXPECT_EQ(lastItem()["text"].asString(), "a 😀 b😀é c");
}

TEST_F(TranscriptTest, HalfACharacterWithoutItsOtherHalfIsShownAsOne) {
  transcript_.turnStarted("t1", 1);
  piece(R"(a\ud83d)");
  text("b");
  piece(R"(c\\\ud83d)");
  piece(R"(\ude00\ude00)", "agent_thought_chunk");
  piece("\x80 d\xFF");
  piece(R"(e\\ud83d)");
  piece("f\xE2\x82");
  transcript_.turnEnded(2);
  EXPECT_EQ(item(4)["text"].asString(), "a\uFFFDbc\\\uFFFD");
  EXPECT_EQ(item(7)["content"].dump(), "[\"\uFFFD\uFFFD\"]");
  EXPECT_EQ(lastItem()["text"].asString(), "\uFFFD d\uFFFDe\\ud83df\uFFFD");
}

TEST_F(TranscriptTest, AThoughtATextAndAnotherMessageAreThreeItems) {
  transcript_.turnStarted("t1", 1);
  text("hm", "agent_thought_chunk");
  say(R"({"sessionUpdate":"agent_message_chunk","messageId":"m1","content":{"type":"text","text":"a"}})");
  say(R"({"sessionUpdate":"agent_message_chunk","messageId":"m2","content":{"type":"text","text":"b"}})");
  text("c");
  transcript_.turnEnded(2);
  EXPECT_THAT(told(),
              ElementsAre("item/started reasoning", "item/delta", "item/completed reasoning",
                          "item/started agentMessage", "item/delta", "item/completed agentMessage",
                          "item/started agentMessage", "item/delta", "item/delta",
                          "item/completed agentMessage"));
  EXPECT_EQ(item(2).dump(), R"({"id":"s.1","type":"reasoning","summary":[],"content":["hm"]})");
  EXPECT_EQ(lastItem()["text"].asString(), "bc") << "without an id it goes on";
}

TEST_F(TranscriptTest, WhatIsNoTextIsSaidInItsPlace) {
  transcript_.turnStarted("t1", 1);
  for (
      const char* content :
      {R"({"type":"image","mimeType":"image/png","data":"x"})", R"({"type":"audio"})",
       R"({"type":"resource_link","uri":"file:///a","name":"a"})",
       R"({"type":"resource","resource":{"uri":"file:///b","mimeType":"application/pdf","blob":"x"}})",
       R"({"type":"resource","resource":{"uri":"file:///c","text":"c"}})"}) {
    say(R"({"sessionUpdate":"agent_message_chunk","content":)" + std::string(content) + "}");
  }
  transcript_.turnEnded(2);
  EXPECT_EQ(lastItem()["text"].asString(),
            "[image: image/png][audio][a](file:///a)[file:///b: application/pdf]c");
}

TEST_F(TranscriptTest, PlansUsageTitlesAndNotices) {
  transcript_.turnStarted("t1", 1);
  say(R"({"sessionUpdate":"plan","entries":[{"content":"a","priority":"high","status":"in_progress"},{"content":"b","priority":"low","status":"pending"}]})");
  EXPECT_EQ(events_.back().data.dump(),
            R"({"plan":[{"step":"a","status":"active"},{"step":"b","status":"pending"}]})");
  say(R"({"sessionUpdate":"usage_update","used":100,"size":2000})");
  EXPECT_EQ(
      events_.back().data.dump(),
      R"({"contextWindowUsage":{"usedTokens":100,"modelContextWindow":2000,"estimated":false}})");
  say(R"({"sessionUpdate":"usage_update","used":-1,"size":0})");
  EXPECT_EQ(
      events_.back().data.dump(),
      R"({"contextWindowUsage":{"usedTokens":null,"modelContextWindow":null,"estimated":false}})");
  say(R"({"sessionUpdate":"session_info_update","title":"Milk"})");
  EXPECT_EQ(events_.back().data["threadName"].asString(), "Milk");
  EXPECT_EQ(events_.back().turn_id, "t1") << "it comes in a turn";
  const auto count = events_.size();
  say(R"({"sessionUpdate":"session_info_update","title":"Milk"})");
  say(R"({"sessionUpdate":"session_info_update","title":"<instructions> You work in a thread"})");
  say(R"({"sessionUpdate":"compaction_update","compactionId":"c","status":"in_progress"})");
  EXPECT_EQ(events_.size(), count);
  say(R"({"sessionUpdate":"compaction_update","compactionId":"c","status":"completed"})");
  say(R"({"sessionUpdate":"notice","severity":"warning","title":"slow","description":"very"})");
  EXPECT_EQ(events_[count].type, "thread/compacted");
  EXPECT_EQ(events_[count + 1].data.dump(),
            R"({"category":"general","summary":"slow","details":"very"})");
}

TEST_F(TranscriptTest, UnknownKindsAndNonsenseAreIgnored) {
  transcript_.turnStarted("t1", 1);
  for (const auto* update :
       {"null", "[]", "{}", R"({"sessionUpdate":5})", R"({"sessionUpdate":"next_year"})",
        R"({"sessionUpdate":"agent_message_chunk"})"}) {
    say(update);
  }
  EXPECT_TRUE(events_.empty());
  say(R"({"sessionUpdate":"tool_call","toolCallId":"c","title":5,"kind":[],"content":"x","locations":7,"rawInput":3})");
  EXPECT_EQ(lastItem()["type"].asString(), "toolCall");
}

TEST_F(TranscriptTest, BeforeTheFirstTurnNothingIsTold) {
  text("welcome");
  say(R"({"sessionUpdate":"tool_call","toolCallId":"c","title":"x"})");
  EXPECT_TRUE(events_.empty());
}

TEST_F(TranscriptTest, WhatIsSaidBehindATurnIsToldWholeWithEachPiece) {
  transcript_.turnStarted("t1", 1);
  transcript_.turnEnded(2);
  text("One more");
  text(" thing");
  EXPECT_THAT(told(),
              ElementsAre("item/started agentMessage", "item/delta", "item/completed agentMessage",
                          "item/delta", "item/completed agentMessage"));
  EXPECT_EQ(lastItem()["text"].asString(), "One more thing");
  EXPECT_EQ(events_.back().turn_id, "t1");
  events_.clear();
  transcript_.tellOpenItems(9);
  transcript_.turnStarted("t2", 10);
  EXPECT_TRUE(events_.empty()) << "it was told";
}

TEST_F(TranscriptTest, OpenItemsAreToldAgainWhole) {
  transcript_.turnStarted("t1", 1);
  say(R"({"sessionUpdate":"tool_call","toolCallId":"c","kind":"execute","title":"ls"})");
  text("Hello");
  events_.clear();
  transcript_.tellOpenItems(9);
  EXPECT_THAT(told(), ElementsAre("item/started commandExecution", "item/started agentMessage"));
  EXPECT_EQ(lastItem()["text"].asString(), "Hello");
  EXPECT_EQ(events_.back().data["length"].asInteger(), 5);
  text(" you");
  EXPECT_EQ(events_.back().data["offset"].asInteger(), 5);
}

TEST_F(TranscriptTest, ANameThatComesBetweenTurnsBelongsToNone) {
  say(R"({"sessionUpdate":"session_info_update","title":"Milk"})");
  EXPECT_EQ(events_.back().turn_id, "");
  transcript_.turnStarted("t1", 1);
  transcript_.turnEnded(2);
  say(R"({"sessionUpdate":"session_info_update","title":"Bread"})");
  EXPECT_EQ(events_.back().turn_id, "");
}

}  // namespace
}  // namespace svc::agentd
