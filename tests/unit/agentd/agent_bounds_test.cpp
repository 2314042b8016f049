// An agent that says too much: what is told and kept of it stays small, and its end is told.
#include "agent_bounds.h"

#include <fmt/format.h>

#include "session.h"
#include "session_fixture.h"
#include "transcript.h"

namespace svc::agentd {
namespace {

using common::Json;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class TranscriptBoundsTest : public ::testing::Test {
 protected:
  TranscriptBoundsTest() { transcript_.turnStarted("t1", 1); }
  void say(const std::string& kind, Json update) {
    transcript_.update(update.set("sessionUpdate", kind), ++now_);
  }
  static Json call(const std::string& id, const std::string& kind, Json input) {
    return Json::object()
        .set("toolCallId", id)
        .set("title", "x")
        .set("kind", kind)
        .set("rawInput", std::move(input));
  }
  static Json output(const std::string& text) {
    const auto block = Json::object().set("type", "text").set("text", text);
    return Json::object()
        .set("toolCallId", "c")
        .set("kind", "execute")
        .set("title", "make")
        .set("content", Json::Array{Json::object().set("type", "content").set("content", block)});
  }
  std::size_t toldBytes() const {
    std::size_t bytes = 0;
    for (const auto& event : events_) {
      bytes += event.data.dump().size();
    }
    return bytes;
  }

  std::int64_t now_ = 1000;
  std::vector<AgentEvent> events_;
  Transcript transcript_{"s", "/work",
                         [this](AgentEvent event) { events_.push_back(std::move(event)); }};
};

TEST_F(TranscriptBoundsTest, NamesAndPlacesAreCut) {
  const std::string huge(1024UL * 1024, 'x');
  say("tool_call", call(huge, "other", Json::object().set("server", huge).set("tool", huge)));
  say("tool_call", call("d", "execute", Json::object().set("command", "ls").set("cwd", huge)));
  say("tool_call", call("u", "fetch", Json::object().set("url", huge)));
  say("tool_call", call("p", "edit", Json::object().set("path", "/" + huge)));
  say("tool_call", call("m", "move", Json::object().set("path", "/a").set("to", "/" + huge)));
  say("tool_call", call("n", "other", Json()).set("name", huge));
  for (const auto& event : events_) {
    auto item = event.data["item"];
    item.set("arguments", nullptr);
    EXPECT_LT(item.dump().size(), 16UL * 1024) << item["type"].asString();
  }
  EXPECT_EQ(events_.back().data["item"]["tool"].asString(), kUnnamedTool)
      << "half a name is that of other tools, too, which would be allowed with this one";
}

TEST_F(TranscriptBoundsTest, ACallIsKnownAgainByItsCutId) {
  const std::string id(2 * limits::kAgentName, 'x');
  say("tool_call", call(id, "other", Json()));
  say("tool_call_update", Json::object().set("toolCallId", id).set("status", "completed"));
  ASSERT_THAT(events_, SizeIs(2));
  EXPECT_EQ(events_[0].data["item"]["id"], events_[1].data["item"]["id"]);
  EXPECT_EQ(events_[1].type, "item/completed");
}

TEST_F(TranscriptBoundsTest, ALongPlanSaysWhatIsLeftOut) {
  auto entries = Json::array();
  for (std::size_t at = 0; at < limits::kAgentPlan + 7; ++at) {
    entries.push(Json::object().set("content", std::string(2 * limits::kAgentPlanStep, 'x')));
  }
  say("plan", Json::object().set("entries", std::move(entries)));
  const auto& steps = events_.back().data["plan"].items();
  ASSERT_THAT(steps, SizeIs(limits::kAgentPlan + 1));
  EXPECT_LE(steps.front()["step"].asString().size(), limits::kAgentPlanStep + 3);
  EXPECT_THAT(steps.front()["step"].asString(), EndsWith("…"));
  EXPECT_EQ(steps.back()["step"].asString(), "[7 steps are left out]");
}

TEST_F(TranscriptBoundsTest, AnOutputThatIsToldWholeWithEachLineIsToldAtItsEnd) {
  std::string text;
  for (int line = 0; line < 200; ++line) {
    text += std::string(10'000, 'x') + "\n";
    say("tool_call_update", output(text));
  }
  EXPECT_LT(toldBytes(), 2 * limits::kAgentRetold);
  say("tool_call_update", output(text + "the end").set("status", "completed"));
  EXPECT_EQ(events_.back().type, "item/completed");
  EXPECT_THAT(events_.back().data["item"]["aggregatedOutput"].asString(), EndsWith("the end"));
}

TEST_F(TranscriptBoundsTest, ArgumentsThatGrowAreToldAtTheEndButForWhatIsAsked) {
  for (int size = 1; size < 100; ++size) {
    say("tool_call", call("c", "other",
                          Json::object().set("text", std::string(100'000, 'x')).set("size", size)));
  }
  EXPECT_LT(toldBytes(), 2 * limits::kAgentRetold);
  const auto item = transcript_.permissionAsked(
      call("c", "execute", Json::object().set("command", "make")), ++now_);
  EXPECT_EQ(events_.back().data["item"]["approvalStatus"].asString(), "waiting_for_approval");
  transcript_.permissionAnswered(item, false, ++now_);
  EXPECT_TRUE(events_.back().data["item"]["approvalStatus"].isNull());
  say("tool_call_update",
      call("c", "other", Json::object().set("size", 100)).set("status", "failed"));
  EXPECT_EQ(events_.back().type, "item/completed");
  EXPECT_EQ(events_.back().data["item"]["arguments"]["size"].asInteger(), 100);
}

TEST_F(TranscriptBoundsTest, WhatIsKeptOfCallsIsBounded) {
  const std::string text(1024UL * 1024, 'x');
  const auto count = limits::kAgentToolBytes / text.size() + 5;
  for (std::size_t at = 0; at < count; ++at) {
    say("tool_call", call(fmt::format("c{}", at), "other", Json::object().set("text", text))
                         .set("status", "completed"));
  }
  const auto idOf = [this](const std::string& call_id) {
    say("tool_call_update", Json::object().set("toolCallId", call_id).set("title", "other"));
    return events_.back().data["item"]["id"].asString();
  };
  EXPECT_EQ(idOf(fmt::format("c{}", count - 1)), fmt::format("s.{}", count));
  EXPECT_EQ(idOf("c0"), fmt::format("s.{}", count + 1)) << "it was given up, so this is another";
}

TEST_F(TranscriptBoundsTest, ManyDiffsAreAsManyAsAreTold) {
  auto content = Json::array();
  for (std::size_t at = 0; at < 2 * limits::kAgentChanges; ++at) {
    content.push(Json::object()
                     .set("type", "diff")
                     .set("path", fmt::format("/work/{}", at))
                     .set("newText", "a\n"));
  }
  say("tool_call", call("c", "edit", Json()).set("content", std::move(content)));
  EXPECT_THAT(events_.back().data["item"]["changes"].items(), SizeIs(limits::kAgentChanges));
}

TEST_F(TranscriptBoundsTest, ManyChangesThatTakeLongToCompareAreShownAsReplaced) {
  const auto text = [](int step) {
    std::string lines;
    for (int at = 0; at < 3000; ++at) {
      lines += fmt::format("{}\n", at * step % 997);
    }
    return lines;
  };
  auto content = Json::array();
  for (int at = 0; at < 5; ++at) {
    content.push(Json::object()
                     .set("type", "diff")
                     .set("path", fmt::format("/work/{}", at))
                     .set("oldText", text(7919))
                     .set("newText", text(104'729)));
  }
  say("tool_call", call("c", "edit", Json()).set("content", std::move(content)));
  const auto& changes = events_.back().data["item"]["changes"].items();
  ASSERT_THAT(changes, SizeIs(5));
  const auto removed = [&changes](std::size_t at) {
    const auto& diff = changes[at]["diff"].asString();
    std::size_t lines = 0;
    for (auto next = diff.find("\n-"); next != std::string::npos;
         next = diff.find("\n-", next + 1)) {
      ++lines;
    }
    return lines;
  };
  EXPECT_LT(removed(0), 2900U);
  EXPECT_GT(removed(4), 2950U);
}

using SessionBoundsTest = SessionFixture;

TEST_F(SessionBoundsTest, AListThatIsTooLongIsLeftOutAndSaidOnce) {
  const std::string huge(limits::kAgentList, 'x');
  const auto commands = [](const std::string& description) {
    return fmt::format(
        R"({{"update":{{"sessionUpdate":"available_commands_update","availableCommands":[{{"name":"plan","description":"{}"}}]}}}})",
        description);
  };
  ASSERT_TRUE(open(fmt::format(R"({{"turns":[[{},{},{},{{"text":"x"}}]]}})", commands("short"),
                               commands(huge), commands(huge)))
                  .ok());
  prompt("t1");
  untilTold("turn/completed");
  EXPECT_EQ(session_->describe()["commands"].items()[0]["description"].asString(), "short");
  ASSERT_THAT(all("provider/warning"), SizeIs(1));
  EXPECT_THAT(all("provider/warning")[0]->data["details"].asString(), HasSubstr("agentList"));
}

TEST_F(SessionBoundsTest, WhatAnAgentSaysOfItselfIsCut) {
  const auto opened = open(fmt::format(
      R"({{"on":{{"initialize":[{{"answer":{{"protocolVersion":1,"agentInfo":{{"name":"{}","version":"2","more":[1]}}}}}}]}}}})",
      std::string(100'000, 'x')));
  ASSERT_TRUE(opened.ok());
  const auto& info = opened.value()["agentInfo"];
  EXPECT_LT(info["name"].asString().size(), 2 * limits::kAgentName);
  EXPECT_EQ(info["version"].asString(), "2");
  EXPECT_TRUE(info["more"].isNull());
}

}  // namespace
}  // namespace svc::agentd
