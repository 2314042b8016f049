#include "transcript.h"

#include <map>
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "svc/hostprotocol/agent_limits.h"

#include "acp_message.h"
#include "line_splitter.h"

namespace svc::agentd {
namespace {

using common::Json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TranscriptTest : public ::testing::Test {
 protected:
  void say(const std::string& update) {
    const auto json = Json::parse(update);
    ASSERT_TRUE(json.ok()) << update;
    transcript_.update(json.value(), ++now_);
  }
  void text(const std::string& words, const std::string& kind = "agent_message_chunk") {
    say(fmt::format(R"({{"sessionUpdate":"{}","content":{{"type":"text","text":{}}}}})", kind,
                    common::jsonString(words)));
  }
  /// A piece of a message as it stands in the line of the agent.
  void piece(const std::string& literal, const std::string& kind = "agent_message_chunk") {
    const auto message = parseAcpMessage(fmt::format(
        R"({{"method":"session/update","params":{{"update":{{"sessionUpdate":"{}","content":{{"type":"text","text":"{}"}}}}}}}})",
        kind, literal));
    ASSERT_TRUE(message.ok()) << literal;
    transcript_.update(message.value().params["update"], ++now_, message.value().cut_text);
  }
  /// The texts of all deltas, each with its offset; forgets nothing.
  std::vector<std::string> deltas() {
    std::vector<std::string> out;
    for (const auto& event : events_) {
      if (event.type == "item/delta") {
        out.push_back(
            fmt::format("{} {}", event.data["offset"].asInteger(), event.data["text"].asString()));
      }
    }
    return out;
  }
  /// Types and, of items, what they are: "item/started agentMessage", in order; forgets them.
  std::vector<std::string> told() {
    std::vector<std::string> names;
    for (const auto& event : events_) {
      const auto& type = event.data["item"]["type"].asString();
      names.push_back(type.empty() ? event.type : event.type + " " + type);
    }
    return names;
  }
  const Json& item(std::size_t index) { return events_.at(index).data["item"]; }
  const Json& lastItem() { return events_.back().data["item"]; }

  std::int64_t now_ = 1000;
  std::vector<AgentEvent> events_;
  Transcript transcript_{"s", "/work",
                         [this](AgentEvent event) { events_.push_back(std::move(event)); }};
};

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

TEST_F(TranscriptTest, ACommandGrowsByDeltasAndEndsWhole) {
  transcript_.turnStarted("t1", 1);
  text("I look.");
  say(R"({"sessionUpdate":"tool_call","toolCallId":"c1","title":"`ls -l`","kind":"execute","status":"pending","rawInput":{"command":["ls","-l"]}})");
  const auto output = [this](const std::string& shown) {
    say(fmt::format(
        R"({{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"in_progress","content":[{{"type":"content","content":{{"type":"text","text":{}}}}}]}})",
        common::jsonString(shown)));
  };
  output("ä\n");
  output("ä\nb\n");
  output("ä\nb\n");
  output("other");
  say(R"({"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed","rawOutput":{"exitCode":3}})");
  EXPECT_THAT(told(),
              ElementsAre("item/started agentMessage", "item/delta", "item/completed agentMessage",
                          "item/started commandExecution", "item/delta", "item/delta",
                          "item/started commandExecution", "item/completed commandExecution"));
  EXPECT_EQ(
      item(3).dump(),
      R"({"id":"s.2","type":"commandExecution","command":"ls -l","cwd":"/work","status":"pending","approvalStatus":null})");
  EXPECT_EQ(events_[5].data["offset"].asInteger(), 2);
  EXPECT_EQ(events_[5].data["text"].asString(), "b\n");
  EXPECT_EQ(item(6)["aggregatedOutput"].asString(), "other");
  EXPECT_EQ(lastItem()["status"].asString(), "completed");
  EXPECT_EQ(lastItem()["exitCode"].asInteger(), 3);
  EXPECT_EQ(lastItem()["aggregatedOutput"].asString(), "other");
  EXPECT_EQ(lastItem()["durationMs"].asInteger(), 5);
  EXPECT_EQ(events_.back().data["toolCallId"].asString(), "c1");
}

TEST_F(TranscriptTest, AnUpdateOfAnUnknownCallMakesTheItem) {
  transcript_.turnStarted("t1", 1);
  say(R"({"sessionUpdate":"tool_call_update","toolCallId":"x","status":"completed","title":"Read a","kind":"read"})");
  EXPECT_THAT(told(), ElementsAre("item/started toolCall", "item/completed toolCall"));
  EXPECT_EQ(lastItem()["tool"].asString(), "Read a");
}

TEST_F(TranscriptTest, FilesShowTheirChanges) {
  transcript_.turnStarted("t1", 1);
  say(R"({"sessionUpdate":"tool_call","toolCallId":"e","title":"Edit","kind":"edit","locations":[{"path":"/work/a"}]})");
  EXPECT_EQ(lastItem()["changes"].dump(), R"([{"path":"/work/a","kind":"update"}])");
  say(R"({"sessionUpdate":"tool_call_update","toolCallId":"e","status":"completed","content":[
    {"type":"diff","path":"/work/a","oldText":"1\n","newText":"2\n"},{"type":"diff","path":"/work/b","oldText":null,"newText":"n\n"}]})");
  const auto& changes = lastItem()["changes"].items();
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[0]["kind"].asString(), "update");
  EXPECT_THAT(changes[0]["diff"].asString(), HasSubstr("-1\n+2\n"));
  EXPECT_EQ(changes[1]["kind"].asString(), "add");
  say(R"({"sessionUpdate":"tool_call","toolCallId":"m","kind":"move","rawInput":{"path":"/work/a","destination":"/work/c"}})");
  EXPECT_EQ(lastItem()["changes"].dump(),
            R"([{"path":"/work/a","kind":"update","movePath":"/work/c"}])");
  say(R"({"sessionUpdate":"tool_call","toolCallId":"n","kind":"move","locations":[{"path":"/work/a"},{"path":"/etc/c"}]})");
  EXPECT_EQ(lastItem()["changes"].dump(),
            R"([{"path":"/work/a","kind":"update","movePath":"/etc/c"}])");
  say(R"({"sessionUpdate":"tool_call","toolCallId":"l","kind":"edit","locations":[{"path":"/work/a"},{"path":"/work/b"},{"path":"/work/a"}]})");
  EXPECT_EQ(lastItem()["changes"].dump(),
            R"([{"path":"/work/a","kind":"update"},{"path":"/work/b","kind":"update"}])");
  say(R"({"sessionUpdate":"tool_call","toolCallId":"d","kind":"delete","rawInput":{"file_path":"/work/a"}})");
  EXPECT_EQ(lastItem()["changes"].dump(), R"([{"path":"/work/a","kind":"delete"}])");
}

TEST_F(TranscriptTest, ASearchOrAPageThatFailedSaysSo) {
  transcript_.turnStarted("t1", 1);
  for (const auto* const input : {R"("kind":"search","rawInput":{"query":"svc"})",
                                  R"("kind":"fetch","rawInput":{"url":"http://x"})"}) {
    for (const std::string status : {"completed", "failed"}) {
      const auto id = std::to_string(++now_);
      say(fmt::format(R"({{"sessionUpdate":"tool_call","toolCallId":"{}",{}}})", id, input));
      EXPECT_TRUE(lastItem()["status"].isNull());
      say(fmt::format(R"({{"sessionUpdate":"tool_call_update","toolCallId":"{}","status":"{}"}})",
                      id, status));
      EXPECT_EQ(lastItem()["status"].asString(), status == "failed" ? "failed" : "");
    }
  }
}

TEST_F(TranscriptTest, KindsBecomeTheItemsOfTheContract) {
  transcript_.turnStarted("t1", 1);
  const auto type = [this](const std::string& members) {
    say(fmt::format(R"({{"sessionUpdate":"tool_call","toolCallId":"{}",{}}})", now_, members));
    return lastItem()["type"].asString();
  };
  EXPECT_EQ(type(R"("kind":"search","rawInput":{"query":"svc"})"), "webSearch");
  EXPECT_EQ(type(R"("kind":"search","rawInput":{"pattern":"svc"})"), "toolCall");
  EXPECT_EQ(type(R"("kind":"fetch","rawInput":{"url":"http://x","prompt":"p"})"), "webFetch");
  EXPECT_EQ(type(R"("kind":"fetch")"), "toolCall");
  EXPECT_EQ(type(R"("kind":"edit")"), "toolCall") << "neither diff nor path";
  EXPECT_EQ(type(R"("kind":"unheard_of","title":"mcp__svc__todo_add","rawInput":{"text":"milk"})"),
            "toolCall");
  EXPECT_EQ(lastItem()["server"].asString(), "svc");
  EXPECT_EQ(lastItem()["tool"].asString(), "todo_add");
  EXPECT_EQ(lastItem()["arguments"]["text"].asString(), "milk");
  EXPECT_EQ(
      type(R"("title":"svc.todo","rawInput":{"server":"svc","tool":"todo","arguments":{"n":1}})"),
      "toolCall");
  EXPECT_EQ(lastItem()["server"].asString() + lastItem()["arguments"].dump(), R"(svc{"n":1})");
}

TEST_F(TranscriptTest, ToolsOfServersAreNoCommandsWhateverTheirKind) {
  transcript_.turnStarted("t1", 1);
  const auto asked =
      Json::parse(
          R"({"toolCallId":"c","kind":"execute","title":"mcp.svc.todo","rawInput":{"server":"svc","tool":"todo","arguments":{"n":1}}})")
          .value();
  const auto subject = transcript_.subjectOf(transcript_.permissionAsked(asked, 5));
  EXPECT_EQ(subject["kind"].asString(), "tool_use");
  EXPECT_EQ(subject["title"].asString(), "svc: todo");
  say(R"({"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed","rawOutput":{"result":{"content":[{"type":"text","text":"Added milk"}]},"error":null}})");
  EXPECT_EQ(lastItem()["type"].asString(), "toolCall");
  EXPECT_EQ(lastItem()["result"].asString(), "Added milk");
  say(R"({"sessionUpdate":"tool_call","toolCallId":"d","title":"ToolCall","rawInput":{"name":"mcp__svc__todo","arguments":{"n":2}}})");
  EXPECT_EQ(lastItem()["server"].asString() + ": " + lastItem()["tool"].asString(), "svc: todo");
  EXPECT_EQ(lastItem()["arguments"].dump(), R"({"n":2})");
}

TEST_F(TranscriptTest, WhatWasDeniedHasFailedAtTheEndOfTheTurn) {
  transcript_.turnStarted("t1", 1);
  const auto asked =
      Json::parse(R"({"toolCallId":"p","kind":"execute","rawInput":{"command":"rm x"}})").value();
  transcript_.permissionAnswered(transcript_.permissionAsked(asked, 5), true, 6);
  transcript_.turnEnded(7);
  EXPECT_EQ(lastItem()["status"].asString(), "failed");
  EXPECT_EQ(lastItem()["approvalStatus"].asString(), "denied");
}

TEST_F(TranscriptTest, AKindThatChangesTellsTheItemAgain) {
  transcript_.turnStarted("t1", 1);
  say(R"({"sessionUpdate":"tool_call","toolCallId":"c","title":"x"})");
  say(R"({"sessionUpdate":"tool_call_update","toolCallId":"c","kind":"execute","rawInput":{"command":"ls"}})");
  EXPECT_THAT(told(), ElementsAre("item/started toolCall", "item/started commandExecution"));
  EXPECT_EQ(item(0)["id"], item(1)["id"]);
}

TEST_F(TranscriptTest, WhatIsOpenAtTheEndIsInterruptedAndMayStillEnd) {
  transcript_.turnStarted("t1", 1);
  say(R"({"sessionUpdate":"tool_call","toolCallId":"c","title":"x","rawInput":{"a":1}})");
  transcript_.turnEnded(5);
  EXPECT_EQ(lastItem()["status"].asString(), "interrupted");
  transcript_.turnStarted("t2", 6);
  say(R"({"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed","rawOutput":"late"})");
  EXPECT_EQ(events_.back().type, "item/completed");
  EXPECT_EQ(events_.back().turn_id, "t1") << "it belongs to its turn";
  EXPECT_EQ(lastItem()["result"].asString(), "late");
  EXPECT_EQ(lastItem()["arguments"]["a"].asInteger(), 1);
  const auto count = events_.size();
  say(R"({"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed"})");
  EXPECT_EQ(events_.size(), count) << "nothing new, nothing told";
}

TEST_F(TranscriptTest, AnIdThatComesAgainInALaterTurnIsAnotherCall) {
  transcript_.turnStarted("t1", 1);
  say(R"({"sessionUpdate":"tool_call","toolCallId":"c","title":"first","status":"completed","rawOutput":"1"})");
  transcript_.turnEnded(5);
  const auto first = lastItem()["id"].asString();
  const auto count = events_.size();
  transcript_.turnStarted("t2", 6);
  say(R"({"sessionUpdate":"tool_call","toolCallId":"c","title":"second"})");
  say(R"({"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed","rawOutput":"2"})");
  transcript_.turnEnded(9);
  ASSERT_EQ(events_.size(), count + 2) << "begun and ended, once";
  for (auto at = count; at < events_.size(); ++at) {
    EXPECT_EQ(events_[at].turn_id, "t2");
    EXPECT_NE(item(at)["id"].asString(), first);
  }
  EXPECT_EQ(lastItem()["result"].asString(), "2");
}

TEST_F(TranscriptTest, ACallOfAnEarlierTurnThatGoesOnIsOneOfTheTurnThatRuns) {
  transcript_.turnStarted("t1", 1);
  say(R"({"sessionUpdate":"tool_call","toolCallId":"c","title":"build","kind":"execute","rawInput":{"command":"make"}})");
  transcript_.turnEnded(5);
  const auto count = events_.size();
  say(R"({"sessionUpdate":"tool_call_update","toolCallId":"c","status":"in_progress"})");
  EXPECT_EQ(events_.size(), count) << "no turn runs";
  transcript_.turnStarted("t2", 6);
  say(R"({"sessionUpdate":"tool_call_update","toolCallId":"c","status":"in_progress"})");
  EXPECT_EQ(events_.back().turn_id, "t2");
  EXPECT_EQ(lastItem()["command"].asString(), "make");
  EXPECT_NE(lastItem()["id"], item(0)["id"]);
  const auto asked = Json::parse(R"({"toolCallId":"c","title":"make install"})").value();
  transcript_.turnEnded(7);
  transcript_.turnStarted("t3", 8);
  const auto id = transcript_.permissionAsked(asked, 9);
  EXPECT_EQ(events_.back().turn_id, "t3");
  EXPECT_EQ(lastItem()["id"].asString(), id);
}

TEST_F(TranscriptTest, APermissionMayBeTheFirstThatIsHeardOfACall) {
  transcript_.turnStarted("t1", 1);
  const auto asked =
      Json::parse(
          R"({"toolCallId":"p","title":"rm x","kind":"execute","rawInput":{"command":"rm x"}})")
          .value();
  const auto id = transcript_.permissionAsked(asked, 5);
  EXPECT_EQ(lastItem()["approvalStatus"].asString(), "waiting_for_approval");
  const auto subject = transcript_.subjectOf(id);
  EXPECT_EQ(subject["kind"].asString(), "command");
  EXPECT_EQ(subject["command"].asString(), "rm x");
  transcript_.permissionAnswered(id, true, 6);
  EXPECT_EQ(lastItem()["approvalStatus"].asString(), "denied");
  say(R"({"sessionUpdate":"tool_call_update","toolCallId":"p","status":"failed"})");
  EXPECT_EQ(lastItem()["approvalStatus"].asString(), "denied");
  EXPECT_EQ(lastItem()["status"].asString(), "failed");
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
        R"({"sessionUpdate":"agent_message_chunk"})",
        R"({"sessionUpdate":"agent_message_chunk","content":{"type":"image","data":"x"}})"}) {
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

TEST_F(TranscriptTest, ToolsAreBounded) {
  transcript_.turnStarted("t1", 1);
  for (std::size_t number = 0; number <= limits::kAgentTools; ++number) {
    say(fmt::format(R"({{"sessionUpdate":"tool_call","toolCallId":"c{}","title":"x"}})", number));
  }
  const auto before_last = events_.at(events_.size() - 2);
  EXPECT_EQ(before_last.type, "item/completed") << "the oldest makes room";
  EXPECT_EQ(before_last.data["toolCallId"].asString(), "c0");
  const std::string huge(4 * limits::kAgentItemText, 'x');
  say(fmt::format(
      R"({{"sessionUpdate":"tool_call","toolCallId":"h","title":"x","status":"completed","rawInput":{{"a":"{}"}},"rawOutput":{{"b":["{}"]}}}})",
      huge, huge));
  EXPECT_LT(lastItem().dump().size(), 3 * limits::kAgentItemText);
}

TEST_F(TranscriptTest, ANameThatComesBetweenTurnsBelongsToNone) {
  say(R"({"sessionUpdate":"session_info_update","title":"Milk"})");
  EXPECT_EQ(events_.back().turn_id, "");
  transcript_.turnStarted("t1", 1);
  transcript_.turnEnded(2);
  say(R"({"sessionUpdate":"session_info_update","title":"Bread"})");
  EXPECT_EQ(events_.back().turn_id, "");
}

TEST_F(TranscriptTest, TheTimeAtWhichATextWasCutStaysTheSame) {
  transcript_.turnStarted("t1", 1);
  const auto print = fmt::format(
      R"({{"sessionUpdate":"tool_call_update","toolCallId":"c","kind":"execute","title":"make","_meta":{{"terminal_output_delta":{{"data":"{}"}}}}}})",
      std::string(limits::kAgentItemText + 1, 'x'));
  transcript_.update(Json::parse(print).value(), 5);
  EXPECT_EQ(lastItem()["truncation"]["aggregatedOutput"]["truncatedAt"].asInteger(), 5);
  const auto end =
      Json::parse(R"({"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed"})");
  transcript_.update(end.value(), 9);
  EXPECT_EQ(events_.back().type, "item/completed");
  EXPECT_EQ(lastItem()["truncation"]["aggregatedOutput"]["truncatedAt"].asInteger(), 5);
  const auto told = events_.size();
  transcript_.update(end.value(), 12);
  EXPECT_EQ(events_.size(), told) << "nothing has changed";
}

/// Whoever follows the events has in the end what the agent said: items by id, as started, grown and completed.
class Follower {
 public:
  void take(const AgentEvent& event) {
    const auto& item = event.data["item"];
    if (event.type == "item/started") {
      auto& open = open_[item["id"].asString()];
      open = item["text"].asString() + item["aggregatedOutput"].asString();
      if (!item["content"].items().empty()) {
        open += item["content"].items().front().asString();
      }
    } else if (event.type == "item/delta") {
      auto& open = open_.at(event.data["itemId"].asString());
      ASSERT_EQ(event.data["offset"].asInteger(), utf16Length(open));
      open += event.data["text"].asString();
    } else if (event.type == "item/completed") {
      const auto id = item["id"].asString();
      ASSERT_TRUE(open_.contains(id)) << "an end without a beginning";
      if (item["type"].asString() == "agentMessage") {
        ASSERT_EQ(item["text"].asString(), open_[id]);
        texts.push_back(open_[id]);
      }
    }
  }
  std::vector<std::string> texts;

 private:
  std::map<std::string, std::string> open_;
};

std::string randomUpdate(std::mt19937& random) {
  const auto pick = [&random](std::initializer_list<const char*> from) {
    return std::string(*(from.begin() + random() % from.size()));
  };
  if (random() % 2 == 0) {
    return fmt::format(R"({{"sessionUpdate":"{}","content":{{"type":"text","text":"{}"}}}})",
                       pick({"agent_message_chunk", "agent_message_chunk", "agent_thought_chunk"}),
                       pick({"a", "é", "😀", "\\n", "longer words", ""}));
  }
  return fmt::format(
      R"({{"sessionUpdate":"{}","toolCallId":"c{}","title":"{}","kind":"{}","status":"{}","content":[{{"type":"content","content":{{"type":"text","text":"{}"}}}}]}})",
      pick({"tool_call", "tool_call_update"}), random() % 5, pick({"ls", "x", ""}),
      pick({"execute", "execute", "read", "edit"}),
      pick({"pending", "in_progress", "completed", "failed", "odd"}), pick({"", "o", "oö", "oöx"}));
}

TEST_F(TranscriptTest, AnyCourseInAnySplitGivesTheSameEventsAndTheyFit) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    std::string bytes;
    std::vector<std::string> updates;
    for (int count = 0; count < 60; ++count) {
      updates.push_back(randomUpdate(random));
      bytes += updates.back() + "\n";
    }
    const auto run = [&](std::size_t most) {
      std::vector<AgentEvent> events;
      Transcript transcript("s", "/",
                            [&](AgentEvent event) { events.push_back(std::move(event)); });
      LineSplitter splitter(1U << 20U);
      transcript.turnStarted("t", 1);
      for (std::size_t at = 0; at < bytes.size();) {
        const auto piece = 1 + random() % most;
        std::vector<std::string> lines;
        EXPECT_TRUE(splitter.add(std::string_view(bytes).substr(at, piece), lines));
        at += piece;
        for (const auto& line : lines) {
          transcript.update(Json::parse(line).value(), 1);
        }
      }
      transcript.turnEnded(1);
      std::string all;
      Follower follower;
      for (const auto& event : events) {
        follower.take(event);
        all += event.type + event.turn_id + event.data.dump() + "\n";
      }
      return all;
    };
    const auto whole = run(bytes.size());
    EXPECT_EQ(run(3), whole) << seed;
    EXPECT_EQ(run(100), whole) << seed;
    if (HasFatalFailure()) {
      FAIL() << seed;
    }
  }
}

}  // namespace
}  // namespace svc::agentd
