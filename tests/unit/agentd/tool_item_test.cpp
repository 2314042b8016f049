#include "tool_item.h"

#include <array>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent_bounds.h"
#include "questions.h"

namespace svc::agentd {
namespace {

using common::Json;

ToolCall told(std::initializer_list<const char*> updates) {
  ToolCall call{.item_id = "i", .turn_id = "t", .call_id = "c"};
  for (const auto* update : updates) {
    call.apply(Json::parse(update).value());
  }
  return call;
}

std::string named(const char* update) {
  const auto item = toolItem(told({update}), "/work");
  return fmt::format("{}: {}", item["server"].asString(), item["tool"].asString());
}

TEST(ToolItemTest, OneToolOfTheServiceHasOneNameHoweverAgentsSpellIt) {
  EXPECT_EQ(named(R"({"kind":"other","title":"mcp__svc__todo_add"})"), "svc: todo_add");
  EXPECT_EQ(named(R"j({"kind":"other","title":"todo_add (svc MCP Server)"})j"), "svc: todo_add");
  EXPECT_EQ(named(R"({"kind":"other","title":"mcp_svc_todo_add"})"), "svc: todo_add");
  EXPECT_EQ(named(R"({"kind":"other","title":"svc_todo_add"})"), "svc: todo_add");
  EXPECT_EQ(named(R"({"kind":"other","title":"svc-todo_add"})"), "svc: todo_add");
  EXPECT_EQ(named(R"({"title":"{}","rawInput":{},"_meta":{"toolName":"mcp__svc__todo_add"}})"),
            "svc: todo_add");
  EXPECT_EQ(
      named(R"({"title":"Add milk","_meta":{"claudeCode":{"toolName":"mcp__svc__todo_add"}}})"),
      "svc: todo_add");
  EXPECT_EQ(named(R"({"title":"svcs_todo"})"), ": svcs_todo");
  EXPECT_EQ(named(R"({"title":"svc_todo; and more"})"), ": svc_todo; and more");
}

TEST(ToolItemTest, WhatAnAgentSaysOfACallStandsBesideTheNameOfItsTool) {
  const auto label = [](const char* update) {
    return toolItem(told({update}), "/work")["statusLabels"]["completed"];
  };
  EXPECT_EQ(named(R"({"name":"exec_command","title":"Read file 'a.txt'","kind":"read"})"),
            ": exec_command");
  EXPECT_EQ(label(R"({"name":"exec_command","title":"Read file 'a.txt'","kind":"read"})"),
            Json("Read file 'a.txt'"));
  EXPECT_EQ(label(R"({"name":"look","title":"look"})"), Json());
  EXPECT_EQ(label(R"({"title":"look"})"), Json());
  EXPECT_EQ(label(R"({"name":"look","title":"{}"})"), Json());
  EXPECT_EQ(label(R"({"title":"Add milk","_meta":{"claudeCode":{"toolName":"mcp__svc__add"}}})"),
            Json())
      << "plugins say what their tools do";
}

TEST(ToolItemTest, APictureThatAToolAnswersIsSaidInItsPlace) {
  const auto item = wholeToolItem(
      told(
          {R"({"kind":"other","title":"look","status":"completed","content":[)"
           R"({"type":"content","content":{"type":"text","text":"seen:"}},)"
           R"({"type":"content","content":{"type":"image","mimeType":"image/png","data":"x"}}]})"}),
      "/work");
  EXPECT_EQ(item["result"].asString(), "seen:\n[image: image/png]");
}

TEST(ToolItemTest, ATitleIsNoToolWhereTheAgentTellsTheName) {
  EXPECT_EQ(named(R"({"title":"mcp__svc__todo_add","_meta":{"claudeCode":{"toolName":"Task"}}})"),
            ": Task");
  EXPECT_EQ(toolItem(told({R"({"kind":"execute","title":"svc_todo"})"}), "/work")["command"],
            Json("svc_todo"));
}

/// Whether it can be allowed for the session, whatever the agent itself offers beside "once".
bool isForSession(const std::string& update) {
  const auto decisions = [&update](const char* options) {
    return questionPayload(Question{.options = Json::parse(options).value()}, Json::object(),
                           approvalSubject(told({update.c_str()}), "/work"))["availableDecisions"]
        .dump();
  };
  const auto offered = decisions(R"([{"optionId":"y","kind":"allow_once"}])");
  EXPECT_EQ(
      decisions(R"([{"optionId":"y","kind":"allow_once"},{"optionId":"e","kind":"allow_always"}])"),
      offered);
  EXPECT_THAT(
      (std::array{R"(["allow_once","deny"])", R"(["allow_once","allow_for_session","deny"])"}),
      ::testing::Contains(offered));
  return offered.find("session") != std::string::npos;
}

TEST(ToolItemTest, ArgumentsAreNoNameThatCouldBeAllowedForTheSession) {
  EXPECT_FALSE(isForSession(R"({"title":"{}","rawInput":{}})"));
  EXPECT_FALSE(isForSession(R"({"rawInput":{"a":1}})"));
  EXPECT_TRUE(
      isForSession(R"({"title":"{}","rawInput":{},"_meta":{"toolName":"mcp__svc__todo_add"}})"));
}

TEST(ToolItemTest, WhatCannotBeToldApartIsAllowedOnceOnly) {
  const auto command = [](const std::string& input) {
    return R"({"kind":"execute","rawInput":)" + input + "}";
  };
  EXPECT_TRUE(isForSession(command(R"({"command":"make"})")));
  EXPECT_FALSE(isForSession(
      command(R"({"command":")" + std::string(limits::kAgentItemText + 1, 'x') + "\"}")));
  EXPECT_FALSE(isForSession(
      command(R"({"command":"make","cwd":"/)" + std::string(limits::kAgentPath, 'x') + "\"}")));
  EXPECT_FALSE(isForSession(R"({"kind":"execute"})")) << "nothing says what runs";
  EXPECT_FALSE(isForSession(R"({"kind":"other","title":")" +
                            std::string(limits::kAgentName + 1, 'x') + "\"}"));
}

TEST(ToolItemTest, ToolsOfTwoServersWithOneNameAreTwo) {
  const auto name = [](const char* update) {
    return approvalSubject(told({update}), "/work")["toolName"].asString();
  };
  EXPECT_EQ(name(R"({"title":"x","rawInput":{"server":"a","tool":"delete"}})"), "a/delete");
  EXPECT_EQ(name(R"({"title":"x","rawInput":{"server":"b","tool":"delete"}})"), "b/delete");
  EXPECT_EQ(name(R"({"title":"svc_todo_add"})"), "svc/todo_add");
  EXPECT_EQ(name(R"({"title":"delete"})"), "delete");
}

TEST(ToolItemTest, ACommandIsAllThatTheAgentSaysOfIt) {
  const auto command = [](const std::string& input) {
    return toolItem(told({(R"({"kind":"execute","title":"Run tests","rawInput":)" + input + "}")
                              .c_str()}),
                    "/work")["command"]
        .asString();
  };
  EXPECT_EQ(command(R"({"command":"make test","timeout":9})"), "make test");
  EXPECT_EQ(command(R"({"command":["make","test"]})"), "make test");
  EXPECT_EQ(command(R"({"command":["bash","-c","rm -rf ~/x"]})"), "bash -c 'rm -rf ~/x'");
  EXPECT_EQ(command(R"({"command":["echo","it's",""]})"), R"(echo 'it'\''s' '')");
  EXPECT_EQ(command(R"({"command":"git","args":["push","-f"]})"), "git push -f");
  EXPECT_EQ(command(R"({"command":"kill","args":[7,{"a":1}]})"), R"(kill 7 '{"a":1}')");
  EXPECT_EQ(command(R"({"command":"kill","args":{"pid":7}})"), R"(kill {"pid":7})");
  EXPECT_EQ(command(R"({"command":{"pid":7}})"), "Run tests\n{\"command\":{\"pid\":7}}");
  EXPECT_EQ(command(R"({"cmd":"rm -rf ~"})"), "rm -rf ~");
  EXPECT_EQ(command(R"({"program":"sh"})"), "Run tests\n{\"program\":\"sh\"}");
  EXPECT_EQ(command("{}"), "Run tests");
}

TEST(ToolItemTest, AnEditThatBringsACommandLineAsksForTheCommand) {
  const auto subject = [](const std::string& input) {
    return approvalSubject(
        told({(R"({"kind":"edit","title":"Edit a","locations":[{"path":"/work/a"}],"rawInput":)" +
               input + "}")
                  .c_str()}),
        "/work");
  };
  for (const auto* harmless : {"{}", R"({"command":"str_replace","old_str":"a b"})",
                               R"({"command":"","cmd":"","script":""})", R"({"command":[]})"}) {
    EXPECT_EQ(subject(harmless)["kind"].asString(), "file_change") << harmless;
  }
  const auto removal = subject(R"({"command":"rm -rf /"})");
  EXPECT_EQ(removal["kind"].asString(), "command");
  EXPECT_EQ(removal["command"].asString(), "rm -rf /");
  EXPECT_EQ(removal["cwd"].asString(), "/work");
  for (const auto* running :
       {R"({"command":"/tmp/x.sh"})", R"({"command":["reboot"]})", R"({"cmd":"reboot"})",
        R"({"script":"reboot"})", R"({"command":"str_replace","cmd":"reboot"})"}) {
    EXPECT_EQ(subject(running)["kind"].asString(), "command") << running;
  }
}

TEST(ToolItemTest, WhateverIsCutFitsIntoAnItemAndSaysWhatIsLeftOfIt) {
  const std::string huge(limits::kAgentItemText + 1, 'x');
  const auto cut = [](const std::string& said, const std::string& member) {
    auto call = told({said.c_str()});
    call.cut_ms = 7;
    const auto item = wholeToolItem(call, "/work");
    EXPECT_EQ(item["truncation"].members().size(), 1U) << member;
    const auto& left = item["truncation"][member];
    EXPECT_EQ(left["truncatedAt"].asInteger(), 7) << member;
    EXPECT_GT(left["originalLength"].asInteger(),
              left["retainedHeadLength"].asInteger() + left["retainedTailLength"].asInteger())
        << member;
    const auto& text = member == "queries"          ? item[member].items()[0]
                       : member == "changes.0.diff" ? item["changes"].items()[0]["diff"]
                                                    : item[member];
    EXPECT_LE(text.asString().size(), limits::kAgentItemText) << member;
    EXPECT_THAT(text.asString(), testing::HasSubstr("characters are left out]")) << member;
  };
  const auto output = R"("rawOutput":")" + huge + "\"";
  cut(R"({"kind":"execute","title":"make",)" + output + "}", "aggregatedOutput");
  cut(R"({"kind":"execute","title":")" + huge + "\"}", "command");
  cut(R"({"kind":"other","title":"t","status":"completed",)" + output + "}", "result");
  cut(R"({"kind":"other","title":"t","status":"failed",)" + output + "}", "error");
  cut(R"({"kind":"other","title":"t","rawInput":{"a":")" + huge + "\"}}", "arguments");
  cut(R"({"kind":"search","rawInput":{"query":")" + huge + "\"}}", "queries");
  cut(R"({"kind":"fetch","rawInput":{"url":"u","prompt":")" + huge + "\"}}", "prompt");
  cut(R"({"kind":"fetch","rawInput":{"url":"u"},)" + output + "}", "resultText");
  cut(R"({"kind":"edit","content":[{"type":"diff","path":"f","newText":")" + huge + "\"}]}",
      "changes.0.diff");
  const auto whole = told({R"({"kind":"execute","title":"make","rawOutput":"all of it"})"});
  EXPECT_EQ(wholeToolItem(whole, "/work").find("truncation"), nullptr);
}

TEST(ToolItemTest, WhatATerminalPrintsIsTheOutputOfACommandAndItsEndTheStatus) {
  auto call =
      told({R"({"kind":"execute","title":"make","content":[{"type":"terminal","terminalId":"1"}]})",
            R"({"_meta":{"terminal_output_delta":{"terminal_id":"1","data":"one\n"}}})",
            R"({"_meta":{"terminal_output_delta":{"terminal_id":"1","data":"two\n"}}})"});
  EXPECT_EQ(toolOutput(call), "one\ntwo\n");
  call.apply(
      Json::parse(
          R"({"status":"failed","_meta":{"terminal_exit":{"terminal_id":"1","exit_code":3}}})")
          .value());
  const auto item = wholeToolItem(call, "/work");
  EXPECT_EQ(item["aggregatedOutput"].asString(), "one\ntwo\n");
  EXPECT_EQ(item["exitCode"], Json(3));
  EXPECT_EQ(item["status"].asString(), "failed");
}

TEST(ToolItemTest, TheDiffThatAPersonWasShownStaysWhenLessIsToldAfterwards) {
  auto call = told(
      {R"({"kind":"edit","title":"Edit","rawInput":{"filePath":"/work/a"},"content":[{"type":"diff","path":"/work/a","oldText":"one\ntwo\n","newText":"one\n2\n"}]})"});
  call.asked();
  const auto shown = toolItem(call, "/work")["changes"].dump();
  EXPECT_THAT(shown, testing::HasSubstr("one"));
  call.apply(
      Json::parse(R"({"content":[{"type":"content","content":{"type":"text","text":"Edited"}}]})")
          .value());
  EXPECT_EQ(toolItem(call, "/work")["changes"].dump(), shown);
  call.apply(
      Json::parse(
          R"({"content":[{"type":"diff","path":"/work/a","oldText":"two","newText":"2"},{"type":"diff","path":"/work/b","oldText":"","newText":"new"}]})")
          .value());
  const auto changes = toolItem(call, "/work")["changes"].items();
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(Json(Json::Array{changes[0]}).dump(), shown);
  EXPECT_EQ(changes[1]["kind"].asString(), "add");
  call.apply(
      Json::parse(
          R"({"content":[{"type":"diff","path":"/work/a","oldText":"one\ntwo\nthree\n","newText":"one\n2\nthree\n"}]})")
          .value());
  EXPECT_THAT(toolItem(call, "/work")["changes"].dump(), testing::HasSubstr("three"));
}

TEST(ToolItemTest, ACommandThatPrintsNothingHasNoOutput) {
  const auto item = wholeToolItem(
      told(
          {R"({"kind":"execute","title":"true","content":[{"type":"content","content":{"type":"text","text":"what it is for"}}]})",
           R"({"_meta":{"terminal_output":{"terminal_id":"1","data":""}}})",
           R"({"status":"completed","_meta":{"terminal_exit":{"terminal_id":"1","exit_code":null}}})"}),
      "/work");
  EXPECT_EQ(item.find("aggregatedOutput"), nullptr);
  EXPECT_EQ(item.find("exitCode"), nullptr);
}

}  // namespace
}  // namespace svc::agentd
