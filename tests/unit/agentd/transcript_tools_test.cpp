#include <cstddef>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "svc/hostprotocol/agent_limits.h"

#include "transcript_fixture.h"

namespace svc::agentd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

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

}  // namespace
}  // namespace svc::agentd
