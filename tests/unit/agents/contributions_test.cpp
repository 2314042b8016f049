#include <optional>

#include <gtest/gtest.h>

#include "svc/common/codes.h"
#include "svc/common/limits.h"

#include "agent_tools.h"
#include "fakes/fake_executor.h"
#include "fakes/fake_generation.h"

namespace svc::agents {
namespace {

class ContributionsTest : public ::testing::Test {
 protected:
  ContributionsTest() {
    generation_ = loaded_.load("todo");
    generation_->registers("agent-tools", R"([{"name":"add"},{"name":"list"}])");
  }
  void collect() {
    const auto context =
        common::Json::parse(R"({"thread":{"id":"thr_1"},"project":{"id":"proj_1"}})").value();
    tools_.contributions(context, [this](Result<std::vector<AgentContribution>> answer) {
      ASSERT_TRUE(answer.ok());
      contributions_ = std::move(answer).value();
    });
    main_.runAll();
  }
  void answer(const std::string& function, Result<std::string> result) {
    ASSERT_TRUE(generation_->answer(function, std::move(result)));
    main_.runAll();
  }
  [[nodiscard]] std::string tools() const {
    std::string out;
    for (const auto& tool : contributions_->at(0).tools) {
      out += (out.empty() ? "" : " ") + tool.name;
    }
    return out;
  }

  // First: calls that are still open are answered when the rest goes.
  std::optional<std::vector<AgentContribution>> contributions_;
  testing::FakeMainExecutor main_;
  plugins::FakeLoadedPlugins loaded_;
  AgentTools tools_{loaded_, main_};
  std::shared_ptr<plugins::FakeGeneration> generation_;
};

TEST_F(ContributionsTest, OffersEverythingWithoutConfigure) {
  collect();
  ASSERT_TRUE(contributions_);
  EXPECT_EQ(tools(), "add list");
  EXPECT_FALSE(contributions_->at(0).skills.has_value());
  EXPECT_TRUE(generation_->calls.empty());
}

TEST_F(ContributionsTest, OffersWhatConfigureChooses) {
  plugins::PluginRecord record;
  record.id = "todo";
  record.capabilities = {{.kind = "skill", .id = "s", .label = "s", .detail = ""}};
  tools_.recordsChanged({record});
  generation_->registers("agent-config", R"({"configure":true,"instructions":true})");
  collect();
  EXPECT_FALSE(contributions_);
  EXPECT_EQ(generation_->calls.at(1).invocation.body,
            R"({"threadId":"thr_1","projectId":"proj_1"})");
  answer("agents.configure",
         std::string(R"({"tools":[{"name":"list","inputSchema":{"type":"object","x":1}}],)"
                     R"("skills":["s"],"instructions":"Be brief."})"));
  answer("agents.contributeInstructions", std::string(R"("Mind the list.")"));
  ASSERT_TRUE(contributions_);
  EXPECT_EQ(tools(), "list");
  const auto& contribution = contributions_->at(0);
  EXPECT_EQ(contribution.tools[0].input_schema["x"].asInteger(), 1);
  EXPECT_EQ(contribution.skills, std::vector<std::string>{"s"});
  EXPECT_EQ(contribution.configured_instructions, "Be brief.");
  EXPECT_EQ(contribution.instructions, "Mind the list.");
}

TEST_F(ContributionsTest, OffersNothingWhenConfigureFails) {
  generation_->registers("agent-config", R"({"configure":true})");
  collect();
  answer("agents.configure", Error{errc::kHandlerError, "agents.configure failed: no"});
  EXPECT_EQ(tools(), "");
  EXPECT_EQ(contributions_->at(0).skills, std::vector<std::string>{});
  ASSERT_EQ(generation_->lines.size(), 1U);
  EXPECT_NE(generation_->lines[0].find("agents.configure failed: no"), std::string::npos);
}

TEST_F(ContributionsTest, OffersNothingWhenConfigureChoosesAnotherPluginsTool) {
  generation_->registers("agent-config", R"({"configure":true})");
  collect();
  answer("agents.configure",
         std::string(R"({"tools":[{"name":"theirs"}],"skills":[],"instructions":null})"));
  EXPECT_EQ(tools(), "");
  EXPECT_EQ(generation_->lines.size(), 1U);
}

TEST_F(ContributionsTest, OffersNothingWhenConfigureChoosesASkillThePluginDoesNotHave) {
  generation_->registers("agent-config", R"({"configure":true})");
  collect();
  answer("agents.configure",
         std::string(R"({"tools":[{"name":"add"}],"skills":["gone"],"instructions":null})"));
  EXPECT_EQ(tools(), "");
  EXPECT_NE(generation_->lines.at(0).find(R"(no skill "gone")"), std::string::npos);
}

TEST_F(ContributionsTest, OffersNothingWhenConfigureTakesTooLong) {
  generation_->registers("agent-config", R"({"configure":true})");
  collect();
  main_.advance(limits::kAgentCallback);
  ASSERT_TRUE(contributions_);
  EXPECT_EQ(tools(), "");
  EXPECT_TRUE(generation_->calls.at(0).invocation.stop.stop_requested());
  EXPECT_NE(generation_->lines.at(0).find("limit agentCallback"), std::string::npos);
}

}  // namespace
}  // namespace svc::agents
