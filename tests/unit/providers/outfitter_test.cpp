#include "outfitter.h"

#include "svc/hostprotocol/agent_limits.h"

#include "fakes/bulk_threads.h"
#include "fakes/fake_executor.h"
#include "fixture.h"
#include "mocks/mock_agents.h"
#include "mocks/mock_http_server.h"
#include "mocks/mock_skills.h"

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
  void renew(agents::AgentContext context, Completion<void> done) override {
    renewed.push_back(std::move(context));
    done({});
  }

  std::vector<agents::AgentContext> renewed;

 private:
  std::vector<agents::AgentTool> tools_;
  std::vector<agents::SessionSkills> skills_;
  std::string instructions_ = "Use the todo list.";
};

class TokensOfThreads final : public mcp::IThreadTokens {
 public:
  [[nodiscard]] mcp::ThreadToken mint(mcp::Caller caller) override {
    callers.push_back(std::move(caller));
    return {.secret = "svcm_secret",
            .handle = Handle([this] { ++revoked; }),
            .abort_calls = [this](bool) { ++aborted; }};
  }

  std::vector<mcp::Caller> callers;
  int revoked = 0;
  int aborted = 0;
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
  std::shared_ptr<Outfitter> made() {
    return std::make_shared<Outfitter>(Outfitter::With{
        .main = main_,
        .workers = workers_,
        .server = server_,
        .machines = machines_,
        .tools = &tools_,
        .tokens = &tokens_,
        .skills = skills_,
        .capabilities = [](const std::string&, const std::string&) { return Json::object(); },
        .stages = nullptr,
        .data_directory = "/data"});
  }
  Outfit prepared() {
    const auto outfitter = outfitter_ ? outfitter_ : made();
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
  std::shared_ptr<Outfitter> outfitter_;
  skills::ISkills* skills_ = nullptr;
};

TEST_F(OutfitterTest, AnAgentGetsItsThreadsVariablesTokenAndInstructions) {
  {
    const auto outfit = prepared();
    EXPECT_EQ(outfit.env["SVC_THREAD_ID"].asString(), "thr_1");
    EXPECT_EQ(outfit.env["SVC_PROJECT_ID"].asString(), "proj_a");
    EXPECT_EQ(outfit.env["SVC_ENVIRONMENT_ID"].asString(), "env_a");
    EXPECT_EQ(outfit.env["SVC_THREAD_TOKEN"].asString(), "svcm_secret");
    EXPECT_EQ(outfit.env.find("SVC_DATA_DIR"), nullptr) << "of the server's machine only";
    ASSERT_THAT(outfit.mcp_servers.items(), SizeIs(1));
    const auto& server = outfit.mcp_servers.items()[0];
    EXPECT_EQ(server["url"].asString(), "/api/v1/mcp");
    EXPECT_EQ(server["headers"].items()[0]["value"].asString(), "Bearer svcm_secret");
    EXPECT_THAT(outfit.instructions, HasSubstr("Use the todo list."));
    ASSERT_THAT(tokens_.callers, SizeIs(1));
    EXPECT_EQ(tokens_.callers[0].thread_id, "thr_1");
    EXPECT_EQ(tokens_.callers[0].tools, session_) << "what configure has chosen";
    EXPECT_EQ(asked_.context.provider.id, "mine");
    EXPECT_EQ(tokens_.revoked, 0);
  }
  EXPECT_EQ(tokens_.revoked, 1);
}

TEST_F(OutfitterTest, PluginsChooseAgainForAFurtherTurn) {
  outfitter_ = made();
  const auto outfit = prepared();
  agents::AgentContext context;
  context.thread.title = "Renamed";
  bool renewed = false;
  outfit.renew(Json::object().set("model", "large"), context,
               [&renewed](const Status&) { renewed = true; });
  EXPECT_TRUE(renewed);
  ASSERT_THAT(session_->renewed, SizeIs(1));
  EXPECT_EQ(session_->renewed[0].thread.id, "thr_1");
  EXPECT_EQ(session_->renewed[0].thread.title, "Renamed") << "as it is now";
  EXPECT_EQ(session_->renewed[0].provider.model, "large");
}

TEST_F(OutfitterTest, WithoutTheEndpointThereIsNoToken) {
  ON_CALL(server_, serves(_, _)).WillByDefault(Return(false));
  EXPECT_THAT(prepared().mcp_servers.items(), IsEmpty());
  EXPECT_THAT(tokens_.callers, IsEmpty());
}

/// A skill of so many bytes.
skills::Skill skillOf(const std::string& name, std::uint64_t bytes = 1) {
  skills::Skill skill{.id = name, .name = name, .description = "About " + name};
  skill.directory = "/there/" + name;
  skill.offered = true;
  skill.tree = {.files = {}, .bytes = bytes, .digest = "tree of " + name};
  return skill;
}

class NoProject final : public skills::IRemoteProject {
 public:
  void skills(const std::vector<std::string>& /*folders*/, Completion<Json> /*done*/) override {}
  void content(const std::filesystem::path& /*file*/, Completion<std::string> /*done*/) override {}
};

class SkillsElsewhereTest : public OutfitterTest {
 protected:
  SkillsElsewhereTest() {
    skills_ = &catalogue_of_;
    ON_CALL(machines_, find(_))
        .WillByDefault(Return(
            std::optional(machines::Host{.id = "host_b", .name = "laptop", .connected = true})));
    ON_CALL(catalogue_of_, place(_, _, _))
        .WillByDefault([this](const std::string& project_id, const std::string& environment_id,
                              Completion<skills::Place> done) {
          EXPECT_EQ(project_id, "proj_a");
          EXPECT_EQ(environment_id, "env_a");
          if (known_) {
            done(skills::Place{.remote = project_});
          } else {
            done(Error{errc::kNotFound, "no such project"});
          }
        });
    ON_CALL(catalogue_of_, read(_, _))
        .WillByDefault([this](const skills::Place& place, Completion<skills::CataloguePtr> done) {
          read_ = place;
          done(skills::CataloguePtr(std::make_shared<skills::Catalogue>(catalogue_)));
        });
  }

  bool known_ = true;
  skills::RemoteProjectPtr project_ = std::make_shared<NoProject>();
  skills::Place read_;
  skills::Catalogue catalogue_;
  ::testing::NiceMock<skills::MockSkills> catalogue_of_;
};

TEST_F(SkillsElsewhereTest, AreSentAndThoseOfTheProjectAreThere) {
  auto there = skillOf("deploy");
  there.remote = project_;
  auto hidden = skillOf("hidden");
  hidden.offered = false;
  catalogue_.skills = {there, skillOf("review"), hidden};
  const auto outfit = prepared();
  EXPECT_EQ(read_.remote, project_);
  ASSERT_THAT(outfit.sent_skills, SizeIs(1));
  EXPECT_EQ(outfit.sent_skills[0].name, "review");
  EXPECT_EQ(outfit.sent_skills[0].tree, "tree of review");
  ASSERT_THAT(outfit.skills, SizeIs(1));
  EXPECT_EQ(outfit.skills[0].file, "/there/deploy/SKILL.md");
  EXPECT_FALSE(outfit.on_server);
}

TEST_F(SkillsElsewhereTest, WithoutTheProjectTheOthersAreSent) {
  known_ = false;
  catalogue_.skills = {skillOf("review")};
  EXPECT_THAT(prepared().sent_skills, SizeIs(1));
  EXPECT_FALSE(read_.remote);
}

TEST_F(SkillsElsewhereTest, WhatIsBeyondTheLimitsIsLeftToMcp) {
  catalogue_.skills = {skillOf("large", limits::kAgentSkillBytes), skillOf("more"),
                       skillOf("none", 0)};
  const auto sent = prepared().sent_skills;
  ASSERT_THAT(sent, SizeIs(2));
  EXPECT_EQ(sent[1].name, "none");
  catalogue_.skills.assign(limits::kAgentSkills + 1, skillOf("many"));
  EXPECT_THAT(prepared().sent_skills, SizeIs(limits::kAgentSkills));
}

}  // namespace
}  // namespace svc::providers
