#include "own_work.h"

#include "branches.h"
#include "fixture.h"

namespace svc::worktrees {
namespace {

namespace fs = std::filesystem;

/// A worktree in `tree`, on a branch of its own.
class OwnWorkTest : public RepositoryTest {
 protected:
  [[nodiscard]] fs::path tree() const { return directory_.path() / "tree"; }
  void addTree() const { git({"worktree", "add", "--quiet", "-b", "work", tree().string()}); }
  void change(const std::string& path, std::string_view text) const {
    directory_.write("tree/" + path, text);
  }
  void commitThere(const std::string& message) const {
    git({"add", "-A"}, tree());
    git({"commit", "--quiet", "-m", message}, tree());
  }
  /// The checkout has the submodule `sm`; the worktree has it too, as `git submodule update --init` makes it.
  void withSubmodule() const {
    const auto source = directory_.path() / "source";
    fs::create_directories(source);
    git({"init", "--quiet"}, source);
    git({"commit", "--quiet", "--allow-empty", "-m", "inner"}, source);
    git({"-c", "protocol.file.allow=always", "submodule", "--quiet", "add", source.string(), "sm"});
    commit("with a submodule");
    addTree();
  }
  void initSubmodule() const {
    git({"-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init"}, tree());
  }
  [[nodiscard]] std::string because() const {
    const auto found = workOnlyIn(open(tree()));
    EXPECT_TRUE(found.ok()) << found.error().message;
    return found ? found.value() : "an error";
  }
};

TEST_F(OwnWorkTest, SubmodulesThatAreThereKeepTheWorktree) {
  begin();
  withSubmodule();
  EXPECT_EQ(because(), "") << "it is an empty folder";
  initSubmodule();
  EXPECT_EQ(because(), "submodule");
  change("sm/new", "x");
  EXPECT_EQ(because(), "submodule");
  git({"submodule", "--quiet", "deinit", "--all", "--force"}, tree());
  EXPECT_EQ(because(), "submodule") << "their commits are still in the worktree's part of .git";
}

TEST_F(OwnWorkTest, ARepositoryThatWasCommittedAsASubmoduleKeepsTheWorktree) {
  begin();
  addTree();
  fs::create_directories(tree() / "inner");
  git({"init", "--quiet"}, tree() / "inner");
  git({"commit", "--quiet", "--allow-empty", "-m", "inner"}, tree() / "inner");
  EXPECT_EQ(because(), "uncommitted");
  commitThere("inner");
  git({"merge", "--quiet", "work"});
  EXPECT_EQ(because(), "submodule");
}

TEST_F(OwnWorkTest, AFileThatGitSkipsIsWorkWhenItDiffers) {
  begin();
  addTree();
  git({"update-index", "--skip-worktree", "a"}, tree());
  EXPECT_EQ(because(), "");
  change("a", "precious\n");
  EXPECT_EQ(because(), "uncommitted");
  fs::remove(tree() / "a");
  EXPECT_EQ(because(), "");
  fs::create_symlink("b", tree() / "a");
  EXPECT_EQ(because(), "uncommitted");
}

TEST_F(OwnWorkTest, ASparseCheckoutHasNoWorkOfItsOwn) {
  begin();
  write("deep/b", "b\n");
  commit("deep");
  addTree();
  git({"sparse-checkout", "set", "nothing"}, tree());
  ASSERT_FALSE(fs::exists(tree() / "deep"));
  EXPECT_EQ(because(), "");
}

TEST_F(OwnWorkTest, CommitsThatADetachedHeadHasLeftKeepTheWorktree) {
  begin();
  addTree();
  git({"checkout", "--quiet", "--detach"}, tree());
  change("new", "x");
  commitThere("work");
  const auto work = headCommit(open(tree()));
  EXPECT_EQ(because(), "unmerged");
  git({"checkout", "--quiet", "-"}, tree());
  EXPECT_EQ(because(), "unmerged");
  git({"branch", "kept", work});
  EXPECT_EQ(because(), "");
}

TEST_F(OwnWorkTest, WhatWasAmendedIsNotMissed) {
  begin();
  addTree();
  change("new", "x");
  commitThere("work");
  git({"commit", "--quiet", "--amend", "-m", "better"}, tree());
  git({"merge", "--quiet", "work"});
  EXPECT_EQ(because(), "");
}

TEST_F(OwnWorkTest, AFileMayHaveTheNameOfARevision) {
  begin();
  write("HEAD", "x");
  write("work", "x");
  commit("odd names");
  addTree();
  EXPECT_EQ(because(), "");
}

}  // namespace
}  // namespace svc::worktrees
