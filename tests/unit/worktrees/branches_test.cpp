#include "branches.h"

#include "fixture.h"

namespace svc::worktrees {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

class BranchesTest : public RepositoryTest {};

TEST_F(BranchesTest, ARepositoryBeforeItsFirstCommitIsUnborn) {
  git({"init", "--quiet"});
  const auto all = good(branchesOf(open(), {}));
  EXPECT_EQ(all["checkout"]["kind"].asString(), "unborn");
  EXPECT_EQ(all["checkout"]["branchName"].asString(), "main");
  EXPECT_TRUE(all["branches"].items().empty());
  EXPECT_FALSE(all["hasUncommittedChanges"].asBool(true));
}

TEST_F(BranchesTest, WhatIsCheckedOutIsABranchOrACommit) {
  begin();
  EXPECT_EQ(checkoutOf(open())["branchName"].asString(), "main");
  const auto head = git({"rev-parse", "HEAD"});
  EXPECT_EQ(checkoutOf(open())["headSha"].asString(), head);
  git({"checkout", "--quiet", "--detach"});
  EXPECT_EQ(checkoutOf(open())["kind"].asString(), "detached");
  EXPECT_EQ(checkoutOf(open())["headSha"].asString(), head);
}

TEST_F(BranchesTest, ListsAreBoundedAndFiltered) {
  begin();
  for (const auto* name : {"work/one", "work/two", "other", "École"}) {
    git({"branch", name});
  }
  const auto lists = good(branchLists(open(), {.query = "WORK"}));
  EXPECT_THAT(textsOf(lists["branches"]), UnorderedElementsAre("work/one", "work/two"));
  EXPECT_FALSE(lists["branchesTruncated"].asBool(true));
  EXPECT_THAT(textsOf(good(branchLists(open(), {.query = "éC"}))["branches"]),
              UnorderedElementsAre("École"));
  const auto cut = good(branchLists(open(), {.limit = 2}));
  EXPECT_EQ(cut["branches"].items().size(), 2U);
  EXPECT_TRUE(cut["branchesTruncated"].asBool());
}

TEST_F(BranchesTest, ABranchThatNamesNothingIsInNoList) {
  begin();
  git({"branch", "other"});
  write(".git/refs/heads/dangling", "1234567890123456789012345678901234567890\n");
  write(".git/refs/heads/torn", "12345\n");
  const auto all = good(branchesOf(open(), {}));
  EXPECT_THAT(textsOf(all["branches"]), UnorderedElementsAre("main", "other"));
}

TEST_F(BranchesTest, ABranchComesBeforeATagOfTheSameName) {
  begin();
  const auto first = git({"rev-parse", "HEAD"});
  git({"tag", "main"});
  git({"tag", "begin"});
  write("b", "x");
  commit("second");
  EXPECT_EQ(branchCommit(open(), "main"), git({"rev-parse", "refs/heads/main"}));
  EXPECT_EQ(branchCommit(open(), "begin"), first) << "where there is no such branch";
  EXPECT_EQ(branchCommit(open(), "").size() + branchCommit(open(), "-x").size(), 0U);
}

TEST_F(BranchesTest, ASelectedBranchIsLocalRemoteOrMissing) {
  begin();
  git({"update-ref", "refs/remotes/origin/far", "HEAD"});
  const auto kind = [&](const std::string& name) {
    return good(branchLists(open(), {.selected = name}))["selectedBranch"]["kind"].asString();
  };
  EXPECT_EQ(kind("main"), "local");
  EXPECT_EQ(kind("origin/far"), "remote");
  EXPECT_EQ(kind("nowhere"), "missing");
  EXPECT_TRUE(good(branchLists(open(), {}))["selectedBranch"].isNull());
}

TEST_F(BranchesTest, TheRemotesDefaultBranchIsWhereNewWorkBegins) {
  begin();
  git({"checkout", "--quiet", "-b", "feature"});
  EXPECT_EQ(defaultBase(open()), "feature");
  git({"update-ref", "refs/remotes/origin/main", "main"});
  git({"symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main"});
  git({"checkout", "--quiet", "main"});
  commit("second");
  const auto all = good(branchesOf(open(), {}));
  EXPECT_EQ(all["defaultBranch"].asString(), "main");
  EXPECT_EQ(all["originDefaultBranch"].asString(), "main");
  EXPECT_EQ(all["defaultWorktreeBaseBranch"].asString(), "origin/main");
  EXPECT_EQ(all["defaultBranchRelation"].asString(), "local-ahead");
  EXPECT_THAT(textsOf(all["remoteBranches"]), ElementsAre("origin/main"));
}

TEST_F(BranchesTest, AMergeWithConflictsIsSeen) {
  begin();
  git({"checkout", "--quiet", "-b", "other"});
  write("a", "other\n");
  commit("other");
  git({"checkout", "--quiet", "main"});
  write("a", "main\n");
  commit("main");
  own_["GIT_MERGE_AUTOEDIT"] = "no";
  base::RunOptions merge;
  merge.program.argv = {"git", "merge", "other"};
  merge.program.environment = own_;
  merge.program.directory = repo();
  ASSERT_TRUE(base::run(merge).ok());
  const auto all = good(branchesOf(open(), {}));
  EXPECT_EQ(all["operation"]["kind"].asString(), "merge");
  EXPECT_TRUE(all["operation"]["hasConflicts"].asBool());
  EXPECT_TRUE(all["hasUncommittedChanges"].asBool());
}

TEST_F(BranchesTest, APasswordInTheAddressOfARemoteIsLeftOut) {
  begin();
  EXPECT_EQ(remoteUrl(open()), "");
  git({"remote", "add", "upstream", "https://ada:secret@example.org/a.git"});
  EXPECT_EQ(remoteUrl(open()), "https://ada@example.org/a.git");
  git({"remote", "add", "origin", "git@example.org:b.git"});
  EXPECT_EQ(remoteUrl(open()), "git@example.org:b.git");
}

TEST_F(BranchesTest, ANameThatIsAnOptionIsNoBranch) {
  begin();
  EXPECT_EQ(commitOf(open(), "--all"), "");
  EXPECT_EQ(commitOf(open(), "nowhere"), "");
  EXPECT_EQ(commitOf(open(), "main"), headCommit(open()));
}

TEST_F(BranchesTest, AFolderOutsideOfRepositoriesSaysSo) {
  const auto opened = Git::open(repo(), environment(), {});
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, kNotRepository);
  EXPECT_EQ(Git::open(repo() / "gone", environment(), {}).error().code, errc::kNotFound);
}

TEST_F(BranchesTest, AnAddressIsShownWithoutItsPassword) {
  EXPECT_EQ(withoutPassword("https://ada:a@b@host:8443/x:y@z"), "https://ada@host:8443/x:y@z");
  for (const auto* plain : {"https://ada@host/x", "https://host:1/x", "git@host:x", "/a:b@c", ""}) {
    EXPECT_EQ(withoutPassword(plain), plain);
  }
}

}  // namespace
}  // namespace svc::worktrees
