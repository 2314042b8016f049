#include "project_routes.h"

#include "svc/common/codes.h"

#include "fixture.h"
#include "mocks/mock_host_commands.h"
#include "mocks/recorded_exchange.h"

namespace svc::projects {
namespace {

using common::Json;
using svc::test::RecordedExchange;
using ::testing::_;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kList = "GET /api/v1/projects";
constexpr const char* kCreate = "POST /api/v1/projects";
constexpr const char* kShow = "GET /api/v1/projects/:projectId";
constexpr const char* kUpdate = "PATCH /api/v1/projects/:projectId";
constexpr const char* kRemove = "DELETE /api/v1/projects/:projectId";
constexpr const char* kReorder = "POST /api/v1/projects/reorder";
constexpr const char* kAdd = "POST /api/v1/projects/:projectId/sources";
constexpr const char* kEdit = "PATCH /api/v1/projects/:projectId/sources/:sourceId";
constexpr const char* kDrop = "DELETE /api/v1/projects/:projectId/sources/:sourceId";

class ProjectRoutesTest : public ProjectsFixture {
 protected:
  ProjectRoutesTest() { EXPECT_TRUE(routes_.attach(server_).ok()); }

  std::shared_ptr<RecordedExchange> send(const std::string& route, std::string body = {},
                                         const std::string& project_id = {},
                                         const std::string& source_id = {},
                                         std::string query = {}) {
    http::Request request;
    request.body = std::move(body);
    request.query = std::move(query);
    request.path_parameters = {{"projectId", project_id}, {"sourceId", source_id}};
    auto exchange = std::make_shared<RecordedExchange>(std::move(request));
    server_.call(route, exchange);
    return exchange;
  }
  /// The machine has every folder, under the name it is asked with.
  void machineHasAll() {
    EXPECT_CALL(commands_, send("host_a", _, _, _))
        .WillRepeatedly([](const std::string&, const std::string& command,
                           std::chrono::milliseconds, Completion<std::string> done) {
          done(Json::object().set("directory", Json::parse(command).value()["path"]).dump());
        });
  }
  static std::string issues(const RecordedExchange& exchange) {
    return exchange.json()["error"]["issues"].dump();
  }

  ::testing::StrictMock<hosts::MockHostCommands> commands_;
  svc::test::InlineWorkers workers_;
  svc::test::RecordedRoutes server_;
  PlaceCheck places_{&commands_};
  MachineCommands machines_{&commands_};
  CloneRoutes clones_{
      {.workers = workers_, .registry = *registry_, .machines = machines_, .clock = clock_}};
  ProjectRoutes routes_{workers_, *registry_, places_, clones_};
};

TEST_F(ProjectRoutesTest, AreLocal) {
  EXPECT_EQ(server_.routeCount(), 10U);
  for (const char* key : {kList, kCreate, kReorder, kRemove, kDrop}) {
    EXPECT_EQ(server_.routeOf(key).guard, http::Guard::kLocal) << key;
  }
}

TEST_F(ProjectRoutesTest, ListsWithoutThePersonalProjectUnlessAsked) {
  const auto id = create("a");
  EXPECT_EQ(send(kList)->json()["projects"].items().size(), 1U);
  const auto all = send(kList, {}, {}, {}, "includePersonal=true")->json()["projects"];
  ASSERT_EQ(all.items().size(), 2U);
  EXPECT_EQ(all.items()[0]["id"].asString(), kPersonalProject);
  EXPECT_EQ(all.items()[1]["id"].asString(), id);
  EXPECT_EQ(send(kList, {}, {}, {}, "includePersonal=maybe")->status(), 400U);
}

TEST_F(ProjectRoutesTest, ThreadsAreThoseOfTheirRoutes) {
  create("a");
  EXPECT_CALL(server_, serves("GET", "/api/v1/threads")).WillOnce(::testing::Return(true));
  std::vector<std::string> asked;
  ON_CALL(server_, dispatch(_, _, _))
      .WillByDefault([&asked](const http::Request& request, const std::stop_token&,
                              Completion<http::Response> done) {
        asked.push_back(request.target);
        http::Response response;
        response.body =
            R"({"ok":true,"threads":[{"id":"thr_)" + std::to_string(asked.size()) + R"("}]})";
        done(std::move(response));
      });
  const auto with_threads =
      send(kList, {}, {}, {}, "include=threads&includePersonal=true")->json()["projects"];
  ASSERT_EQ(asked.size(), with_threads.items().size());
  ASSERT_GE(asked.size(), 2U);
  EXPECT_EQ(asked[0], "/api/v1/threads?projectId=" + with_threads.items()[0]["id"].asString());
  EXPECT_EQ(with_threads.items()[1]["threads"].items()[0]["id"].asString(), "thr_2");
  EXPECT_TRUE(with_threads.items()[1]["defaultExecutionOptions"].isNull());
}

TEST_F(ProjectRoutesTest, ThreadsAreNotPretended) {
  EXPECT_EQ(send(kList, {}, {}, {}, "include=threads")->status(), 501U);
  EXPECT_EQ(send(kList, {}, {}, {}, "include=sources")->status(), 400U);
  const auto id = create("a");
  const auto options = send("GET /api/v1/projects/:projectId/default-execution-options", {}, id);
  EXPECT_EQ(options->answer->body, R"({"ok":true,"options":null})");
  EXPECT_EQ(
      send("GET /api/v1/projects/:projectId/default-execution-options", {}, "proj_x")->status(),
      404U);
}

TEST_F(ProjectRoutesTest, CreatesWhatTheMachineHas) {
  EXPECT_CALL(commands_, send("host_a", HasSubstr(R"("path":"~/shop")"), _, _))
      .WillOnce([](const std::string&, const std::string&, std::chrono::milliseconds,
                   Completion<std::string> done) {
        done(std::string(R"({"directory":"/home/ada/shop"})"));
      });
  const auto made = send(
      kCreate,
      R"({"name":"  Shop ","source":{"type":"local_path","hostId":"host_a","path":"~/shop"},"more":1})");
  ASSERT_EQ(made->status(), 201U) << made->answer->body;
  const auto project = made->json()["project"];
  EXPECT_EQ(project["name"].asString(), "Shop");
  EXPECT_EQ(project["sources"].items().at(0)["path"].asString(), "/home/ada/shop");
  EXPECT_EQ(send(kShow, {}, project["id"].asString())->json()["project"].dump(), project.dump());
}

TEST_F(ProjectRoutesTest, AFolderThatIsNotThereCreatesNothing) {
  EXPECT_CALL(commands_, send)
      .WillOnce([](const std::string&, const std::string&, std::chrono::milliseconds,
                   Completion<std::string> done) {
        done(Error{errc::kNotFound, "/x does not exist"});
      });
  const auto refused =
      send(kCreate, R"({"name":"a","source":{"type":"local_path","hostId":"host_a","path":"/x"}})");
  EXPECT_EQ(refused->status(), 404U);
  EXPECT_THAT(refused->answer->body, HasSubstr("/x does not exist"));
  EXPECT_THAT(names(), ElementsAre("Personal"));
}

TEST_F(ProjectRoutesTest, NamesEveryIssueOfANewProject) {
  const auto refused = send(kCreate, R"({"name":" ","source":{"type":"svn","path":"relative"}})");
  EXPECT_EQ(refused->status(), 400U);
  EXPECT_EQ(refused->errorCode(), "invalid_input");
  for (const char* part : {R"(["name"])", R"(["source","type"])", R"(["source","hostId"])",
                           R"(["source","path"])", "begin it with /"}) {
    EXPECT_THAT(issues(*refused), HasSubstr(part));
  }
}

TEST_F(ProjectRoutesTest, RefusesWhatIsNoProject) {
  const std::string place = R"({"type":"local_path","hostId":"host_a","path":"/x"})";
  const auto named = [&](const Json& name) {
    return Json::object().set("name", name).set("source", Json::parse(place).value()).dump();
  };
  const auto at = [](const Json& path) {
    return Json::object()
        .set("name", "a")
        .set("source",
             Json::object().set("type", "local_path").set("hostId", "host_a").set("path", path))
        .dump();
  };
  for (const auto& body : {named("a\nb"),
                           named(std::string("a\0b", 3)),
                           named("a\xC2\x9Bz"),
                           named("a\xE2\x80\xAEz"),
                           named("a\x7f"),
                           named(std::string(201, 'x')),
                           named(7),
                           named(nullptr),
                           at(""),
                           at("relative"),
                           at(std::string("/a\0b", 4)),
                           at("/a\nb"),
                           at("/" + std::string(5000, 'x')),
                           at(7),
                           at("~ada/x"),
                           std::string(R"({"name":"a"})"),
                           std::string(R"({"name":"a","source":[]})"),
                           std::string(R"({"name":"a","source":null})"),
                           std::string("[]"),
                           std::string("7"),
                           std::string()}) {
    const auto refused = send(kCreate, body);
    EXPECT_EQ(refused->status(), 400U) << body;
    EXPECT_EQ(refused->errorCode(), "invalid_input") << body;
  }
  EXPECT_EQ(send(kCreate, "{")->errorCode(), "invalid_json");
  EXPECT_THAT(names(), ElementsAre("Personal"));
}

TEST_F(ProjectRoutesTest, LimitsOfNamesCountCharacters) {
  const auto id = create("a");
  std::string name;
  for (int count = 0; count < 200; ++count) {
    name += "ö";
  }
  EXPECT_EQ(send(kUpdate, Json::object().set("name", name).dump(), id)->status(), 200U);
  const auto refused = send(kUpdate, Json::object().set("name", name + "x").dump(), id);
  EXPECT_THAT(refused->answer->body, ::testing::AllOf(HasSubstr("200"), HasSubstr("201")));
}

TEST_F(ProjectRoutesTest, UpdatesAndRemoves) {
  const auto id = create("a");
  EXPECT_EQ(send(kUpdate, R"({"name":"b"})", id)->json()["project"]["name"].asString(), "b");
  EXPECT_EQ(send(kUpdate, "{}", id)->json()["project"]["name"].asString(), "b");
  EXPECT_EQ(send(kUpdate, R"({"name":null})", id)->status(), 400U);
  EXPECT_EQ(send(kUpdate, R"({"name":"a\u202ez"})", id)->status(), 400U);
  EXPECT_EQ(send(kUpdate, R"({"name":"b"})", "proj_x")->status(), 404U);
  EXPECT_EQ(send(kRemove, {}, id)->answer->body, R"({"ok":true})");
  EXPECT_EQ(send(kRemove, {}, id)->status(), 404U);
}

TEST_F(ProjectRoutesTest, ThePersonalProjectIsAConflict) {
  const std::string id(kPersonalProject);
  for (const auto& answer :
       {send(kUpdate, R"({"name":"b"})", id), send(kUpdate, "{}", id), send(kRemove, {}, id),
        send(kAdd, R"({"type":"local_path","hostId":"host_a","path":"/x"})", id),
        send(kReorder, R"({"projectId":"proj_personal"})")}) {
    EXPECT_EQ(answer->status(), 409U) << answer->answer->body;
  }
}

TEST_F(ProjectRoutesTest, Reorders) {
  const auto a = create("a");
  const auto b = create("b");
  const auto moved =
      send(kReorder,
           R"({"projectId":")" + b + R"(","previousProjectId":null,"nextProjectId":")" + a + "\"}");
  EXPECT_EQ(moved->json()["projects"].items().at(0)["id"].asString(), b);
  EXPECT_EQ(send(kReorder, R"({"projectId":")" + b + "\"}")->status(), 409U);
  EXPECT_EQ(send(kReorder, R"({"projectId":7,"nextProjectId":1})")->status(), 400U);
  EXPECT_EQ(send(kReorder, "{}")->status(), 400U);
}

TEST_F(ProjectRoutesTest, SourcesAreAddedChangedAndRemoved) {
  machineHasAll();
  const auto id = create("a");
  clock_.advance(std::chrono::milliseconds(1));
  const auto added = send(kAdd, R"({"type":"local_path","hostId":"host_a","path":"/b"})", id);
  ASSERT_EQ(added->status(), 201U);
  const auto source = added->json()["source"]["id"].asString();
  const auto changed =
      send(kEdit, R"({"type":"local_path","path":"/c","isDefault":true})", id, source);
  EXPECT_EQ(changed->status(), 200U);
  EXPECT_THAT(paths(id), ElementsAre("/a", "/c*"));
  EXPECT_EQ(send(kEdit, R"({"isDefault":true})", id, source)->status(), 200U);
  EXPECT_EQ(send(kEdit, R"({"path":"/a"})", id, source)->status(), 409U);
  EXPECT_EQ(send(kDrop, {}, id, source)->status(), 200U);
  EXPECT_EQ(send(kDrop, {}, id, registry_->find(id)->sources.front().id)->status(), 409U);
}

TEST_F(ProjectRoutesTest, RefusesWhatIsNoSource) {
  const auto id = create("a");
  const auto source = registry_->find(id)->sources.front().id;
  for (const char* body :
       {"{}", R"({"type":"local_path"})", R"({"type":7,"hostId":"h","path":"/x"})",
        R"({"type":"local_path","hostId":"h","path":"x"})"}) {
    EXPECT_EQ(send(kAdd, body, id)->status(), 400U) << body;
  }
  EXPECT_EQ(send(kAdd, R"({"type":"clone","hostId":"host_a"})", id)->status(), 400U);
  for (const char* body : {R"({"isDefault":false})", R"({"isDefault":"yes"})", R"({"path":"x"})",
                           R"({"path":7})", R"({"type":"clone"})"}) {
    EXPECT_EQ(send(kEdit, body, id, source)->status(), 400U) << body;
  }
  EXPECT_EQ(send(kEdit, "{}", id, "src_x")->status(), 404U);
  EXPECT_EQ(send(kAdd, R"({"type":"local_path","hostId":"h","path":"/x"})", "proj_x")->status(),
            404U);
}

TEST_F(ProjectRoutesTest, NoWorkerIsOverload) {
  machineHasAll();
  const auto id = create("a");
  workers_.full = true;
  for (const auto& answer :
       {send(kCreate,
             R"({"name":"b","source":{"type":"local_path","hostId":"host_a","path":"/b"}})"),
        send(kUpdate, R"({"name":"b"})", id), send(kRemove, {}, id),
        send(kReorder, R"({"projectId":"x"})")}) {
    EXPECT_EQ(answer->status(), 503U);
  }
  EXPECT_THAT(names(), ElementsAre("Personal", "a"));
}

}  // namespace
}  // namespace svc::projects
