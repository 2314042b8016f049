// A daemon that is killed while git works leaves what git had done by then: each test begins there, and asks for the same again.
#include <functional>

#include "svc/common/codes.h"

#include "branches.h"
#include "changes.h"
#include "commits.h"
#include "fixture.h"
#include "places.h"

namespace svc::worktrees {
namespace {

namespace fs = std::filesystem;

class HalfMadeTest : public RepositoryTest {
 protected:
  [[nodiscard]] fs::path data() const { return directory_.path() / "data"; }
  [[nodiscard]] fs::path folder() const { return data() / "worktrees/env_1"; }
  [[nodiscard]] fs::path administration() const { return repo() / ".git/worktrees/env_1"; }
  [[nodiscard]] PlaceWish wish() const {
    return {.environment_id = "env_1",
            .type = "managed-worktree",
            .project_path = repo().string(),
            .branch_name = "svc/thr_1"};
  }
  static void put(const fs::path& path, std::string_view text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  [[nodiscard]] Result<Json> ask() const {
    return Places(data(), environment(), {}).create(wish());
  }
  /// The commit that a branch begins at, which is not where HEAD is.
  void beginElsewhere() const {
    begin();
    git({"branch", "base"});
    write("b", "x\n");
    commit("second");
  }
};

/// What `git worktree add -b` does, in its order; the kill comes after so many of them.
class HalfMadeWorktreeTest : public HalfMadeTest,
                             public ::testing::WithParamInterface<std::size_t> {
 protected:
  [[nodiscard]] std::vector<std::function<void()>> steps() const {
    return {
        [this] { put(repo() / ".git/refs/heads/svc/thr_1.lock", ""); },
        [this] {
          fs::remove(repo() / ".git/refs/heads/svc/thr_1.lock");
          git({"branch", "svc/thr_1", git({"rev-parse", "HEAD"})});
        },
        [this] { fs::create_directories(administration()); },
        [this] { put(administration() / "locked", "initializing"); },
        [this] { fs::create_directories(folder()); },
        [this] { put(administration() / "gitdir", (folder() / ".git").string() + "\n"); },
        [this] { put(folder() / ".git", "gitdir: " + administration().string() + "\n"); },
        [this] { put(administration() / "HEAD", std::string(40, '0') + "\n"); },
        [this] { put(administration() / "commondir", "../..\n"); },
        [this] { put(administration() / "HEAD.lock", "ref: refs/heads/svc/thr_1\n"); },
        [this] { fs::rename(administration() / "HEAD.lock", administration() / "HEAD"); },
        [this] { put(administration() / "index.lock", ""); },
        [this] { put(folder() / "a", "one\n"); },
        [this] {
          fs::remove(administration() / "index.lock");
          git({"reset", "--quiet", "--hard"}, folder());
        },
        [this] { fs::remove(administration() / "locked"); },
    };
  }
};
constexpr std::size_t kWorktreeSteps = 15;

TEST_P(HalfMadeWorktreeTest, IsMadeWhole) {
  begin();
  const auto all = steps();
  ASSERT_EQ(all.size(), kWorktreeSteps);
  for (std::size_t step = 0; step < GetParam(); ++step) {
    all[step]();
  }
  const auto made = good(ask());
  EXPECT_EQ(made["path"].asString(), folder().string());
  EXPECT_EQ(made["branchName"].asString(), "svc/thr_1");
  EXPECT_TRUE(fs::exists(folder() / "a"));
  EXPECT_FALSE(hasUncommittedChanges(open(folder())).value());
  EXPECT_FALSE(fs::exists(administration() / "locked"));
  EXPECT_EQ(good(ask()).dump(), made.dump());
}

INSTANTIATE_TEST_SUITE_P(AfterEachStep, HalfMadeWorktreeTest,
                         ::testing::Range(std::size_t{0}, kWorktreeSteps + 1));

TEST_F(HalfMadeTest, OnlyTheWorktreeThatIsAskedForIsMadeAnew) {
  begin();
  good(ask());
  put(folder() / "new", "x");
  put(administration() / "locked", "on a disk that is away");
  put(repo() / ".git/worktrees/env_2/locked", "initializing");
  good(ask());
  EXPECT_TRUE(fs::exists(folder() / "new")) << "whoever has locked it has done so later";
  EXPECT_TRUE(fs::exists(repo() / ".git/worktrees/env_2"));
}

/// What `git checkout -b` does once the files are those of the new branch.
class HalfMadeBranchTest : public HalfMadeTest, public ::testing::WithParamInterface<std::size_t> {
 protected:
  [[nodiscard]] fs::path lock() const { return repo() / ".git/refs/heads/svc/new.lock"; }
  [[nodiscard]] std::vector<std::function<void()>> steps() const {
    return {
        [this] { put(lock(), ""); },
        [this] {
          fs::remove(lock());
          git({"branch", "--no-track", "svc/new", git({"rev-parse", wanted_.base})});
        },
        [this] { put(repo() / ".git/HEAD.lock", "ref: refs/heads/svc/new\n"); },
        [this] { fs::rename(repo() / ".git/HEAD.lock", repo() / ".git/HEAD"); },
    };
  }
  void killAfter(std::size_t count) {
    for (std::size_t step = 0; step < count; ++step) {
      steps()[step]();
    }
  }
  void expectMade() {
    EXPECT_EQ(good(checkOut(open(), wanted_))["checkout"]["branchName"].asString(), "svc/new");
    EXPECT_EQ(git({"rev-parse", "HEAD"}), git({"rev-parse", wanted_.base}));
    EXPECT_FALSE(hasUncommittedChanges(open()).value());
  }
  BranchChoice wanted_{.name = "svc/new", .is_new = true, .base = "main"};
};
constexpr std::size_t kBranchSteps = 4;

TEST_P(HalfMadeBranchTest, IsCheckedOut) {
  begin();
  killAfter(GetParam());
  expectMade();
}

TEST_P(HalfMadeBranchTest, ThatBeginsElsewhereIsCheckedOut) {
  beginElsewhere();
  wanted_.base = "base";
  // The files come first.
  git({"read-tree", "-u", "-m", "HEAD", "base"});
  // With the lock alone nothing says yet whose changes these are.
  if (GetParam() >= 2) {
    killAfter(GetParam());
    expectMade();
  }
}

INSTANTIATE_TEST_SUITE_P(AfterEachStep, HalfMadeBranchTest,
                         ::testing::Range(std::size_t{0}, kBranchSteps + 1));

TEST_F(HalfMadeTest, ABranchThatWorkWouldBeCarriedToIsNotGoneOnWith) {
  begin();
  git({"branch", "svc/new", git({"rev-parse", "HEAD"})});
  write("a", "changed\n");
  const auto refused = checkOut(open(), {.name = "svc/new", .is_new = true});
  EXPECT_EQ(refused.error().code, errc::kConflict);
  EXPECT_EQ(currentBranch(open()), "main");
}

TEST_F(HalfMadeTest, TheLockOfSomebodyElseStays) {
  begin();
  put(repo() / ".git/HEAD.lock", "ref: refs/heads/other\n");
  EXPECT_EQ(checkOut(open(), {.name = "svc/new", .is_new = true}).error().code, errc::kConflict);
  EXPECT_TRUE(fs::exists(repo() / ".git/HEAD.lock"));
}

}  // namespace
}  // namespace svc::worktrees
