#include "content_routes.h"

#include "svc/common/codes.h"

#include "machine_fixture.h"

namespace svc::projects {
namespace {

using common::Json;
using ::testing::HasSubstr;

constexpr const char* kFiles = "GET /api/v1/projects/:projectId/files";
constexpr const char* kPaths = "GET /api/v1/projects/:projectId/paths";
constexpr const char* kContent = "GET /api/v1/projects/:projectId/file-content";
constexpr const char* kBranches = "GET /api/v1/projects/:projectId/branches";

class ContentRoutesTest : public MachineFixture {
 protected:
  ContentRoutesTest() { EXPECT_TRUE(routes_.attach(server_).ok()); }
  ContentRoutes routes_{workers_, *registry_, machines_};
};

TEST_F(ContentRoutesTest, FilesAreWhatGitLists) {
  const auto exchange = send(kFiles, create("shop"), "query=ma&limit=7");
  EXPECT_EQ(asked_.at(0).host_id, "host_a");
  EXPECT_EQ(
      command(0).dump(),
      R"({"limit":7,"query":"ma","includeFiles":true,"includeDirectories":false,"type":"git.paths","path":"/shop"})");
  answer(0, std::string(R"({"isGitRepo":true,"paths":[{"kind":"file","name":"m","path":"a/m",)"
                        R"("score":3,"positions":[0]}],"truncated":true})"));
  EXPECT_EQ(exchange->answer->body,
            R"({"ok":true,"files":[{"name":"m","path":"a/m"}],"truncated":true})");
}

TEST_F(ContentRoutesTest, InNoRepositoryTheFolderIsListed) {
  const auto exchange = send(kPaths, create("shop"), "includeDirectories=false");
  answer(0, std::string(R"({"isGitRepo":false})"));
  EXPECT_EQ(
      command(1).dump(),
      R"({"limit":100,"includeFiles":true,"includeDirectories":false,"type":"host.list-paths","path":"/shop","rootPath":"/shop"})");
  answer(1, std::string(R"({"paths":[],"truncated":false})"));
  EXPECT_EQ(exchange->answer->body, R"({"ok":true,"paths":[],"truncated":false})");
}

TEST_F(ContentRoutesTest, AFileIsReadBelowItsProjectOnly) {
  const auto id = create("shop");
  EXPECT_EQ(send(kContent, id)->status(), 400U);
  EXPECT_EQ(send(kContent, id, "path=/etc/passwd")->status(), 400U);
  EXPECT_TRUE(asked_.empty());
  const auto exchange = send(kContent, id, "path=../x");
  EXPECT_EQ(command(0).dump(), R"({"type":"host.read-file","path":"../x","rootPath":"/shop"})");
  answer(0, Error{errc::kForbidden, "outside of /shop"});
  EXPECT_EQ(exchange->status(), 403U);
  const auto read = send(kContent, id, "path=a");
  answer(1, std::string(R"({"path":"/shop/a","content":"x","contentEncoding":"utf8",)"
                        R"("sizeBytes":1,"mode":420})"));
  EXPECT_EQ(read->answer->body,
            R"({"ok":true,"content":"x","contentEncoding":"utf8","sizeBytes":1})");
}

TEST_F(ContentRoutesTest, BranchesTellTheRemoteOfTheProject) {
  const auto id = create("shop");
  const auto exchange = send(kBranches, id, "selectedBranch=main");
  EXPECT_EQ(command(0).dump(),
            R"({"limit":100,"selectedBranch":"main","type":"git.branches","path":"/shop"})");
  answer(0, std::string(R"({"branches":["main"]})"));
  EXPECT_EQ(exchange->answer->body, R"({"ok":true,"branches":["main"]})");
  EXPECT_EQ(command(1)["type"].asString(), "git.remote");
  answer(1, std::string(R"({"isGitRepo":true,"remoteUrl":"https://example.org/shop.git"})"));
  EXPECT_EQ(registry_->record(id).value()["gitRemoteUrl"].asString(),
            "https://example.org/shop.git");
}

TEST_F(ContentRoutesTest, WhereIsChosenByMachineOrEnvironment) {
  const auto id = create("shop");
  EXPECT_TRUE(registry_->addSource(id, {"host_b", "/other"}).ok());
  (void)send(kFiles, id, "hostId=host_b");
  EXPECT_EQ(asked_.at(0).host_id, "host_b");
  EXPECT_EQ(send(kFiles, id, "hostId=host_c")->status(), 400U);
  EXPECT_EQ(send(kFiles, id, "environmentId=env_a")->status(), 501U);
  const auto given = registry_->useEnvironments(
      [](const std::string& project_id, const std::string& environment_id) -> Result<WorkPlace> {
        return WorkPlace{"host_e", "/" + project_id + "/" + environment_id};
      });
  (void)send(kFiles, id, "environmentId=env_a");
  EXPECT_EQ(asked_.at(1).host_id, "host_e");
  EXPECT_EQ(command(1)["path"].asString(), "/" + id + "/env_a");
}

TEST_F(ContentRoutesTest, WhatIsAskedWronglyReachesNoMachine) {
  const auto id = create("shop");
  for (const char* query : {"limit=0", "limit=x", "limit=5001", "limit=-1"}) {
    EXPECT_EQ(send(kFiles, id, query)->status(), 400U) << query;
  }
  EXPECT_EQ(send(kPaths, id, "includeFiles=maybe")->status(), 400U);
  EXPECT_EQ(send(kBranches, id, "limit=1001")->status(), 400U);
  EXPECT_EQ(send(kFiles, "proj_x")->status(), 404U);
  EXPECT_EQ(send(kFiles, std::string(kPersonalProject))->status(), 400U);
  EXPECT_TRUE(asked_.empty());
}

TEST_F(ContentRoutesTest, AMachineThatIsGoneIsNamedAsSuch) {
  const auto exchange = send(kFiles, create("shop"));
  answer(0, Error{errc::kHostUnavailable, "host_a is not connected"});
  EXPECT_EQ(exchange->errorCode(), "host_unavailable");
  const auto other = send(kFiles, create("b"));
  answer(1, Error{errc::kUnavailable, "there is no git on this machine"});
  EXPECT_EQ(other->errorCode(), "host_error");
  EXPECT_THAT(other->answer->body, HasSubstr("there is no git"));
}

}  // namespace
}  // namespace svc::projects
