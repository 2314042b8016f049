#include "outfitter.h"

#include "fakes/bulk_threads.h"
#include "fakes/fake_executor.h"
#include "fixture.h"
#include "mocks/mock_agents.h"
#include "mocks/mock_http_server.h"

namespace svc::providers {
namespace {

using ::testing::_;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Return;
using ::testing::SizeIs;

class OneToolSession final : public agents::IToolSession {
 public:
  [[nodiscard]] const std::vector<agents::AgentTool>& tools() const override { return tools_; }
  [[nodiscard]] const std::vector<agents::SessionSkills>& skills() const override {
    return skills_;
  }
  [[nodiscard]] const std::string& instructions() const override { return instructions_; }
  void call(std::string /*name*/, common::RawJson /*arguments*/, agents::CallNews /*news*/,
            std::stop_token /*stop*/, Completion<agents::ToolResult> /*done*/) override {}

 private:
  std::vector<agents::AgentTool> tools_;
  std::vector<agents::SessionSkills> skills_;
  std::string instructions_ = "Use the todo list.";
};

class TokensOfThreads final : public mcp::IThreadTokens {
 public:
  [[nodiscard]] mcp::ThreadToken mint(mcp::Caller caller) override {
    callers.push_back(std::move(caller));
    return {"svcm_secret", Handle([this] { ++revoked; })};
  }

  std::vector<mcp::Caller> callers;
  int revoked = 0;
};

class OutfitterTest : public ::testing::Test {
 protected:
  OutfitterTest() {
    ON_CALL(server_, serves(_, _)).WillByDefault(Return(true));
    ON_CALL(tools_, open(_, _))
        .WillByDefault(
            [this](agents::SessionRequest request, Completion<agents::ToolSessionPtr> done) {
              asked_ = std::move(request);
              done(agents::ToolSessionPtr(session_));
            });
    request_.session = "ses_1";
    request_.thread_id = "thr_1";
    request_.host_id = "host_b";
    request_.provider_id = "mine";
    request_.cwd = "/work";
    request_.context.project.id = "proj_a";
    request_.context.environment.id = "env_a";
  }
  Outfit prepared() {
    const auto outfitter = std::make_shared<Outfitter>(Outfitter::With{
        .main = main_,
        .workers = workers_,
        .server = server_,
        .machines = machines_,
        .tools = &tools_,
        .tokens = &tokens_,
        .capabilities = [](const std::string&, const std::string&) { return Json::object(); },
        .stages = nullptr,
        .data_directory = "/data"});
    std::optional<Outfit> out;
    outfitter->prepare(request_, [&out](Result<Outfit> outfit) {
      ASSERT_TRUE(outfit);
      out = std::move(outfit).value();
    });
    main_.runAll();
    EXPECT_TRUE(out.has_value());
    return out ? *std::move(out) : Outfit{};
  }

  svc::test::FakeMainExecutor main_;
  svc::test::BulkThreads workers_;
  ::testing::NiceMock<svc::test::MockHttpServer> server_;
  ::testing::NiceMock<machines::MockHostRegistry> machines_;
  ::testing::NiceMock<agents::MockAgentTools> tools_;
  TokensOfThreads tokens_;
  std::shared_ptr<OneToolSession> session_ = std::make_shared<OneToolSession>();
  agents::SessionRequest asked_;
  SessionRequest request_;
};

TEST_F(OutfitterTest, AnAgentGetsItsThreadsVariablesTokenAndInstructions) {
  {
    const auto outfit = prepared();
    EXPECT_EQ(outfit.env["SVC_THREAD_ID"].asString(), "thr_1");
    EXPECT_EQ(outfit.env["SVC_PROJECT_ID"].asString(), "proj_a");
    EXPECT_EQ(outfit.env["SVC_ENVIRONMENT_ID"].asString(), "env_a");
    EXPECT_EQ(outfit.env.find("SVC_DATA_DIR"), nullptr) << "of the server's machine only";
    ASSERT_THAT(outfit.mcp_servers.items(), SizeIs(1));
    const auto& server = outfit.mcp_servers.items()[0];
    EXPECT_EQ(server["url"].asString(), "/api/v1/mcp");
    EXPECT_EQ(server["headers"].items()[0]["value"].asString(), "Bearer svcm_secret");
    EXPECT_THAT(outfit.preamble, HasSubstr("Use the todo list."));
    ASSERT_THAT(tokens_.callers, SizeIs(1));
    EXPECT_EQ(tokens_.callers[0].thread_id, "thr_1");
    EXPECT_EQ(tokens_.callers[0].tools, session_) << "what configure has chosen";
    EXPECT_EQ(asked_.context.provider.id, "mine");
    EXPECT_EQ(tokens_.revoked, 0);
  }
  EXPECT_EQ(tokens_.revoked, 1);
}

TEST_F(OutfitterTest, WithoutTheEndpointThereIsNoToken) {
  ON_CALL(server_, serves(_, _)).WillByDefault(Return(false));
  EXPECT_THAT(prepared().mcp_servers.items(), IsEmpty());
  EXPECT_THAT(tokens_.callers, IsEmpty());
}

TEST(PreambleTest, SkillsAreNamedWithTheirFiles) {
  EXPECT_THAT(preambleOf("Be kind.", {{"review", "how to review", "/s/review/SKILL.md"}}),
              HasSubstr("- review: how to review (/s/review/SKILL.md)"));
  EXPECT_EQ(preambleOf("Be kind.", {}), "<instructions>\nBe kind.\n</instructions>");
}

}  // namespace
}  // namespace svc::providers
