#include "command_routes.h"

#include "agent_prompt.h"
#include "fixture.h"
#include "mocks/recorded_exchange.h"

namespace svc::providers {
namespace {

using svc::test::RecordedExchange;
using ::testing::_;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class CommandRoutesTest : public SessionsFixture {
 protected:
  CommandRoutesTest() {
    ON_CALL(server_, dispatch(_, _, _))
        .WillByDefault([this](const http::Request& request, const std::stop_token&,
                              Completion<http::Response> done) {
          target_ = request.target;
          http::Response response;
          response.status = status_;
          response.body = skills_;
          done(std::move(response));
        });
    EXPECT_TRUE(routes_.attach().ok());
    catalogue_->configure(readAgents(R"({"scripted":{"command":"/bin/x"}})").value());
  }
  std::shared_ptr<RecordedExchange> ask(const std::string& query) {
    http::Request request;
    request.query = query;
    request.path_parameters = {{"projectId", "proj_a"}};
    auto exchange = std::make_shared<RecordedExchange>(std::move(request));
    server_.call("GET /api/v1/projects/:projectId/commands", exchange);
    return exchange;
  }
  /// "name source origin" of each.
  std::vector<std::string> named(const std::string& query = "provider=scripted") {
    std::vector<std::string> out;
    const auto body = ask(query)->json();
    for (const auto& each : body["commands"].items()) {
      out.push_back(each["name"].asString() + " " + each["source"].asString() + " " +
                    each["origin"].asString());
    }
    return out;
  }
  /// A session of this project whose agent names commands.
  void begin(const std::string& session, const std::string& project, const std::string& commands) {
    auto wanted = request(session);
    wanted.context.project.id = project;
    open(wanted);
    say({event(1, "session/changed", R"({"commands":)" + commands + "}")}, session);
  }

  svc::test::RecordedRoutes server_;
  CommandRoutes routes_{{.catalogue = catalogue_, .server = server_}};
  unsigned status_ = 200;
  std::string skills_ = R"({"ok":true,"skills":[]})";
  std::string target_;
};

TEST_F(CommandRoutesTest, HasTheCommandsOfTheLatestSessionInThatProject) {
  EXPECT_THAT(named(), IsEmpty());
  begin("ses_1", "proj_a",
        R"([{"name":"plan","description":"Makes a plan","input":{"hint":"what for"}},
            {"name":"plan"},{"name":""},{"name":"init","description":""}])");
  begin("ses_2", "proj_b", R"([{"name":"other"}])");
  EXPECT_THAT(named(), ElementsAre("plan command builtin", "init command builtin"));
  const auto first = ask("provider=scripted")->json()["commands"].items()[0];
  EXPECT_EQ(first["description"].asString(), "Makes a plan");
  EXPECT_EQ(first["argumentHint"].asString(), "what for");
  const auto second = ask("provider=scripted")->json()["commands"].items()[1];
  EXPECT_TRUE(second["description"].isNull());
  EXPECT_TRUE(second["argumentHint"].isNull());
  EXPECT_THAT(named("provider=scripted&hostId=host_a").size(), 2U);
  begin("ses_3", "proj_a", "[]");
  EXPECT_THAT(named(), IsEmpty());
}

TEST_F(CommandRoutesTest, HasTheSkillsThatTheAgentGetsThere) {
  begin("ses_1", "proj_a", R"([{"name":"review"}])");
  skills_ = R"({"ok":true,"skills":[
    {"name":"deploy","description":"Ships","scope":"svc-project","provider":null,"pluginId":null,"offered":true},
    {"name":"review","description":"","scope":"svc-user","provider":null,"pluginId":null,"offered":true},
    {"name":"hidden","description":"","scope":"svc-user","provider":null,"pluginId":null,"offered":false},
    {"name":"todo","description":"","scope":"plugin","provider":null,"pluginId":"todo","offered":true},
    {"name":"own","description":"","scope":"provider-user","provider":"scripted","pluginId":null,"offered":false},
    {"name":"foreign","description":"","scope":"provider-user","provider":"claude","pluginId":null,"offered":false}]})";
  EXPECT_THAT(named("provider=scripted&environmentId=env%201"),
              ElementsAre("review command builtin", "deploy skill project", "todo skill builtin",
                          "own skill user"));
  EXPECT_EQ(target_, "/api/v1/skills?projectId=proj_a&environmentId=env%201");
  const auto commands = ask("provider=scripted")->json()["commands"];
  EXPECT_EQ(commands.items()[2]["pluginId"].asString(), "todo");
  EXPECT_TRUE(commands.items()[1]["pluginId"].isNull());
}

TEST_F(CommandRoutesTest, SaysWhatIsWrong) {
  EXPECT_EQ(ask("")->errorCode(), "invalid_input");
  EXPECT_EQ(ask("provider=nobody")->errorCode(), "not_found");
  EXPECT_THAT(ask("provider=nobody")->json()["error"]["message"].asString(),
              HasSubstr("GET /providers"));
  status_ = 404;
  skills_ =
      R"({"ok":false,"error":{"code":"not_found","message":"there is no project \"proj_a\""}})";
  const auto answer = ask("provider=scripted");
  EXPECT_EQ(answer->status(), 404U);
  EXPECT_EQ(answer->errorCode(), "not_found");
}

TEST(AgentPromptTest, ASkillThatIsMeantIsNamed) {
  const auto input =
      Json::parse(R"([{"type":"text","text":"/deploy now","mentions":[{"start":0,"end":7,"resource":
        {"kind":"command","trigger":"/","name":"deploy","source":"skill","origin":"project"}}]}])")
          .value();
  const auto blocks = contentBlocks(input, {.cwd = "/work"});
  ASSERT_EQ(blocks.items().size(), 2U);
  EXPECT_EQ(blocks.items()[0]["text"].asString(), "/deploy now");
  EXPECT_THAT(blocks.items()[1]["text"].asString(), HasSubstr("\"/deploy\" asks for the skill"));
}

}  // namespace
}  // namespace svc::providers
