#include "git_commands.h"

#include <future>

#include "svc/common/codes.h"

#include "fakes/inline_workers.h"
#include "fixture.h"
#include "unit/hostworkers/fake_link.h"

namespace svc::worktrees {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class GitCommandsTest : public RepositoryTest {
 protected:
  GitCommandsTest()
      : commands_(workers_, jobs_, leftovers_, own_, base::PathBounds(directory_.path().string())) {
    commands_.attach(link_);
  }

  Result<std::string> ask(const std::string& type, const Json& command) {
    std::promise<Result<std::string>> answer;
    link_.handlers.at(type)(command.dump(),
                            [&](Result<std::string> result) { answer.set_value(result); });
    return answer.get_future().get();
  }
  Json answered(const std::string& type, const Json& command) {
    const auto answer = ask(type, command);
    EXPECT_TRUE(answer.ok()) << type << ": " << answer.error().message;
    return answer ? Json::parse(answer.value()).value() : Json();
  }
  [[nodiscard]] Json here() const { return Json::object().set("path", repo().string()); }

  svc::test::InlineBulkWorkers workers_;
  hostworkers::FakeLink link_;
  Leftovers leftovers_{directory_.path() / "data"};
  LongJobs jobs_;
  GitCommands commands_;
};

TEST_F(GitCommandsTest, EveryCommandIsAnswered) {
  begin();
  write("a", "changed\n");
  const auto target = Json::object().set("type", "uncommitted");
  EXPECT_EQ(answered("git.status", here())["outcome"].asString(), "available");
  EXPECT_TRUE(answered("git.diff", here().set("target", target))["diff"]["diff"].isString());
  EXPECT_EQ(answered("git.diff-files", here().set("target", target))["files"].items().size(), 1U);
  EXPECT_EQ(answered("git.diff-patch",
                     here().set("target", target).set("paths", Json::array()))["patches"]
                .items()
                .size(),
            0U);
  EXPECT_EQ(answered("git.diff-file", here().set("filePath", "a").set("side", "new"))["content"]
                .asString(),
            "changed\n");
  EXPECT_EQ(answered("git.branches", here())["branches"].items().size(), 1U);
  EXPECT_TRUE(answered("git.remote", here())["remoteUrl"].isNull());
  EXPECT_TRUE(answered("git.paths", here())["isGitRepo"].asBool());
  EXPECT_EQ(answered("git.pull-request", here())["outcome"].asString(), "absent");
  EXPECT_EQ(answered("git.commit", here().set("message", "m"))["commitSubject"].asString(), "m");
  EXPECT_EQ(
      answered("git.checkout", here().set("branchName", "b").set("isNew", true))["checkout"]["kind"]
          .asString(),
      "branch");
  const auto target_path = (directory_.path() / "copy").string();
  EXPECT_EQ(answered("git.clone", Json::object()
                                      .set("cloneId", "c")
                                      .set("remoteUrl", repo().string())
                                      .set("path", target_path))["path"]
                .asString(),
            target_path);
  EXPECT_FALSE(answered("git.clone-state", Json::object().set("cloneId", "c"))["running"].asBool());
  EXPECT_FALSE(
      answered("git.clone-cancel", Json::object().set("cloneId", "c"))["cancelled"].asBool(true));
}

TEST_F(GitCommandsTest, WhatIsOutsideOfTheRootsIsNotReached) {
  begin();
  const auto allowed = directory_.path() / "allowed";
  std::filesystem::create_directories(allowed);
  hostworkers::FakeLink link;
  GitCommands confined(workers_, jobs_, leftovers_, own_,
                       base::PathBounds("/", {allowed.string()}));
  confined.attach(link);
  const auto codeOf = [&](const std::string& type, const Json& command) {
    std::string code;
    link.handlers.at(type)(command.dump(), [&](const Result<std::string>& result) {
      code = result ? result.value() : std::string(result.error().code.name());
    });
    return code;
  };
  for (const auto* type : {"git.branches", "git.remote", "git.paths"}) {
    EXPECT_EQ(codeOf(type, here()), errc::kForbidden.name()) << type;
  }
  EXPECT_EQ(codeOf("git.commit", here().set("message", "m")), errc::kForbidden.name());
  EXPECT_NE(codeOf("git.status", here()).find("permission_denied"), std::string::npos);
  const auto clone = [&](const std::filesystem::path& from, const std::filesystem::path& to) {
    return codeOf("git.clone", Json::object()
                                   .set("cloneId", "c")
                                   .set("remoteUrl", from.string())
                                   .set("path", to.string()));
  };
  EXPECT_EQ(clone("https://127.0.0.1:1/x", directory_.path() / "copy"), errc::kForbidden.name());
  EXPECT_EQ(clone(repo(), allowed / "copy"), errc::kForbidden.name());
  EXPECT_EQ(clone("file://" + repo().string(), allowed / "copy"), errc::kForbidden.name());
}

TEST_F(GitCommandsTest, AFolderWithoutARepositoryIsAnAnswer) {
  const auto status = answered("git.status", here());
  EXPECT_EQ(status["outcome"].asString(), "unavailable");
  EXPECT_EQ(status["failure"]["code"].asString(), "not_git_repo");
  EXPECT_FALSE(answered("git.paths", here())["isGitRepo"].asBool(true));
  EXPECT_FALSE(answered("git.remote", here())["isGitRepo"].asBool(true));
  EXPECT_EQ(answered("git.branches", here())["checkout"]["kind"].asString(), "unknown");
  const auto gone = Json::object().set("path", (repo() / "gone").string());
  EXPECT_EQ(answered("git.diff", gone)["failure"]["code"].asString(), "path_not_found");
}

TEST_F(GitCommandsTest, WhatIsWrongWithARepositoryIsSaidInGitsWords) {
  begin();
  const auto failure = [&](const std::filesystem::path& folder) {
    const auto command = Json::object().set("path", folder.string());
    const auto told = answered("git.status", command)["failure"];
    return told["code"].asString() + ": " + told["message"].asString();
  };
  git({"clone", "--quiet", "--bare", repo().string(), (directory_.path() / "bare").string()});
  EXPECT_THAT(failure(directory_.path() / "bare"),
              AllOf(HasSubstr("not_git_repo"), HasSubstr("without a working tree")));
  git({"config", "core.repositoryFormatVersion", "1"});
  git({"config", "extensions.unheardOf", "true"});
  EXPECT_THAT(failure(repo()), AllOf(HasSubstr("unknown"), HasSubstr("unheardof")));
  write(".git/config", "[[[\n");
  EXPECT_THAT(failure(repo()), AllOf(HasSubstr("unknown"), HasSubstr("bad config line 1")));
}

TEST_F(GitCommandsTest, WhatIsAskedWronglyIsRefused) {
  begin();
  EXPECT_EQ(ask("git.status", Json::object().set("path", "relative")).error().code,
            errc::kInvalidInput);
  EXPECT_EQ(ask("git.diff", here().set("target", Json::object().set("type", "x"))).error().code,
            errc::kInvalidInput);
  EXPECT_EQ(ask("git.branches", here().set("limit", 0)).error().code, errc::kInvalidInput);
}

TEST_F(GitCommandsTest, OneChangeAtATimeIsMadeInAFolder) {
  begin();
  write("a", "changed\n");
  const auto alone = commands_.busy().take(repo());
  ASSERT_TRUE(alone.ok());
  EXPECT_EQ(ask("git.commit", here().set("message", "m")).error().code, errc::kConflict);
}

TEST_F(GitCommandsTest, AMachineWithoutRoomSaysSo) {
  workers_.full = true;
  EXPECT_EQ(ask("git.status", here()).error().code, errc::kOverloaded);
}

}  // namespace
}  // namespace svc::worktrees
