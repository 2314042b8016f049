#include "diffs.h"

#include "svc/common/codes.h"
#include "svc/common/limits/worktrees.h"

#include "fixture.h"

namespace svc::worktrees {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class DiffsTest : public RepositoryTest {};

TEST_F(DiffsTest, TheWholeDiffHasNewFilesToo) {
  begin();
  write("a", "one\n2\nthree\n");
  write("new", "x\ny");
  const auto diff = good(diffOf(open(), {}));
  const auto& text = diff["diff"].asString();
  EXPECT_THAT(text, HasSubstr("-two\n+2\n"));
  EXPECT_THAT(text, HasSubstr("+++ b/new\n@@ -0,0 +1,2 @@\n+x\n+y\n\\ No newline"));
  EXPECT_EQ(diff["files"].asString(), "M\ta\nA\tnew\n");
  EXPECT_FALSE(diff["truncated"].asBool(true));
  EXPECT_TRUE(diff["mergeBaseRef"].isNull());
}

TEST_F(DiffsTest, APatchThatIsMadeHereIsOneForGit) {
  begin();
  write("two \"lines\"\nand a\ttab", "x\ny");
  write("empty", "");
  write("plain", "1\n");
  std::filesystem::permissions(repo() / "plain", std::filesystem::perms::owner_all);
  const auto text = good(diffOf(open(), {}))["diff"].asString();
  for (const auto* name : {"two \"lines\"\nand a\ttab", "empty", "plain"}) {
    std::filesystem::remove(repo() / name);
  }
  const auto patch = directory_.write("patch", text);
  git({"apply", patch.string()});
  std::ifstream odd(repo() / "two \"lines\"\nand a\ttab");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(odd), {}), "x\ny");
  EXPECT_TRUE(std::filesystem::exists(repo() / "empty"));
}

TEST_F(DiffsTest, APatchSaysWhichFilesItHasNotAsTheyAre) {
  begin();
  write("long", std::string(limits::kDiffPatch, 'x') + '\n');
  auto diff = good(diffOf(open(), {}));
  EXPECT_EQ(diff["leftOut"].dump(), "[]") << "a patch that is taken whole has its own limit";
  EXPECT_FALSE(diff["truncated"].asBool(true));
  write("a", "one\ncaf\xE9\nthree\xE9\n");
  write("new \"latin\"", "caf\xE9\n");
  write("picture", std::string("\0\1", 2));
  diff = good(diffOf(open(), {}));
  EXPECT_EQ(diff["leftOut"].dump(), R"(["a","new \\\"latin\\\"","picture"])");
  EXPECT_FALSE(diff["truncated"].asBool(true));
  write("huge", std::string(limits::kDiff + 1, 'x'));
  diff = good(diffOf(open(), {}));
  EXPECT_THAT(diff["leftOut"].dump(), HasSubstr(R"("huge")"));
  EXPECT_TRUE(diff["truncated"].asBool());
}

TEST_F(DiffsTest, FilesComeWithThePatchesOfTheFirstOnes) {
  begin();
  git({"mv", "a", "b"});
  write("large", std::string(limits::kDiffPatch + 1, 'x'));
  write("binary", std::string("\0\1", 2));
  const auto diff = good(diffFilesOf(open(), {}));
  const auto& files = diff["files"].items();
  ASSERT_EQ(files.size(), 3U);
  EXPECT_EQ(files[0]["changeKind"].asString(), "renamed");
  EXPECT_EQ(files[0]["previousPath"].asString(), "a");
  EXPECT_TRUE(files[1]["binary"].asBool());
  EXPECT_EQ(files[1]["loadMode"].asString(), "on_demand");
  EXPECT_EQ(files[2]["origin"].asString(), "untracked");
  EXPECT_EQ(files[2]["loadMode"].asString(), "too_large");
  EXPECT_THAT(textsOf(diff["initialPatches"], "path"), ElementsAre("b"));
  EXPECT_THAT(diff["initialPatches"].items()[0]["patch"].asString(), HasSubstr("rename from a"));
}

TEST_F(DiffsTest, PatchesAreOfExactlyTheFilesThatAreAskedFor) {
  begin();
  write("*", "star\n");
  commit("star");
  write("*", "star 2\n");
  write("a", "changed\n");
  const auto patches = good(patchesOf(open(), {}, {"*", "nowhere"}));
  EXPECT_THAT(patches.items()[0]["patch"].asString(), HasSubstr("+star 2"));
  EXPECT_THAT(patches.items()[0]["patch"].asString(), Not(HasSubstr("changed")));
  EXPECT_EQ(patches.items()[1]["patch"].asString(), "");
  EXPECT_EQ(patchesOf(open(), {}, {"../a"}).error().code, errc::kInvalidInput);
}

TEST_F(DiffsTest, APatchThatIsTooLargeEndsWithAWholeLine) {
  begin();
  std::string lines;
  while (lines.size() < limits::kDiffPatch + 100) {
    lines += "another line\n";
  }
  write("a", lines);
  const auto patch = good(patchesOf(open(), {}, {"a"})).items()[0];
  EXPECT_TRUE(patch["truncated"].asBool());
  EXPECT_LE(patch["patch"].asString().size(), limits::kDiffPatch);
  EXPECT_TRUE(patch["patch"].asString().ends_with("line\n"));
}

TEST_F(DiffsTest, BothSidesOfAFileCanBeRead) {
  begin();
  write("a", "new\n");
  EXPECT_EQ(good(diffFileOf(open(), {.path = "a", .old = true}))["content"].asString(),
            "one\ntwo\nthree\n");
  EXPECT_EQ(good(diffFileOf(open(), {.path = "a"}))["content"].asString(), "new\n");
  commit("new");
  const Target last{.type = "commit", .sha = git({"rev-parse", "HEAD"})};
  EXPECT_EQ(good(diffFileOf(open(), {.path = "a", .target = last}))["content"].asString(), "new\n");
  EXPECT_EQ(diffFileOf(open(), {.path = "b", .old = true}).error().code, errc::kNotFound);
  write("bytes", "\xff");
  EXPECT_EQ(good(diffFileOf(open(), {.path = "bytes"}))["contentEncoding"].asString(), "base64");
}

TEST_F(DiffsTest, TheWorkspaceSaysHowFarItIsFromItsBase) {
  begin();
  EXPECT_EQ(good(workspaceOf(open(), "main"))["workingTree"]["state"].asString(), "clean");
  git({"checkout", "--quiet", "-b", "work"});
  write("mine", "1\n");
  EXPECT_EQ(good(workspaceOf(open(), "main"))["workingTree"]["state"].asString(), "untracked");
  commit("mine; it has \x1b[31mcolours");
  auto workspace = good(workspaceOf(open(), "main"));
  EXPECT_EQ(workspace["workingTree"]["state"].asString(), "committed_unmerged");
  EXPECT_EQ(workspace["mergeBase"]["aheadCount"].asInteger(), 1);
  EXPECT_EQ(workspace["mergeBase"]["behindCount"].asInteger(), 0);
  EXPECT_EQ(workspace["mergeBase"]["commits"].items()[0]["authorName"].asString(), "Ada");
  EXPECT_EQ(workspace["branch"]["currentBranch"].asString(), "work");
  write("a", "x\n");
  workspace = good(workspaceOf(open(), "main"));
  EXPECT_EQ(workspace["workingTree"]["state"].asString(), "dirty_and_committed_unmerged");
  EXPECT_TRUE(good(workspaceOf(open(), "nowhere"))["mergeBase"].isNull());
}

TEST_F(DiffsTest,
       WithoutABaseThatIsThereWorkIsComparedWithTheDefaultBranchElseWithWhatIsCheckedOut) {
  begin();
  git({"checkout", "--quiet", "-b", "work"});
  write("mine", "1\n");
  commit("mine");
  for (const auto* base : {"", "main", "gone"}) {
    const Target target{.type = "branch_committed", .base_branch = base};
    EXPECT_EQ(good(diffOf(open(), target))["files"].asString(), "A\tmine\n") << base;
    EXPECT_EQ(good(workspaceOf(open(), "", base))["mergeBase"]["aheadCount"].asInteger(), 1)
        << base;
  }
  EXPECT_EQ(diffOf(open(), {.type = "all", .merge_base_branch = "gone"}).error().code,
            errc::kNotFound)
      << "somebody means that one";
  git({"branch", "--quiet", "-D", "main"});
  write("more", "1\n");
  const auto diff = good(diffOf(open(), {.type = "all", .base_branch = "gone"}));
  EXPECT_EQ(diff["files"].asString(), "A\tmore\n");
}

}  // namespace
}  // namespace svc::worktrees
