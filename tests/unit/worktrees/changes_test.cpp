#include "changes.h"

#include "svc/common/limits/worktrees.h"

#include "branches.h"
#include "diffs.h"
#include "file_lists.h"
#include "fixture.h"

namespace svc::worktrees {
namespace {

using ::testing::ElementsAre;

class ChangesTest : public RepositoryTest {
 protected:
  Changes changes(const Target& target = {}) const {
    const auto repository = open();
    const auto range = rangeOf(repository, target);
    EXPECT_TRUE(range.ok()) << range.error().message;
    auto found = changesOf(repository, range.value());
    EXPECT_TRUE(found.ok()) << found.error().message;
    return std::move(found).value();
  }
  static std::vector<std::string> told(const Changes& changes) {
    std::vector<std::string> out;
    for (const auto& each : changes.files) {
      out.push_back(toFileStat(each)["status"].asString() + " " + each.path);
    }
    return out;
  }
};

TEST_F(ChangesTest, WhatGitKnowsAndWhatItDoesNotAreToldWithTheirLines) {
  begin();
  write("b", "x\n");
  commit("b");
  write("a", "one\nTWO\nthree\nfour\n");
  std::filesystem::remove(repo() / "b");
  write("new/c", "1\n2");
  write("ignored", "x");
  write(".gitignore", "ignored\n");
  const auto found = changes();
  EXPECT_THAT(told(found), ElementsAre("M a", "D b", "?? .gitignore", "?? new/c"));
  EXPECT_EQ(found.insertions, 5);
  EXPECT_EQ(found.deletions, 2);
  EXPECT_TRUE(found.counted);
  EXPECT_EQ(shortstat(found), "4 files changed, 5 insertions(+), 2 deletions(-)");
  EXPECT_TRUE(hasUncommittedChanges(open()).value());
}

TEST_F(ChangesTest, ALongListOfNewFilesHidesNoChange) {
  begin();
  write("z", "x\n");
  commit("z");
  write("z", "y\n");
  for (std::size_t each = 0; each <= limits::kListing; ++each) {
    write("modules/f" + std::to_string(each), "");
  }
  const auto found = changes();
  ASSERT_EQ(found.files.size(), limits::kListing);
  EXPECT_TRUE(found.truncated);
  EXPECT_EQ(found.files[0].path, "z");
  const auto workspace = good(workspaceOf(open(), {}, {}));
  EXPECT_EQ(workspace["workingTree"]["state"].asString(), "dirty_uncommitted");
}

TEST_F(ChangesTest, ConflictsAreToldAsSuch) {
  begin();
  write("b", "x\n");
  write("c", "x\n");
  commit("more");
  git({"checkout", "--quiet", "-b", "other"});
  write("a", "theirs\n");
  std::filesystem::remove(repo() / "b");
  write("c", "theirs\n");
  commit("theirs");
  git({"checkout", "--quiet", "main"});
  write("a", "ours\n");
  write("b", "ours\n");
  std::filesystem::remove(repo() / "c");
  commit("ours");
  base::RunOptions merge;
  merge.program.argv = {"git", "merge", "other"};
  merge.program.environment = own_;
  merge.program.directory = repo();
  ASSERT_TRUE(base::run(merge).ok());
  EXPECT_THAT(told(changes()), ElementsAre("U a", "U b", "U c"))
      << "both changed, and one of the two removed";
}

TEST_F(ChangesTest, ARenameHasItsEarlierName) {
  begin();
  git({"mv", "a", "moved"});
  const auto found = changes();
  ASSERT_THAT(told(found), ElementsAre("R moved"));
  EXPECT_EQ(found.files[0].previous, "a");
}

TEST_F(ChangesTest, NamesWithLineBreaksDashesAndOtherBytesArePaths) {
  begin();
  write("-rf", "x\n");
  write("two\nlines", "x\n");
  write("tab\there", "x\n");
  write("\xff\xfe", "x\n");
  write(":(top)a", "x\n");
  EXPECT_THAT(told(changes()),
              ElementsAre("?? -rf", "?? :(top)a", "?? tab\there", "?? two\nlines", "?? \xff\xfe"));
  commit("odd names");
  write("two\nlines", "y\n");
  EXPECT_THAT(told(changes()), ElementsAre("M two\nlines"));
}

TEST_F(ChangesTest, CommitsOfABranchAreComparedWithWhereItParts) {
  begin();
  git({"checkout", "--quiet", "-b", "work"});
  write("mine", "1\n");
  commit("mine");
  git({"checkout", "--quiet", "main"});
  write("theirs", "1\n");
  commit("theirs");
  git({"checkout", "--quiet", "work"});
  write("open", "1\n");
  EXPECT_THAT(told(changes({.type = "branch_committed", .merge_base_branch = "main"})),
              ElementsAre("A mine"));
  EXPECT_THAT(told(changes({.type = "all", .merge_base_branch = "main"})),
              ElementsAre("A mine", "?? open"));
  EXPECT_THAT(told(changes({.type = "commit", .sha = git({"rev-parse", "main"})})),
              ElementsAre("A theirs"));
  EXPECT_THAT(told(changes({.type = "commit", .sha = git({"rev-parse", "main^"})})),
              ElementsAre("A a"));
}

TEST_F(ChangesTest, ABranchThatIsNotThereIsNamed) {
  begin();
  const auto range = rangeOf(open(), {.type = "all", .merge_base_branch = "nowhere"});
  ASSERT_FALSE(range.ok());
  EXPECT_EQ(range.error().code, errc::kNotFound);
  EXPECT_THAT(range.error().message, ::testing::HasSubstr("nowhere"));
  EXPECT_FALSE(rangeOf(open(), {.type = "commit", .sha = "--output=x"}).ok());
}

TEST_F(ChangesTest, ASubfolderSeesItsOwnFilesByTheirNamesInIt) {
  begin();
  write("sub/in", "1\n");
  commit("in");
  write("sub/in", "2\n");
  write("sub/new", "2\n");
  write("a", "changed\n");
  const auto folder = open(repo() / "sub");
  const auto found = changesOf(folder, rangeOf(folder, {}).value());
  ASSERT_TRUE(found.ok());
  EXPECT_THAT(told(found.value()), ElementsAre("M in", "?? new"));
}

TEST_F(ChangesTest, FilesOfTheFolderAreReadWithoutFollowingLinks) {
  begin();
  directory_.write("secret/key", "secret");
  std::filesystem::create_symlink(directory_.path() / "secret", repo() / "out");
  std::filesystem::create_symlink(directory_.path() / "secret/key", repo() / "link");
  EXPECT_EQ(readInFolder(repo(), "a", limits::kDiff).value().bytes, "one\ntwo\nthree\n");
  EXPECT_FALSE(readInFolder(repo(), "out/key", limits::kDiff).ok());
  const auto link = readInFolder(repo(), "link", limits::kDiff);
  ASSERT_TRUE(link.ok());
  EXPECT_EQ(link.value().bytes, (directory_.path() / "secret/key").string());
  EXPECT_EQ(readInFolder(repo(), "../secret/key", limits::kDiff).error().code, errc::kInvalidInput);
  EXPECT_EQ(readInFolder(repo(), "a", 3).error().code, errc::kTooLarge);
}

TEST_F(ChangesTest, ListsLeaveOutWhatIsIgnored) {
  begin();
  write(".gitignore", "build/\n");
  write("build/out", "x");
  write("src/main.cpp", "x");
  const auto paths = good(pathsOf(open(), {.directories = true}));
  EXPECT_THAT(textsOf(paths["paths"], "path"),
              ElementsAre(".gitignore", "a", "src", "src/main.cpp"));
  const auto found = good(pathsOf(open(), {.query = "main", .limit = 1}));
  EXPECT_THAT(textsOf(found["paths"], "name"), ElementsAre("main.cpp"));
  EXPECT_GT(found["paths"].items()[0]["score"].asInteger(), 0);
}

TEST_F(ChangesTest, ALinkInAListHasTheKindOfWhatItLeadsTo) {
  begin();
  write("src/main.cpp", "x");
  std::filesystem::create_directory_symlink("src", repo() / "to-folder");
  std::filesystem::create_symlink("a", repo() / "to-file");
  std::filesystem::create_symlink("gone", repo() / "to-nothing");
  git({"add", "to-folder"});
  const auto paths = [this](const ListQuery& query) {
    return textsOf(good(pathsOf(open(), query))["paths"], "path");
  };
  EXPECT_THAT(paths({}), ElementsAre("a", "src/main.cpp", "to-file", "to-nothing"));
  EXPECT_THAT(paths({.files = false, .directories = true}), ElementsAre("src", "to-folder"));
  const auto all = good(pathsOf(open(), {.limit = 5, .directories = true}));
  EXPECT_THAT(textsOf(all["paths"], "kind"),
              ElementsAre("file", "directory", "file", "file", "directory"));
  EXPECT_TRUE(all["truncated"].asBool());
  EXPECT_FALSE(good(pathsOf(open(), {.limit = 4}))["truncated"].asBool(true))
      << "what is not asked for is not left out";
}

}  // namespace
}  // namespace svc::worktrees
