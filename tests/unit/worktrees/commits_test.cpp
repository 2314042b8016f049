#include "commits.h"

#include "svc/common/codes.h"

#include "branches.h"
#include "changes.h"
#include "fixture.h"

namespace svc::worktrees {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class CommitsTest : public RepositoryTest {};

TEST_F(CommitsTest, EverythingInTheFolderIsCommitted) {
  begin();
  write("two\nlines", "x\n");
  write("-n", "x\n");
  std::filesystem::remove(repo() / "a");
  const auto made = good(commitAll(open(), "Second\n\nwith a body\n# and no comment"));
  EXPECT_EQ(made["commitSubject"].asString(), "Second");
  EXPECT_EQ(made["commitSha"].asString(), git({"rev-parse", "HEAD"}));
  EXPECT_EQ(git({"log", "-1", "--format=%an %s"}), "Ada Second");
  EXPECT_FALSE(hasUncommittedChanges(open()).value());
  EXPECT_EQ(git({"rev-list", "--count", "HEAD"}), "2");
}

TEST_F(CommitsTest, TheFirstCommitHasNoParent) {
  git({"init", "--quiet"});
  write("a", "x\n");
  good(commitAll(open(), "First"));
  EXPECT_EQ(git({"rev-list", "--count", "HEAD"}), "1");
  EXPECT_EQ(currentBranch(open()), "main");
}

TEST_F(CommitsTest, NothingToCommitIsSaid) {
  begin();
  EXPECT_THAT(commitAll(open(), "again").error().message, HasSubstr("nothing has changed"));
  write("b", "x");
  EXPECT_EQ(commitAll(open(), " \n").error().code, errc::kInvalidInput);
}

TEST_F(CommitsTest, WhatGitDoesNotTakeIsNamed) {
  begin();
  git({"init", "--quiet", (repo() / "sub").string()});
  write("sub/n", "x\n");
  git({"add", "n"}, repo() / "sub");
  git({"commit", "--quiet", "-m", "inner"}, repo() / "sub");
  write(".git ", "x\n");
  const auto alone = commitAll(open(), "alone");
  EXPECT_THAT(alone.error().message, AllOf(HasSubstr(".git "), HasSubstr("1 more")));
  write("b", "x");
  const auto made = good(commitAll(open(), "with b"));
  EXPECT_THAT(textsOf(made["leftOut"]), ::testing::ElementsAre(".git ", "sub/"));
  write("c", "x");
  std::filesystem::remove_all(repo() / "sub");
  std::filesystem::remove(repo() / ".git ");
  EXPECT_TRUE(good(commitAll(open(), "with c"))["leftOut"].items().empty());
}

TEST_F(CommitsTest, MoreThanIsListedIsNotCommitted) {
  begin();
  for (std::size_t each = 0; each <= limits::kListing; ++each) {
    write("f" + std::to_string(each), "");
  }
  const auto refused = commitAll(open(), "many");
  EXPECT_EQ(refused.error().code, errc::kConflict);
  EXPECT_THAT(refused.error().message, HasSubstr("limit listing"));
}

TEST_F(CommitsTest, ABranchIsCheckedOutAndANewOneMade) {
  begin();
  git({"branch", "old"});
  good(checkOut(open(), {.name = "old"}));
  EXPECT_EQ(currentBranch(open()), "old");
  const auto made = good(checkOut(open(), {.name = "svc/new", .is_new = true, .base = "main"}));
  EXPECT_EQ(made["checkout"]["branchName"].asString(), "svc/new");
  EXPECT_EQ(checkOut(open(), {.name = "nowhere"}).error().code, errc::kNotFound);
  EXPECT_EQ(checkOut(open(), {.name = "--force"}).error().code, errc::kInvalidInput);
  EXPECT_EQ(checkOut(open(), {.name = "main", .is_new = true}).error().code, errc::kConflict);
}

TEST_F(CommitsTest, ANewBranchThatIsAskedForOnceMoreIsThereAlready) {
  begin();
  const BranchChoice wanted{.name = "svc/new", .is_new = true, .base = "main"};
  good(checkOut(open(), wanted));
  EXPECT_EQ(good(checkOut(open(), wanted))["checkout"]["branchName"].asString(), "svc/new");
  write("b", "x");
  good(commitAll(open(), "work"));
  EXPECT_EQ(checkOut(open(), wanted).error().code, errc::kConflict) << "it has work by now";
  git({"checkout", "--quiet", "main"});
  EXPECT_EQ(checkOut(open(), wanted).error().code, errc::kConflict) << "it is another one's";
}

TEST_F(CommitsTest, ABranchOfTheRemoteGetsALocalOne) {
  begin();
  git({"update-ref", "refs/remotes/origin/far", "HEAD"});
  git({"remote", "add", "origin", "https://example.org/a.git"});
  good(checkOut(open(), {.name = "origin/far"}));
  EXPECT_EQ(currentBranch(open()), "far");
}

TEST_F(CommitsTest, UncommittedWorkIsNeverLeftBehind) {
  begin();
  git({"branch", "other"});
  write("new", "x");
  const auto refused = checkOut(open(), {.name = "other"});
  EXPECT_EQ(refused.error().code, errc::kConflict);
  EXPECT_THAT(refused.error().message, HasSubstr("uncommitted changes"));
  EXPECT_EQ(currentBranch(open()), "main");
}

}  // namespace
}  // namespace svc::worktrees
