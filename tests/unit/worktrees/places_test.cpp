#include "places.h"

#include <poll.h>
#include <sys/stat.h>

#include <thread>

#include "svc/base/marked_processes.h"
#include "svc/common/codes.h"

#include "branches.h"
#include "fixture.h"
#include "removed_worktrees.h"

namespace svc::worktrees {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class PlacesTest : public RepositoryTest {
 protected:
  [[nodiscard]] Places places() const { return {data(), environment(), {}}; }
  [[nodiscard]] std::filesystem::path data() const { return directory_.path() / "data"; }
  [[nodiscard]] PlaceWish worktree() const {
    return {.environment_id = "env_1",
            .type = "managed-worktree",
            .project_path = repo().string(),
            .branch_name = "svc/thr_1"};
  }
  [[nodiscard]] std::filesystem::path folder() const { return data() / "worktrees/env_1"; }
  void script(const std::string& name, const std::string& text) const {
    write(".svc/" + name, "#!/bin/sh\n" + text);
    std::filesystem::permissions(repo() / ".svc" / name, std::filesystem::perms::owner_all);
  }
};

TEST_F(PlacesTest, AWorktreeIsOnABranchOfItsOwn) {
  begin();
  const auto made = good(places().create(worktree()));
  EXPECT_EQ(made["path"].asString(), folder().string());
  EXPECT_TRUE(made["isWorktree"].asBool());
  EXPECT_EQ(made["branchName"].asString(), "svc/thr_1");
  EXPECT_EQ(made["baseBranch"].asString(), "main");
  EXPECT_TRUE(std::filesystem::exists(folder() / "a"));
  EXPECT_EQ(currentBranch(open()), "main");
  EXPECT_EQ(good(places().create(worktree())).dump(), made.dump());
}

TEST_F(PlacesTest, AWorktreeBeginsAtTheBranchAlsoWhereATagHasItsName) {
  begin();
  git({"tag", "main"});
  write("b", "x");
  commit("second");
  auto wish = worktree();
  wish.base_branch = "main";
  good(places().create(wish));
  EXPECT_TRUE(std::filesystem::exists(folder() / "b"));
}

TEST_F(PlacesTest, AWorktreeThatWasLostIsMadeAgain) {
  begin();
  good(places().create(worktree()));
  std::ofstream(folder() / "new") << "x";
  git({"add", "-A"}, folder());
  git({"commit", "--quiet", "-m", "work"}, folder());
  std::filesystem::remove_all(folder());
  good(places().create(worktree()));
  EXPECT_TRUE(std::filesystem::exists(folder() / "a"));
  EXPECT_TRUE(std::filesystem::exists(folder() / "new")) << "from its branch";
}

TEST_F(PlacesTest, WhatCannotBeABaseIsSaid) {
  git({"init", "--quiet"});
  EXPECT_THAT(places().create(worktree()).error().message, HasSubstr("first commit"));
  auto wish = worktree();
  wish.project_path = home().string();
  EXPECT_THAT(places().create(wish).error().message, HasSubstr("no worktrees"));
  wish.environment_id = "../x";
  EXPECT_EQ(places().create(wish).error().code, errc::kInvalidInput);
}

TEST_F(PlacesTest, OfACommitThatCannotBeReadGitSaysWhy) {
  begin();
  const auto head = git({"rev-parse", "HEAD"});
  const auto object = repo() / ".git/objects" / head.substr(0, 2) / head.substr(2);
  std::filesystem::permissions(object, std::filesystem::perms::owner_all);
  std::ofstream(object) << "torn";
  const auto refused = places().create(worktree()).error();
  EXPECT_EQ(refused.code, errc::kConflict);
  EXPECT_THAT(refused.message, AllOf(HasSubstr("git failed"), HasSubstr(head)));
}

TEST_F(PlacesTest, WorkThatIsNowhereElseIsKept) {
  begin();
  good(places().create(worktree()));
  std::ofstream(folder() / "new") << "x";
  EXPECT_EQ(good(places().remove(worktree()))["keptBecause"].asString(), "uncommitted");
  git({"add", "-A"}, folder());
  git({"commit", "--quiet", "-m", "work"}, folder());
  EXPECT_EQ(good(places().remove(worktree()))["keptBecause"].asString(), "unmerged");
  git({"merge", "--quiet", "svc/thr_1"});
  EXPECT_TRUE(good(places().remove(worktree()))["removed"].asBool());
  EXPECT_FALSE(std::filesystem::exists(folder()));
  EXPECT_EQ(commitOf(open(), "svc/thr_1"), "");
  EXPECT_TRUE(good(places().remove(worktree()))["removed"].asBool());
}

TEST_F(PlacesTest, AWorktreeIsGoneBeforeItsFilesAreDeleted) {
  begin();
  good(places().create(worktree()));
  // A folder that is not deleted, as when the daemon ends meanwhile.
  const auto removed = data() / "worktrees/.removed";
  ASSERT_TRUE(putAway(open(folder())).ok());
  EXPECT_FALSE(std::filesystem::exists(folder()));
  EXPECT_FALSE(std::filesystem::exists(repo() / ".git/worktrees/env_1"));
  EXPECT_FALSE(std::filesystem::is_empty(removed));
  EXPECT_TRUE(good(places().remove(worktree()))["removed"].asBool());
  EXPECT_TRUE(good(places().create(worktree()))["isWorktree"].asBool());
  EXPECT_TRUE(good(places().remove(worktree()))["removed"].asBool());
  EXPECT_TRUE(std::filesystem::is_empty(removed)) << "with what was left before";
}

TEST_F(PlacesTest, FoldersThatNobodyMayWriteToGoWithTheirWorktree) {
  begin();
  write(".gitignore", "cache\n");
  commit("ignored");
  good(places().create(worktree()));
  std::filesystem::create_directories(folder() / "cache");
  std::ofstream(folder() / "cache/file") << "x";
  std::filesystem::permissions(
      folder() / "cache", std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  EXPECT_TRUE(good(places().remove(worktree()))["removed"].asBool());
  EXPECT_TRUE(std::filesystem::is_empty(data() / "worktrees/.removed"));
}

TEST_F(PlacesTest, OnlyWhatIsAWorktreeOfItsRepositoryIsRemoved) {
  begin();
  good(places().create(worktree()));
  git({"worktree", "lock", folder().string()});
  EXPECT_THAT(places().remove(worktree()).error().message, HasSubstr("locked"));
  git({"worktree", "unlock", folder().string()});
  std::filesystem::remove(folder() / ".git");
  git({"init", "--quiet"}, folder());
  git({"add", "-A"}, folder());
  git({"commit", "--quiet", "-m", "its own"}, folder());
  git({"tag", "kept"}, folder());
  EXPECT_THAT(places().remove(worktree()).error().message, HasSubstr("no worktree"));
  EXPECT_TRUE(std::filesystem::exists(folder() / "a"));
}

TEST_F(PlacesTest, AFolderThatWasKeptGivesItsBranchToTheOneThatGoesOnWithIt) {
  begin();
  good(places().create(worktree()));
  std::ofstream(folder() / "new") << "x";
  const auto head = headCommit(open(folder()));
  git({"worktree", "add", "--quiet", "--force", (home() / "mine").string(), "svc/thr_1"});
  auto next = worktree();
  next.environment_id = "env_2";
  EXPECT_EQ(good(places().create(next))["branchName"].asString(), "svc/thr_1");
  EXPECT_EQ(currentBranch(open(folder())), "");
  EXPECT_EQ(headCommit(open(folder())), head);
  EXPECT_TRUE(std::filesystem::exists(folder() / "new"));
  EXPECT_EQ(good(places().remove(worktree()))["keptBecause"].asString(), "uncommitted");
  EXPECT_EQ(currentBranch(open(home() / "mine")), "svc/thr_1") << "it is not the service's";
}

TEST_F(PlacesTest, TheSetupOfTheCheckoutRunsInTheWorktree) {
  begin();
  script("setup", "echo \"for $SVC_ENVIRONMENT_ID\"; touch made; exit 3\n");
  good(places().create(worktree()));
  const auto ran = good(places().runScript(worktree(), "setup", {{"SVC_ENVIRONMENT_ID", "env_1"}}));
  EXPECT_EQ(ran["exitCode"].asInteger(), 3);
  EXPECT_EQ(ran["output"].asString(), "for env_1\n");
  EXPECT_TRUE(std::filesystem::exists(folder() / "made"));
  std::filesystem::permissions(repo() / ".svc/setup", std::filesystem::perms::owner_read);
  EXPECT_EQ(good(places().runScript(worktree(), "setup", {}))["exitCode"].asInteger(-1), 0);
}

TEST_F(PlacesTest, AScriptIsMarkedForAsLongAsItRuns) {
  begin();
  script("setup", "echo $SVC_LOAD_ID; ls '" + (data() / "scripts").string() + "'\n");
  good(places().create(worktree()));
  const auto said = good(places().runScript(worktree(), "setup", {}))["output"].asString();
  const auto mark = said.substr(0, said.find('\n'));
  EXPECT_EQ(mark.size(), 32U);
  EXPECT_EQ(said, mark + "\n" + mark + "\n");
  EXPECT_TRUE(std::filesystem::is_empty(data() / "scripts"));
}

TEST_F(PlacesTest, WhatAScriptHasStartedEndsWithItWhenItIsCancelled) {
  begin();
  const auto ready = directory_.path() / "ready";
  ASSERT_EQ(::mkfifo(ready.c_str(), 0600), 0);
  script("setup", "setsid sh -c 'echo $SVC_LOAD_ID > " + ready.string() +
                      "; exec sleep 1000'\nsleep 1000\n");
  std::stop_source stop;
  const Places cancelled(data(), environment(), stop.get_token());
  good(cancelled.create(worktree()));
  std::string mark;
  std::size_t found = 0;
  std::jthread canceller([&] {
    std::getline(std::ifstream(ready), mark);
    found = base::processesMarked(mark).size();
    stop.request_stop();
  });
  EXPECT_EQ(cancelled.runScript(worktree(), "setup", {}).error().code, errc::kAborted);
  canceller.join();
  EXPECT_GE(found, 2U);
  for (const auto& process : base::processesMarked(mark)) {
    pollfd ended{.fd = process.descriptor.get(), .events = POLLIN, .revents = 0};
    EXPECT_EQ(::poll(&ended, 1, 20'000), 1) << process.pid;
  }
}

TEST_F(PlacesTest, WhereNoScriptMayRunTheSetupSaysSo) {
  begin();
  const Places confined(data(), environment(), {}, false);
  (void)good(confined.create(worktree()));
  EXPECT_EQ(good(confined.runScript(worktree(), "setup", {}))["exitCode"].asInteger(-1), 0);
  script("setup", "touch made\n");
  EXPECT_EQ(confined.runScript(worktree(), "setup", {}).error().code, errc::kForbidden);
  EXPECT_FALSE(std::filesystem::exists(folder() / "made"));
}

TEST_F(PlacesTest, APersonalFolderWithFilesStays) {
  const PlaceWish wish{.environment_id = "env_2", .type = "personal"};
  (void)good(places().create(wish));
  std::ofstream(data() / "personal/env_2/notes") << "x";
  EXPECT_EQ(good(places().remove(wish))["keptBecause"].asString(), "unsaved");
  EXPECT_TRUE(std::filesystem::exists(data() / "personal/env_2/notes"));
}

TEST_F(PlacesTest, APersonalFolderIsEmptyAndGoes) {
  const PlaceWish wish{.environment_id = "env_2", .type = "personal"};
  const auto made = good(places().create(wish));
  EXPECT_EQ(made["path"].asString(), (data() / "personal/env_2").string());
  EXPECT_FALSE(made["isGitRepo"].asBool(true));
  EXPECT_TRUE(good(places().remove(wish))["removed"].asBool());
  EXPECT_FALSE(std::filesystem::exists(data() / "personal/env_2"));
}

TEST_F(PlacesTest, AFolderOfSomebodyIsUsedAsItIsAndNeverRemoved) {
  begin();
  const PlaceWish wish{.environment_id = "env_3", .type = "unmanaged", .path = repo().string()};
  EXPECT_FALSE(good(places().create(wish))["ownsPath"].asBool(true));
  EXPECT_TRUE(good(places().remove(wish))["removed"].asBool());
  EXPECT_TRUE(std::filesystem::exists(repo() / "a"));
  auto gone = wish;
  gone.path = "/nowhere";
  EXPECT_EQ(places().create(gone).error().code, errc::kNotFound);
}

}  // namespace
}  // namespace svc::worktrees
