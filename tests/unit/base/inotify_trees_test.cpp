#include "svc/base/inotify_trees.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include <gmock/gmock.h>

#include "svc/base/path_bounds.h"

#include "unit/plugins/temp_directory.h"

namespace svc::base {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;
using enum ChangeType;

class InotifyTreesTest : public ::testing::Test {
 protected:
  InotifyTreesTest() { fs::create_directories(root_ / "sub"); }
  void add(std::vector<std::string> ignored = {}) {
    const auto added = trees_.add(
        1, root_.string(), [ignored = std::move(ignored)](const std::string& path, bool /*dir*/) {
          return std::any_of(ignored.begin(), ignored.end(),
                             [&](const std::string& each) { return isWithin(path, each); });
        });
    ASSERT_TRUE(added.ok()) << added.error().message;
  }
  /// Everything the kernel has told by now, which it does before the change returns.
  TreeChanges changes(InotifyTrees::TreeId id = 1) {
    TreeChanges all;
    for (pollfd wait{trees_.descriptor(), POLLIN, 0}; ::poll(&wait, 1, 0) > 0;) {
      auto read = trees_.read();
      all.add(read[id]);
    }
    return all;
  }
  void write(const std::string& path, const std::string& text = "x") const {
    directory_.write("root/" + path, text);
  }

  test::TempDirectory directory_;
  fs::path root_ = directory_.path() / "root";
  InotifyTrees trees_;
};

TEST_F(InotifyTreesTest, TellsOfFilesInTheWholeTree) {
  write("old", "1");
  write("sub/old", "1");
  add();
  write("new");
  write("sub/old", "2");
  fs::remove(root_ / "old");
  EXPECT_THAT(
      changes().paths(),
      UnorderedElementsAre(Pair("new", kCreate), Pair("sub/old", kUpdate), Pair("old", kDelete)));
}

TEST_F(InotifyTreesTest, FollowsNewDirectories) {
  add();
  write("a/b/c/file");
  EXPECT_THAT(changes().paths(),
              UnorderedElementsAre(Pair("a", kCreate), Pair("a/b", kCreate), Pair("a/b/c", kCreate),
                                   Pair("a/b/c/file", kCreate)));
  write("a/b/c/second");
  EXPECT_THAT(changes().paths(), UnorderedElementsAre(Pair("a/b/c/second", kCreate)));
}

TEST_F(InotifyTreesTest, FollowsRenames) {
  write("sub/file");
  add();
  fs::rename(root_ / "sub", root_ / "moved");
  EXPECT_THAT(changes().paths(), UnorderedElementsAre(Pair("sub", kDelete), Pair("moved", kCreate),
                                                      Pair("moved/file", kCreate)));
  write("moved/file", "2");
  EXPECT_THAT(changes().paths(), UnorderedElementsAre(Pair("moved/file", kUpdate)));
  fs::rename(root_ / "moved", directory_.path() / "outside");
  (void)changes();
  directory_.write("outside/file", "3");
  EXPECT_THAT(changes().paths(), IsEmpty());
}

TEST_F(InotifyTreesTest, LeavesIgnoredPathsAlone) {
  fs::create_directories(root_ / "node_modules/x");
  add({(root_ / "node_modules").string(), (root_ / "sub/secret").string()});
  write("node_modules/x/file");
  write("sub/secret");
  write("sub/secrets");
  EXPECT_THAT(changes().paths(), UnorderedElementsAre(Pair("sub/secrets", kCreate)));
}

TEST_F(InotifyTreesTest, DoesNotFollowSymbolicLinks) {
  fs::create_directories(directory_.path() / "elsewhere");
  fs::create_directory_symlink(directory_.path() / "elsewhere", root_ / "link");
  add();
  directory_.write("elsewhere/file", "x");
  EXPECT_THAT(changes().paths(), IsEmpty());
  fs::create_directory_symlink(directory_.path() / "elsewhere", root_ / "second");
  directory_.write("elsewhere/another", "x");
  EXPECT_THAT(changes().paths(), UnorderedElementsAre(Pair("second", kCreate)));
}

TEST_F(InotifyTreesTest, TheEndOfTheRootIsAnError) {
  add();
  fs::remove_all(root_);
  EXPECT_EQ(changes().error(), root_.string() + " is gone");
  fs::create_directories(root_);
  write("file");
  EXPECT_TRUE(changes().empty());
}

TEST_F(InotifyTreesTest, TreesMayOverlap) {
  add();
  ASSERT_TRUE(trees_.add(2, (root_ / "sub").string()).ok());
  write("sub/file");
  TreeChanges first;
  TreeChanges second;
  auto read = trees_.read();
  EXPECT_THAT(read[1].paths(), UnorderedElementsAre(Pair("sub/file", kCreate)));
  EXPECT_THAT(read[2].paths(), UnorderedElementsAre(Pair("file", kCreate)));
  trees_.remove(1);
  write("sub/next");
  read = trees_.read();
  EXPECT_THAT(read[1].paths(), IsEmpty());
  EXPECT_THAT(read[2].paths(), UnorderedElementsAre(Pair("next", kCreate)));
}

TEST_F(InotifyTreesTest, IgnoringKnowsDirectoriesFromFiles) {
  fs::create_directories(root_ / "there/dist");
  ASSERT_TRUE(trees_
                  .add(1, root_.string(),
                       [](const std::string& path, bool is_directory) {
                         return is_directory && path.ends_with("/dist");
                       })
                  .ok());
  write("there/dist/file");
  write("sub/dist");
  EXPECT_THAT(changes().paths(), UnorderedElementsAre(Pair("sub/dist", kCreate)));
}

TEST_F(InotifyTreesTest, WhatIsAnUpdateIsAsAsked) {
  write("file");
  trees_ = InotifyTrees({.updates = IN_MODIFY});
  add();
  fs::permissions(root_ / "file", fs::perms::owner_all);
  EXPECT_THAT(changes().paths(), IsEmpty());
  write("file", "2");
  EXPECT_THAT(changes().paths(), UnorderedElementsAre(Pair("file", kUpdate)));
}

TEST_F(InotifyTreesTest, MoreChangesThanTheBatchHoldsAreARescan) {
  trees_ = InotifyTrees({.batch = {.paths = 2}});
  add();
  write("one");
  write("two");
  write("three");
  EXPECT_TRUE(changes().rescan());
  EXPECT_THAT(changes().paths(), IsEmpty());
}

TEST_F(InotifyTreesTest, AMachineWithoutWatchesIsSaid) {
  trees_ = InotifyTrees({.add_watch = [](int, const char*, std::uint32_t) {
    errno = ENOSPC;
    return -1;
  }});
  const auto added = trees_.add(1, root_.string());
  ASSERT_FALSE(added.ok());
  EXPECT_EQ(added.error().code, errc::kUnavailable);
  EXPECT_THAT(added.error().message, ::testing::HasSubstr("max_user_watches"));
}

TEST_F(InotifyTreesTest, OnlyDirectoriesAreTrees) {
  write("file");
  EXPECT_EQ(trees_.add(1, (root_ / "file").string()).error().code, errc::kNotFound);
  EXPECT_EQ(trees_.add(1, (root_ / "missing").string()).error().code, errc::kNotFound);
}

}  // namespace
}  // namespace svc::base
