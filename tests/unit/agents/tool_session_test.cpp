#include "tool_session.h"

#include <gtest/gtest.h>

#include "svc/common/codes.h"
#include "svc/common/limits/agents.h"

#include "agent_tools.h"
#include "fakes/fake_clock.h"
#include "fakes/fake_executor.h"
#include "fakes/fake_generation.h"

namespace svc::agents {
namespace {

class ToolSessionTest : public ::testing::Test {
 protected:
  ToolSessionTest() {
    generation_ = loaded_.load("todo");
    generation_->registers("agent-tools",
                           R"([{"name":"add","instructions":"Add sparingly."},{"name":"list"}])");
    hasSkills({"s", "t"});
  }
  void hasSkills(const std::vector<std::string>& names) {
    plugins::PluginRecord record;
    record.id = "todo";
    for (const auto& name : names) {
      record.capabilities.push_back({.kind = "skill", .id = name, .label = name, .detail = ""});
    }
    tools_.recordsChanged({record});
  }
  void configures(const std::string& json = R"({"configure":true})") {
    generation_->registers("agent-config", json);
  }
  void open(SessionRequest request = {}) {
    request.context.thread.id = "thr_1";
    request.context.project.id = "proj_1";
    tools_.open(std::move(request), [this](Result<ToolSessionPtr> answer) {
      ASSERT_TRUE(answer.ok());
      session_ = std::move(answer).value();
    });
    main_.runAll();
  }
  void answer(const std::string& function, Result<std::string> result) {
    ASSERT_TRUE(generation_->answer(function, std::move(result)));
    main_.runAll();
  }
  void chooses(const std::string& choice) {
    configures();
    open();
    answer("agents.configure", choice);
  }
  void renews(const std::string& choice) { renewsWith(choice); }
  void renewsWith(Result<std::string> choice) {
    bool renewed = false;
    session_->renew({}, [&renewed](const Status&) { renewed = true; });
    main_.runAll();
    answer("agents.configure", std::move(choice));
    EXPECT_TRUE(renewed);
  }
  void call(const std::string& name) {
    session_->call(name, common::RawJson("{}"), {}, {}, [this](Result<ToolResult> result) {
      if (result) {
        result_ = std::move(result).value();
      }
    });
  }
  [[nodiscard]] std::string tools() const {
    std::string out;
    for (const auto& tool : session_->tools()) {
      out += (out.empty() ? "" : " ") + tool.name;
    }
    return out;
  }
  [[nodiscard]] std::string skills() const {
    std::string out;
    for (const auto& [plugin_id, names] : session_->skills()) {
      for (const auto& name : names) {
        out += (out.empty() ? "" : " ") + plugin_id + ":" + name;
      }
    }
    return out;
  }

  // First: calls that are still open are answered when the rest goes.
  ToolSessionPtr session_;
  test::FakeClock clock_;
  std::optional<ToolResult> result_;
  test::FakeMainExecutor main_;
  plugins::FakeLoadedPlugins loaded_;
  std::shared_ptr<AgentTools> shared_tools_ = std::make_shared<AgentTools>(loaded_, main_, clock_);
  AgentTools& tools_ = *shared_tools_;
  std::shared_ptr<plugins::FakeGeneration> generation_;
};

TEST_F(ToolSessionTest, HasEverythingWithoutConfigure) {
  open();
  ASSERT_TRUE(session_);
  EXPECT_EQ(tools(), "add list");
  EXPECT_EQ(skills(), "todo:s todo:t");
  EXPECT_EQ(session_->instructions(), "add: Add sparingly.");
  EXPECT_TRUE(generation_->calls.empty());
}

TEST_F(ToolSessionTest, HasWhatConfigureChooses) {
  configures(R"({"configure":true,"instructions":true})");
  open();
  EXPECT_FALSE(session_);
  EXPECT_EQ(generation_->calls.at(1).invocation.body,
            R"({"threadId":"thr_1","projectId":"proj_1"})");
  answer("agents.configure",
         std::string(R"({"tools":[{"name":"list","inputSchema":{"type":"object","x":1}}],)"
                     R"("skills":["s"],"instructions":"Be brief."})"));
  answer("agents.contributeInstructions", std::string(R"("Mind the list.")"));
  ASSERT_TRUE(session_);
  EXPECT_EQ(tools(), "list");
  EXPECT_EQ(session_->tools()[0].input_schema["x"].asInteger(), 1);
  EXPECT_EQ(skills(), "todo:s");
  EXPECT_EQ(session_->instructions(), "Mind the list.\n\nBe brief.");
}

TEST_F(ToolSessionTest, APluginThatIsBeingReplacedIsAskedInItsNextLoad) {
  configures();
  loaded_.hold("todo");
  open();
  EXPECT_TRUE(generation_->calls.empty());
  const auto next = loaded_.load("todo", {{"agent-tools", R"([{"name":"new"},{"name":"more"}])"},
                                          {"agent-config", R"({"configure":true})"}});
  main_.runAll();
  EXPECT_FALSE(session_);
  ASSERT_TRUE(next->answer("agents.configure", std::string(R"({"tools":[{"name":"new"}]})")));
  main_.runAll();
  ASSERT_TRUE(session_);
  EXPECT_EQ(tools(), "new");
  EXPECT_TRUE(generation_->calls.empty());
}

TEST_F(ToolSessionTest, APluginThatGoesMeanwhileHoldsNoSessionUp) {
  configures();
  loaded_.hold("todo");
  open();
  loaded_.unload("todo");
  main_.runAll();
  ASSERT_TRUE(session_);
  EXPECT_EQ(tools(), "");
}

TEST_F(ToolSessionTest, TellsEachPluginAboutTheThreadAndItsOwnMetadata) {
  configures();
  SessionRequest request;
  request.context.environment = {.id = "env_1", .path = "/w"};
  request.context.provider.id = "agent";
  request.context.plugin_metadata = {
      {"other", common::Json::object().set("secret", 1)},
      {"todo", common::Json::object().set("list", "home")},
  };
  open(std::move(request));
  EXPECT_EQ(generation_->calls.at(0).invocation.body,
            R"({"thread":{"id":"thr_1","title":null,"parentThreadId":null,"sourceThreadId":null},)"
            R"("project":{"id":"proj_1","kind":"standard","name":"","gitRemoteUrl":null},)"
            R"("environment":{"id":"env_1","name":null,"path":"/w",)"
            R"("workspaceProvisionType":"unmanaged","branchName":null},"host":{"id":"","name":""},)"
            R"("provider":{"id":"agent","model":"","capabilities":{}},)"
            R"("origin":{"kind":null,"pluginId":null},"pluginMetadata":{"list":"home"}})");
  answer("agents.configure", std::string("{}"));  // a call that waits owns its generation
}

TEST_F(ToolSessionTest, HasNothingOfAPluginWhoseConfigureFails) {
  const auto other = loaded_.load("other");
  other->registers("agent-tools", R"([{"name":"theirs"}])");
  configures();
  open();
  answer("agents.configure", Error{errc::kHandlerError, "agents.configure failed: no"});
  EXPECT_EQ(tools(), "theirs");
  EXPECT_EQ(skills(), "");
  ASSERT_EQ(generation_->lines.size(), 1U);
  EXPECT_EQ(generation_->lines[0], "error: agents.configure: no tools and no skills this time")
      << "why is told with the failed call";
}

TEST_F(ToolSessionTest, HasNothingOfAPluginThatChoosesASkillItDoesNotHave) {
  chooses(R"({"tools":[{"name":"add"}],"skills":["gone"],"instructions":"x"})");
  EXPECT_EQ(tools(), "");
  EXPECT_EQ(session_->instructions(), "");
  EXPECT_NE(generation_->lines.at(0).find(R"(no skill "gone")"), std::string::npos);
}

TEST_F(ToolSessionTest, HasNothingOfAPluginWhoseConfigureTakesTooLong) {
  configures();
  open();
  main_.advance(limits::kAgentCallback);
  ASSERT_TRUE(session_);
  EXPECT_EQ(tools(), "");
  EXPECT_TRUE(generation_->calls.at(0).invocation.stop.stop_requested());
  EXPECT_NE(generation_->lines.at(0).find("limit agentCallback"), std::string::npos);
}

TEST_F(ToolSessionTest, LeavesOutAChosenToolThatAnotherPluginHas) {
  loaded_.load("before")->registers("agent-tools", R"([{"name":"add"}])");
  chooses(R"({"tools":[{"name":"add"},{"name":"list"}],"skills":[],"instructions":null})");
  EXPECT_EQ(tools(), "add list");
  EXPECT_EQ(session_->tools()[0].plugin_id, "before");
  EXPECT_EQ(session_->tools()[1].plugin_id, "todo");
  EXPECT_TRUE(generation_->lines.empty());
}

TEST_F(ToolSessionTest, SaysWhyThereAreNoInstructions) {
  configures(R"({"instructions":true})");
  open();
  answer("agents.contributeInstructions", Error{errc::kHandlerError, "it failed: no"});
  EXPECT_EQ(tools(), "add list");
  EXPECT_EQ(generation_->lines.at(0),
            "error: agents.contributeInstructions: no instructions this time");
}

TEST_F(ToolSessionTest, CallsItsToolsForItsThread) {
  open();
  call("add");
  EXPECT_EQ(generation_->calls.at(0).invocation.meta,
            R"({"name":"add","threadId":"thr_1","projectId":"proj_1"})");
}

TEST_F(ToolSessionTest, HasArgumentsCheckedAgainstWhatWasNarrowed) {
  chooses(R"({"tools":[{"name":"add","inputSchema":{"type":"object"}}],"skills":[]})");
  call("add");
  EXPECT_EQ(generation_->calls.at(0).invocation.meta,
            R"({"name":"add","threadId":"thr_1","projectId":"proj_1",)"
            R"("overrides":[{"type":"object"}]})");
}

TEST_F(ToolSessionTest, AFurtherTurnHasWhatConfigureChoosesForIt) {
  chooses(R"({"tools":[{"name":"add","inputSchema":{"a":1}},{"name":"list"}],"skills":[]})");
  renews(R"({"tools":[{"name":"add","inputSchema":{"b":2}}],"skills":[]})");
  EXPECT_EQ(tools(), "add list") << "what the agent has been shown stays";
  call("list");
  ASSERT_TRUE(result_);
  EXPECT_TRUE(result_->is_error);
  EXPECT_NE(result_->content.text().find("Tool list is not offered in this turn"),
            std::string::npos);
  EXPECT_TRUE(generation_->calls.empty());
  call("add");
  EXPECT_EQ(generation_->calls.at(0).invocation.meta,
            R"({"name":"add","threadId":"thr_1","projectId":"proj_1",)"
            R"("overrides":[{"a":1},{"b":2}]})");
  generation_->answer("agents.callTool", std::string("0\n[]"));
  renews(R"({"tools":[{"name":"add"},{"name":"list"}],"skills":[]})");
  call("list");
  EXPECT_EQ(generation_->calls.at(0).invocation.meta,
            R"({"name":"list","threadId":"thr_1","projectId":"proj_1"})");
}

TEST_F(ToolSessionTest, AFurtherTurnHasNothingOfAPluginWhoseConfigureFails) {
  chooses(R"({"tools":[{"name":"add"}],"skills":[]})");
  renewsWith(Error{errc::kHandlerError, "no"});
  EXPECT_EQ(generation_->lines.size(), 1U) << "the plugin's log says why";
  call("add");
  EXPECT_NE(result_->content.text().find("not offered in this turn"), std::string::npos);
}

TEST_F(ToolSessionTest, AFurtherTurnAsksWithinTheSameBoundAndForNoInstructions) {
  configures(R"({"configure":true,"instructions":true})");
  open();
  answer("agents.configure", std::string(R"({"tools":[{"name":"add"}],"skills":[]})"));
  answer("agents.contributeInstructions", std::string("null"));
  bool renewed = false;
  session_->renew({}, [&renewed](const Status&) { renewed = true; });
  main_.runAll();
  ASSERT_EQ(generation_->calls.size(), 1U);
  EXPECT_EQ(generation_->calls[0].invocation.function, "agents.configure");
  EXPECT_FALSE(renewed);
  main_.advance(limits::kAgentCallback);
  EXPECT_TRUE(renewed);
  call("add");
  EXPECT_TRUE(result_ && result_->is_error);
}

TEST_F(ToolSessionTest, AFurtherTurnHasEverythingShownOnceAPluginDoesNotChooseAnyMore) {
  chooses(R"({"tools":[{"name":"add"}],"skills":[]})");
  renews(R"({"tools":[],"skills":[]})");
  generation_ = loaded_.load("todo");
  generation_->registers("agent-tools", R"([{"name":"add"}])");
  session_->renew({}, [](const Status&) {});
  main_.runAll();
  call("add");
  EXPECT_EQ(generation_->calls.size(), 1U);
}

TEST_F(ToolSessionTest, DoesNotKnowToolsThatWereNotChosen) {
  chooses(R"({"tools":[{"name":"add"}],"skills":[]})");
  call("list");
  ASSERT_TRUE(result_);
  EXPECT_TRUE(result_->is_error);
  EXPECT_NE(result_->content.text().find("Unknown tool list"), std::string::npos);
  EXPECT_TRUE(generation_->calls.empty());
}

TEST_F(ToolSessionTest, StaysAsItIsWhenPluginsChange) {
  open();
  const auto before = loaded_.load("before");
  before->registers("agent-tools", R"([{"name":"add"}])");
  generation_ = loaded_.load("todo");
  generation_->registers("agent-tools", R"([{"name":"add"},{"name":"more"}])");
  hasSkills({});
  EXPECT_EQ(tools(), "add list");
  EXPECT_EQ(skills(), "todo:s todo:t");
  // The plugin that had the tool is called, as it is now.
  call("add");
  EXPECT_EQ(generation_->calls.size(), 1U);
  EXPECT_TRUE(before->calls.empty());
}

}  // namespace
}  // namespace svc::agents
