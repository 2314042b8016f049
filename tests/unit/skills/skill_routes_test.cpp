#include "skill_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/skillfiles/tree_transfer.h"

#include "fakes/fake_executor.h"
#include "fakes/inline_workers.h"
#include "mocks/mock_host_registry.h"
#include "mocks/recorded_exchange.h"
#include "skill_folders.h"

namespace svc::skills {
namespace {

using common::Json;
using svc::test::FakeMainExecutor;
using svc::test::InlineBulkWorkers;
using svc::test::InlineWorkers;
using svc::test::RecordedExchange;
using svc::test::RecordedRoutes;
using ::testing::Return;
using ::testing::StrictMock;

class SkillRoutesTest : public ::testing::Test {
 protected:
  SkillRoutesTest() {
    folders_.add("data/skills", "mine", "text");
    folders_.write("data/skills/mine/logo.bin", "\xff\xfe");
    shelf_->setPlugins({folders_.ofPlugin("todo", "todos")});
    main_.runAll();
    EXPECT_TRUE(routes_.attach(server_));
  }

  std::shared_ptr<RecordedExchange> call(
      const std::string& route, const std::string& query, const std::string& body = {},
      std::vector<http::Header> headers = {},
      std::vector<std::pair<std::string, std::string>> parameters = {}) {
    auto exchange =
        std::make_shared<RecordedExchange>(http::Request{.method = route.substr(0, route.find(' ')),
                                                         .target = {},
                                                         .path = {},
                                                         .query = query,
                                                         .headers = std::move(headers),
                                                         .path_parameters = std::move(parameters),
                                                         .body = body,
                                                         .request_id = {},
                                                         .peer_address = {}});
    server_.call(route, exchange);
    main_.runAll();
    return exchange;
  }
  Json content(const std::string& path) {
    return call("GET /api/v1/skills/content",
                "projectId=proj_personal&skillId=svc-user%3Amine&path=" + path)
        ->json();
  }

  SkillFolders folders_;
  FakeMainExecutor main_;
  InlineWorkers workers_;
  InlineBulkWorkers bulk_;
  std::shared_ptr<SkillShelf> shelf_ = std::make_shared<SkillShelf>(
      SkillShelf::Collaborators{main_, workers_, bulk_}, folders_.roots());
  StrictMock<machines::MockHostRegistry> hosts_;
  RecordedRoutes server_;
  SkillRoutes routes_{{main_, workers_, shelf_, &hosts_}};
};

TEST_F(SkillRoutesTest, ListsTheRecordsOfTheContract) {
  folders_.write("data/skills/broken/SKILL.md", "");
  const auto json = call("GET /api/v1/skills", "projectId=proj_personal")->json();
  ASSERT_EQ(json["skills"].items().size(), 2U);
  const auto& skill = json["skills"].items()[1];
  EXPECT_EQ(skill["id"].asString(), "plugin:todo:todos");
  EXPECT_EQ(skill["name"].asString(), "todos");
  EXPECT_EQ(skill["description"].asString(), "About todos");
  EXPECT_EQ(skill["filePath"].asString(),
            (folders_.path() / "plugins/todo/todos/SKILL.md").string());
  EXPECT_EQ(skill["scope"].asString(), "plugin");
  EXPECT_TRUE(skill["provider"].isNull());
  EXPECT_EQ(skill["pluginId"].asString(), "todo");
  EXPECT_NE(skill.find("registrySkillId"), nullptr);
  EXPECT_FALSE(skill["manageable"].asBool(true));
  EXPECT_TRUE(json["skills"].items()[0]["manageable"].asBool());
  EXPECT_EQ(json["problems"].items().size(), 1U);
  EXPECT_EQ(json["catalogHash"].asString(), shelf_->current()->hash);
}

TEST_F(SkillRoutesTest, AProjectThatNobodyKnowsIsNotFound) {
  EXPECT_EQ(call("GET /api/v1/skills", "projectId=proj_1")->status(), 404U);
}

TEST_F(SkillRoutesTest, ListsFiles) {
  const auto json = call("GET /api/v1/skills/files", "skillId=svc-user:mine")->json();
  EXPECT_EQ(json["files"].dump(), R"(["SKILL.md","logo.bin"])");
  EXPECT_FALSE(json["truncated"].asBool(true));
  EXPECT_EQ(call("GET /api/v1/skills/files", "skillId=svc-user:none")->status(), 404U);
  EXPECT_EQ(call("GET /api/v1/skills/files", "")->errorCode(), "invalid_input");
}

TEST_F(SkillRoutesTest, AnswersTextWithItsRevision) {
  const auto json = content("SKILL.md");
  EXPECT_EQ(json["content"].asString(), SkillFolders::skillText("mine", "text"));
  EXPECT_EQ(json["revision"].asString(), skillfiles::digestOf(json["content"].asString()));
  EXPECT_EQ(content("../secret")["error"]["code"].asString(), "not_found");
  EXPECT_EQ(content("logo.bin")["error"]["code"].asString(), "invalid_argument");
  EXPECT_EQ(content("")["error"]["code"].asString(), "invalid_input");
}

TEST_F(SkillRoutesTest, UpdatesAtTheRevisionThatWasRead) {
  const auto update = [&](const std::string& revision) {
    return call("PUT /api/v1/skills", "",
                Json::object()
                    .set("projectId", "proj_personal")
                    .set("environmentId", Json())
                    .set("skillId", "svc-user:mine")
                    .set("content", SkillFolders::skillText("mine", "new"))
                    .set("revision", revision)
                    .dump());
  };
  const auto before = content("SKILL.md")["revision"].asString();
  const auto saved = update(before);
  EXPECT_EQ(saved->status(), 200U);
  EXPECT_EQ(saved->json()["filePath"].asString(),
            (folders_.data() / "skills/mine/SKILL.md").string());
  EXPECT_EQ(content("SKILL.md")["revision"].asString(), saved->json()["revision"].asString());
  const auto late = update(before);
  EXPECT_EQ(late->status(), 409U);
  EXPECT_EQ(late->json()["error"]["details"]["revision"].asString(),
            saved->json()["revision"].asString());
}

TEST_F(SkillRoutesTest, ABodyThatIsWrongNamesWhat) {
  const auto answer = call("PUT /api/v1/skills", "", R"({"skillId":1,"content":"x","more":true})");
  EXPECT_EQ(answer->errorCode(), "invalid_input");
  EXPECT_EQ(answer->json()["error"]["issues"].items().size(), 2U) << "what is unknown is ignored";
  EXPECT_EQ(call("PUT /api/v1/skills", "", "{")->errorCode(), "invalid_json");
}

TEST_F(SkillRoutesTest, RemovesAndForgets) {
  const auto removed =
      call("DELETE /api/v1/skills", "",
           R"({"projectId":"proj_personal","environmentId":null,"skillId":"svc-user:mine"})");
  EXPECT_EQ(removed->json()["deletedPath"].asString(), (folders_.data() / "skills/mine").string());
  EXPECT_EQ(shelf_->current()->find("svc-user:mine"), nullptr);
  EXPECT_EQ(call("DELETE /api/v1/skills", "", R"({"skillId":"plugin:todo:todos"})")->status(),
            403U);
  for (const auto* body : {"", "{}", R"({"skillId":7})"}) {
    EXPECT_EQ(call("DELETE /api/v1/skills", "skillId=plugin:todo:todos", body)->errorCode(),
              "invalid_input")
        << body;
  }
}

TEST_F(SkillRoutesTest, GivesAWholeTreeByItsDigest) {
  const auto& tree = shelf_->current()->find("svc-user:mine")->tree;
  const auto answer = call("GET /api/v1/skills/tree/:hash", "", "", {}, {{"hash", tree.digest}});
  const auto unpacked = skillfiles::unpackTree(answer->json());
  ASSERT_TRUE(unpacked) << unpacked.error().message;
  EXPECT_EQ(unpacked.value().tree.digest, tree.digest);
  EXPECT_EQ(call("GET /api/v1/skills/tree/:hash", "", "", {}, {{"hash", "none"}})->status(), 404U);
  folders_.write("data/skills/mine/logo.bin", "changed");
  EXPECT_EQ(call("GET /api/v1/skills/tree/:hash", "", "", {}, {{"hash", tree.digest}})->status(),
            409U);
}

TEST_F(SkillRoutesTest, MachinesGetTreesWithTheirKey) {
  const auto digest = shelf_->current()->find("svc-user:mine")->tree.digest;
  constexpr auto kRoute = "GET /internal/skills/tree/:hash";
  EXPECT_EQ(call(kRoute, "", "", {}, {{"hash", digest}})->status(), 401U);
  EXPECT_CALL(hosts_, authenticate(std::string_view("key")))
      .WillOnce(Return(Result<std::string>(std::string("host"))));
  EXPECT_EQ(call(kRoute, "", "", {{"Authorization", "Bearer key"}}, {{"hash", digest}})->status(),
            200U);
}

TEST_F(SkillRoutesTest, GuardsWhatClientsCall) {
  for (const auto* route : {"GET /api/v1/skills", "PUT /api/v1/skills", "DELETE /api/v1/skills",
                            "GET /api/v1/skills/files", "GET /api/v1/skills/content",
                            "GET /api/v1/skills/tree/:hash"}) {
    EXPECT_EQ(server_.routeOf(route).guard, http::Guard::kLocal) << route;
  }
}

}  // namespace
}  // namespace svc::skills
