#include "agent_tools.h"

#include <optional>

#include <gtest/gtest.h>

#include "svc/common/codes.h"
#include "svc/common/limits/plugins.h"

#include "fakes/fake_clock.h"
#include "fakes/fake_executor.h"
#include "fakes/fake_generation.h"

namespace svc::agents {
namespace {

class AgentToolsTest : public ::testing::Test {
 protected:
  AgentToolsTest() {
    generation_ = loaded_.load("todo");
    generation_->registers("agent-tools", R"([{"name":"add","inputSchema":{"type":"object"}}])");
  }
  void call(const std::string& name = "add", ToolContext context = {},
            std::stop_token stop = std::stop_token()) {
    tools_.call(name, common::RawJson(R"({"title":"x"})"), std::move(context), std::move(stop),
                [this](Result<ToolResult> result) {
                  if (!result) {
                    return;  // the test ends with the call open
                  }
                  result_ = std::move(result).value();
                });
  }
  [[nodiscard]] std::string text() const {
    const auto content = common::Json::parse(result_->content.text());
    return content ? content.value().items().at(0)["text"].asString() : std::string();
  }

  // First: calls that are still open are answered when the rest goes.
  std::optional<ToolResult> result_;
  test::FakeClock clock_;
  test::FakeMainExecutor main_;
  plugins::FakeLoadedPlugins loaded_;
  std::shared_ptr<AgentTools> shared_tools_ = std::make_shared<AgentTools>(loaded_, main_, clock_);
  AgentTools& tools_ = *shared_tools_;
  std::shared_ptr<plugins::FakeGeneration> generation_;
};

TEST_F(AgentToolsTest, CallsTheToolWithArgumentsAndContext) {
  call("add", {.thread_id = "thr_1", .project_id = "proj_1"});
  ASSERT_EQ(generation_->calls.size(), 1U);
  EXPECT_EQ(generation_->calls[0].source, "tool:add");
  const auto& invocation = generation_->calls[0].invocation;
  EXPECT_EQ(invocation.function, "agents.callTool");
  EXPECT_EQ(invocation.meta, R"({"name":"add","threadId":"thr_1","projectId":"proj_1"})");
  EXPECT_EQ(invocation.body, R"({"title":"x"})");
}

TEST_F(AgentToolsTest, ACallOfAToolThatIsBeingLoadedWaitsForIt) {
  loaded_.starting = true;
  call("late");
  EXPECT_FALSE(result_);
  EXPECT_EQ(loaded_.waited, limits::kPluginsStart);
  const auto late = loaded_.load("late");
  late->registers("agent-tools", R"([{"name":"late","inputSchema":{"type":"object"}}])");
  loaded_.settle();
  EXPECT_EQ(late->calls.size(), 1U);
  call("never");
  EXPECT_EQ(text(), "Unknown tool never");
}

TEST_F(AgentToolsTest, ASessionHasTheToolsOfPluginsThatAreBeingLoaded) {
  loaded_.starting = true;
  ToolSessionPtr session;
  tools_.open({}, [&](Result<ToolSessionPtr> opened) { session = std::move(opened).value(); });
  main_.runAll();
  EXPECT_EQ(session, nullptr);
  loaded_.load("late")->registers("agent-tools",
                                  R"([{"name":"late","inputSchema":{"type":"object"}}])");
  loaded_.settle();
  main_.runAll();
  ASSERT_NE(session, nullptr);
  EXPECT_EQ(session->tools().size(), 2U);
}

TEST_F(AgentToolsTest, SaysHowAToolThatIsOnOfferIsShown) {
  generation_->registers(
      "agent-tools",
      R"([{"name":"add","presentation":{"icon":{"glyph":"plus"}}},{"name":"list"}])");
  static_cast<void>(tools_.list());
  main_.setCurrent(false);
  EXPECT_EQ(tools_.presentationOf("add")["icon"]["glyph"].asString(), "plus");
  EXPECT_TRUE(tools_.presentationOf("list").isNull());
  EXPECT_TRUE(tools_.presentationOf("gone").isNull());
}

TEST_F(AgentToolsTest, SaysNullForAClientOutsideOfAThread) {
  call();
  EXPECT_EQ(generation_->calls.at(0).invocation.meta,
            R"({"name":"add","threadId":null,"projectId":null})");
}

TEST_F(AgentToolsTest, PassesTheContentOnAsBytes) {
  call();
  ASSERT_TRUE(generation_->answer("agents.callTool",
                                  std::string("0\n[{\"type\":\"text\",\"text\":\"a\"}]")));
  EXPECT_EQ(result_->content.text(), R"([{"type":"text","text":"a"}])");
  EXPECT_FALSE(result_->is_error);
}

TEST_F(AgentToolsTest, KeepsTheErrorFlagOfTheTool) {
  call();
  generation_->answer("agents.callTool", std::string("1\n[]"));
  EXPECT_TRUE(result_->is_error);
}

TEST_F(AgentToolsTest, TurnsEveryFailureIntoText) {
  call();
  generation_->answer("agents.callTool", Error{errc::kHandlerError, "Tool add failed: \"no\" tea"});
  EXPECT_TRUE(result_->is_error);
  EXPECT_EQ(text(), "Tool add failed: \"no\" tea");
}

TEST_F(AgentToolsTest, SaysThatAToolIsUnknown) {
  call("gone");
  EXPECT_TRUE(result_->is_error);
  EXPECT_EQ(text(), "Unknown tool gone");
  EXPECT_TRUE(generation_->calls.empty());
}

TEST_F(AgentToolsTest, AbortsTheCallWhenTheCallerGivesUp) {
  std::stop_source caller;
  call("add", {}, caller.get_token());
  EXPECT_FALSE(generation_->calls.at(0).invocation.stop.stop_requested());
  caller.request_stop();
  EXPECT_TRUE(generation_->calls.at(0).invocation.stop.stop_requested());
}

TEST_F(AgentToolsTest, EndsOpenCallsAtDisposalWithTheReason) {
  call();
  bool disposed = false;
  tools_.abortCalls(generation_, [&disposed](const Status& status) { disposed = status.ok(); });
  ASSERT_EQ(generation_->calls.size(), 2U);
  EXPECT_EQ(generation_->calls[1].invocation.function, "agents.abortTools");
  EXPECT_EQ(generation_->calls[1].invocation.meta, "plugin-disposed");
  EXPECT_FALSE(disposed);
  generation_->answer("agents.abortTools", std::string());
  EXPECT_TRUE(disposed);
}

TEST_F(AgentToolsTest, TheDisposalWaitsForWhatAbortedToolsStillDo) {
  bool over = false;
  tools_.calls()->whenOver(generation_, [&over](const Status& status) { over = status.ok(); });
  ASSERT_EQ(generation_->calls.size(), 1U);
  EXPECT_EQ(generation_->calls[0].invocation.function, "agents.toolsOver");
  EXPECT_FALSE(over);
  generation_->answer("agents.toolsOver", Error{errc::kPluginNotRunning, "the environment ended"});
  EXPECT_TRUE(over) << "however it ends";
}

TEST_F(AgentToolsTest, LeavesAPluginWithoutOpenCallsAlone) {
  call();
  generation_->answer("agents.callTool", std::string("0\n[]"));
  bool disposed = false;
  tools_.abortCalls(generation_, [&disposed](const Status&) { disposed = true; });
  EXPECT_TRUE(disposed);
  EXPECT_TRUE(generation_->calls.empty());
}

TEST_F(AgentToolsTest, AKnownToolIsCalledFromAnyThread) {
  tools_.recordsChanged({});
  main_.setCurrent(false);
  call();
  EXPECT_EQ(generation_->calls.size(), 1U);
}

TEST_F(AgentToolsTest, AToolRegisteredLaterIsLookedForOnTheMainThread) {
  const auto tools = std::make_shared<AgentTools>(loaded_, main_, clock_);
  tools->recordsChanged({});
  generation_->registers("agent-tools", R"([{"name":"add"},{"name":"late"}])");
  main_.setCurrent(false);
  for (const char* name : {"late", "gone"}) {
    tools->call(name, common::RawJson("{}"), {}, {}, [this](Result<ToolResult> result) {
      if (result) {
        result_ = std::move(result).value();
      }
    });
  }
  EXPECT_TRUE(generation_->calls.empty());
  main_.runAll();
  EXPECT_EQ(generation_->calls.size(), 1U);
  EXPECT_EQ(text(), "Unknown tool gone");
}

TEST_F(AgentToolsTest, TellsWhenOtherToolsAreOnOffer) {
  int changes = 0;
  auto listening = tools_.onChanged([&changes] { ++changes; });
  tools_.recordsChanged({});
  tools_.recordsChanged({});
  EXPECT_EQ(changes, 1);
  // A reload may have changed what its tools take.
  generation_ = loaded_.load("todo");
  generation_->registers("agent-tools", R"([{"name":"add"}])");
  tools_.recordsChanged({});
  EXPECT_EQ(changes, 2);
  listening.reset();
  loaded_.unload("todo");
  tools_.recordsChanged({});
  EXPECT_EQ(changes, 2);
}

TEST_F(AgentToolsTest, CallsTheToolOfOnePluginWhoeverHasItsName) {
  const auto loser = loaded_.load("zoo");
  loser->registers("agent-tools", R"([{"name":"add"}])");
  tools_.callOf("zoo", "add", common::RawJson("{}"), {}, {}, [](const Result<ToolResult>&) {});
  EXPECT_EQ(loser->calls.size(), 1U);
  EXPECT_TRUE(generation_->calls.empty());
}

TEST_F(AgentToolsTest, KnowsWhoHasANameOfSeveral) {
  loaded_.load("zoo")->registers("agent-tools", R"([{"name":"add"},{"name":"own"}])");
  std::string found;
  for (const auto& [tool, holder] : tools_.known()) {
    found += tool.plugin_id + ":" + tool.name + "@" + holder + " ";
  }
  EXPECT_EQ(found, "todo:add@todo zoo:add@todo zoo:own@zoo ");
}

TEST_F(AgentToolsTest, ForgetsTheNumbersOfPluginsThatAreRemoved) {
  call();
  generation_->answer("agents.callTool", std::string("0\n[]"));
  plugins::PluginRecord record;
  record.id = "todo";
  tools_.recordsChanged({record});
  EXPECT_EQ(tools_.calls()->meters().stats().size(), 1U);
  tools_.recordsChanged({});
  EXPECT_TRUE(tools_.calls()->meters().stats().empty());
}

TEST_F(AgentToolsTest, TellsOfAToolThatIsRegisteredLater) {
  const auto tools = std::make_shared<AgentTools>(loaded_, main_, clock_);
  tools->recordsChanged({});
  int changes = 0;
  const auto listening = tools->onChanged([&changes] { ++changes; });
  generation_->registers("agent-tools", R"([{"name":"add"},{"name":"late"}])");
  main_.setCurrent(false);
  tools->registrationChanged();
  tools->registrationChanged();
  EXPECT_EQ(changes, 0);
  EXPECT_EQ(main_.runAll(), 1U);
  EXPECT_EQ(changes, 1);
  // What a load registers before it is there is nothing new.
  tools->registrationChanged();
  main_.runAll();
  EXPECT_EQ(changes, 1);
}

TEST_F(AgentToolsTest, ReportsLostNamesWhenTheInventoryChanges) {
  const auto loser = loaded_.load("zoo");
  loser->registers("agent-tools", R"([{"name":"add"}])");
  tools_.recordsChanged({});
  EXPECT_EQ(loser->problems.size(), 1U);
  ASSERT_EQ(tools_.list().size(), 1U);
  EXPECT_EQ(tools_.list()[0].plugin_id, "todo");
}

}  // namespace
}  // namespace svc::agents
