#include "clone_routes.h"

#include "svc/common/codes.h"

#include "machine_fixture.h"

namespace svc::projects {
namespace {

using svc::test::RecordedExchange;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kClones = "GET /api/v1/projects/:projectId/clones";
constexpr const char* kCancelClone = "DELETE /api/v1/projects/:projectId/clones/:cloneId";
constexpr const char* kUrl = "https://example.org/shop.git";

class CloneRoutesTest : public MachineFixture {
 protected:
  CloneRoutesTest() { EXPECT_TRUE(routes_.attach(server_).ok()); }

  std::shared_ptr<RecordedExchange> begin(const std::string& project_id, std::string body) {
    http::Request request;
    request.body = std::move(body);
    request.path_parameters = {{"projectId", project_id}};
    auto exchange = std::make_shared<RecordedExchange>(std::move(request));
    routes_.begin(exchange);
    return exchange;
  }
  std::shared_ptr<RecordedExchange> beginTo(const std::string& project_id,
                                            const std::string& path) {
    return begin(project_id, common::Json::object()
                                 .set("type", "clone")
                                 .set("hostId", "host_b")
                                 .set("remoteUrl", kUrl)
                                 .set("targetPath", path)
                                 .dump());
  }

  CloneRoutes routes_{
      {.workers = workers_, .registry = *registry_, .machines = machines_, .clock = clock_}};
};

TEST_F(CloneRoutesTest, TheSourceIsThereWhenTheCloneIs) {
  const auto id = create("shop");
  const auto exchange = beginTo(id, "/new");
  EXPECT_EQ(asked_.at(0).host_id, "host_b");
  EXPECT_EQ(command(0)["type"].asString(), "git.clone");
  EXPECT_EQ(command(0)["remoteUrl"].asString(), kUrl);
  EXPECT_EQ(exchange->status(), 0U);
  EXPECT_THAT(paths(id), ElementsAre("/shop*"));
  answer(0, std::string(R"({"path":"/new"})"));
  EXPECT_EQ(exchange->status(), 201U);
  EXPECT_EQ(exchange->json()["source"]["path"].asString(), "/new");
  EXPECT_THAT(paths(id), ::testing::UnorderedElementsAre("/shop*", "/new"));
}

TEST_F(CloneRoutesTest, AFailureSaysWhyAndAddsNothing) {
  const auto id = create("shop");
  const auto exchange = beginTo(id, "/new");
  answer(0, Error{errc::kConflict, "Repository not found"});
  EXPECT_EQ(exchange->status(), 409U);
  EXPECT_THAT(exchange->answer->body, HasSubstr("Repository not found"));
  EXPECT_THAT(paths(id), ElementsAre("/shop*"));
  EXPECT_TRUE(send(kClones, id)->json()["clones"].items().empty());
}

TEST_F(CloneRoutesTest, HowFarItIsAndItsEndAreOfTheMachine) {
  const auto id = create("shop");
  const auto exchange = beginTo(id, "/new");
  const auto list = send(kClones, id);
  answer(1, std::string(R"({"running":true,"progress":"Receiving objects: 42%"})"));
  const auto clone = list->json()["clones"].items().at(0);
  EXPECT_EQ(clone["progress"].asString(), "Receiving objects: 42%");
  EXPECT_EQ(clone["path"].asString(), "/new");
  EXPECT_EQ(send(kCancelClone, id, {}, "clone_x")->status(), 404U);
  const auto cancel = send(kCancelClone, id, {}, clone["id"].asString());
  EXPECT_EQ(command(2)["type"].asString(), "git.clone-cancel");
  EXPECT_EQ(command(2)["cloneId"].asString(), command(0)["cloneId"].asString());
  answer(2, std::string(R"({"cancelled":true})"));
  EXPECT_EQ(cancel->status(), 200U);
  answer(0, Error{errc::kAborted, "the clone was cancelled"});
  EXPECT_EQ(exchange->errorCode(), "aborted");
}

TEST_F(CloneRoutesTest, OneCloneAtATimeGoesToAFolder) {
  const auto id = create("shop");
  const auto first = beginTo(id, "/new");
  EXPECT_EQ(beginTo(id, "/new")->status(), 409U);
  EXPECT_EQ(asked_.size(), 1U);
}

TEST_F(CloneRoutesTest, WhatIsMissingIsKnownOrAskedFor) {
  const auto id = create("shop");
  EXPECT_EQ(begin(id, R"({"type":"clone","hostId":"host_b","targetPath":"/n"})")->status(), 400U);
  EXPECT_EQ(begin(id, R"({"type":"clone","targetPath":"~/n","remoteUrl":"x"})")->status(), 400U);
  ASSERT_TRUE(registry_->noteGitRemote(id, kUrl).ok());
  ON_CALL(server_, serves).WillByDefault(::testing::Return(true));
  EXPECT_CALL(server_, dispatch)
      .WillOnce([](const http::Request& request, const std::stop_token&,
                   Completion<http::Response> done) {
        EXPECT_THAT(request.target,
                    HasSubstr("/api/v1/hosts/host_b/clone-default-path?projectId="));
        done(http::Response{.body = R"({"ok":true,"path":"/home/ada/shop"})"});
      });
  const auto exchange = begin(id, R"({"type":"clone","hostId":"host_b"})");
  EXPECT_EQ(command(0)["path"].asString(), "/home/ada/shop");
  EXPECT_EQ(command(0)["remoteUrl"].asString(), kUrl);
}

}  // namespace
}  // namespace svc::projects
