#include "svc/common/codes.h"

#include "branches.h"
#include "changes.h"
#include "commits.h"
#include "diffs.h"
#include "file_lists.h"
#include "fixture.h"
#include "own_work.h"

namespace svc::worktrees {
namespace {

using ::testing::HasSubstr;

/// A repository that would run a program at every occasion, which leaves a file behind.
class HostileRepositoryTest : public RepositoryTest {
 protected:
  HostileRepositoryTest() {
    begin();
    const auto program =
        directory_.write("evil.sh", "#!/bin/sh\ntouch \"" + mark().string() + "\"\ncat\n");
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    for (const auto* hook :
         {"pre-commit", "post-commit", "post-checkout", "commit-msg", "prepare-commit-msg",
          "reference-transaction", "post-index-change", "fsmonitor-watchman"}) {
      std::filesystem::copy_file(program, repo() / ".git/hooks" / hook);
    }
    const auto evil = program.string();
    for (const auto& [key, value] :
         std::vector<std::pair<std::string, std::string>>{{"core.fsmonitor", evil},
                                                          {"core.pager", evil},
                                                          {"core.editor", evil},
                                                          {"core.sshCommand", evil},
                                                          {"core.alternateRefsCommand", evil},
                                                          {"diff.external", evil},
                                                          {"diff.evil.textconv", evil},
                                                          {"diff.evil.command", evil},
                                                          {"gpg.program", evil},
                                                          {"commit.gpgSign", "true"},
                                                          {"credential.helper", evil},
                                                          {"interactive.diffFilter", evil}}) {
      git({"config", key, value});
    }
    write(".gitattributes", "* diff=evil\n");
  }
  void withFilter() const {
    git({"config", "filter.a=b.clean", (directory_.path() / "evil.sh").string()});
    git({"config", "filter.a=b.smudge", (directory_.path() / "evil.sh").string()});
    write(".gitattributes", "* diff=evil filter=a=b\n");
  }
  [[nodiscard]] std::filesystem::path mark() const { return directory_.path() / "it-ran"; }
  [[nodiscard]] bool ran() const { return std::filesystem::exists(mark()); }
  void readEverything() const {
    good(branchesOf(open(), {}));
    good(workspaceOf(open(), "main"));
    good(diffOf(open(), {}));
    good(diffFilesOf(open(), {}));
    good(patchesOf(open(), {}, {"a"}));
    good(diffFileOf(open(), {.path = "a", .old = true}));
    good(pathsOf(open(), {}));
    EXPECT_TRUE(workOnlyIn(open()).ok());
  }
};

TEST_F(HostileRepositoryTest, PlainGitRunsWhatTheRepositorySays) {
  write("a", "changed\n");
  git({"diff"});
  EXPECT_TRUE(ran());
}

TEST_F(HostileRepositoryTest, ReadingRunsNothing) {
  write("a", "changed\n");
  readEverything();
  EXPECT_FALSE(ran());
}

TEST_F(HostileRepositoryTest, CommitsAndCheckoutsRunNothing) {
  write("a", "changed\n");
  good(commitAll(open(), "changed"));
  good(checkOut(open(), {.name = "other", .is_new = true}));
  good(checkOut(open(), {.name = "main"}));
  EXPECT_FALSE(ran());
}

TEST_F(HostileRepositoryTest, FiltersOfTheRepositoryAreNotRunAndNothingIsWrittenAsTheyWouldNot) {
  withFilter();
  write("a", "changed\n");
  readEverything();
  EXPECT_THAT(open().filters(), ::testing::ElementsAre("a=b"));
  const auto refused = commitAll(open(), "changed");
  EXPECT_EQ(refused.error().code, errc::kConflict);
  EXPECT_THAT(refused.error().message, HasSubstr("git config --global filter.a=b.clean"));
  EXPECT_FALSE(ran());
}

TEST_F(HostileRepositoryTest, FilesThatGitSkipsAreComparedWithoutFilters) {
  withFilter();
  write(".git/info/exclude", ".gitattributes\n");
  git({"-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "update-index",
       "--skip-worktree", "a"});
  std::filesystem::remove(mark());
  ASSERT_FALSE(hasUncommittedChanges(open()).value());
  write("a", "changed\n");
  EXPECT_EQ(workOnlyIn(open()).value(), "uncommitted");
  EXPECT_FALSE(ran());
}

TEST_F(HostileRepositoryTest, FiltersThatTheUserHasAllowedAreRun) {
  git({"config", "--global", "filter.upper.clean", "tr a-z A-Z"});
  git({"config", "filter.upper.clean", "tr a-z A-Z"});
  write(".gitattributes", "b filter=upper\n");
  write("b", "small\n");
  good(commitAll(open(), "filtered"));
  EXPECT_EQ(git({"cat-file", "blob", "HEAD:b"}), "SMALL");
}

TEST_F(HostileRepositoryTest, SubmodulesAreNotEntered) {
  const auto inner = repo() / "inner";
  std::filesystem::create_directories(inner);
  git({"init", "--quiet"}, inner);
  git({"config", "core.fsmonitor", (directory_.path() / "evil.sh").string()}, inner);
  git({"commit", "--quiet", "--allow-empty", "-m", "inner"}, inner);
  std::filesystem::remove(mark());
  const auto sha = git({"-c", "core.fsmonitor=false", "rev-parse", "HEAD"}, inner);
  git({"-c", "core.fsmonitor=false", "update-index", "--add", "--cacheinfo",
       "160000," + sha + ",inner"});
  git({"-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "commit.gpgSign=false",
       "commit", "--quiet", "-m", "inner"});
  std::filesystem::remove(mark());
  std::ofstream(inner / "dirty") << "x";
  write("a", "changed\n");
  readEverything();
  good(commitAll(open(), "beside it"));
  EXPECT_FALSE(ran());
}

TEST_F(HostileRepositoryTest, MissingObjectsAreNotFetched) {
  git({"config", "extensions.partialClone", "origin"});
  git({"config", "core.repositoryFormatVersion", "1"});
  git({"config", "remote.origin.url", "ext::" + (directory_.path() / "evil.sh").string()});
  git({"config", "remote.origin.promisor", "true"});
  git({"config", "protocol.ext.allow", "always"});
  const auto blob = git({"-c", "core.fsmonitor=false", "rev-parse", "HEAD:a"});
  std::filesystem::remove(repo() / ".git/objects" / blob.substr(0, 2) / blob.substr(2));
  write("a", "changed\n");
  EXPECT_FALSE(diffOf(open(), {}).ok());
  EXPECT_FALSE(ran());
}

}  // namespace
}  // namespace svc::worktrees
