#include "svc/base/path_bounds.h"

#include <unistd.h>

#include <filesystem>

#include <gtest/gtest.h>

namespace svc::base {
namespace {

namespace fs = std::filesystem;

class PathBoundsTest : public ::testing::Test {
 protected:
  PathBoundsTest() {
    fs::create_directories(root_ / "home/in/deep");
    fs::create_directories(root_ / "out");
  }
  ~PathBoundsTest() override { fs::remove_all(root_); }
  [[nodiscard]] std::string home() const { return (root_ / "home").string(); }

  const fs::path root_ =
      fs::canonical(::testing::TempDir()) / ("bounds" + std::to_string(::getpid()));
};

TEST(IsWithin, GoesByWholeNames) {
  EXPECT_TRUE(isWithin("/a/b", "/a/b"));
  EXPECT_TRUE(isWithin("/a/b/c/d", "/a/b"));
  EXPECT_TRUE(isWithin("/a", "/"));
  EXPECT_FALSE(isWithin("/a", "/a/b"));
  EXPECT_FALSE(isWithin("/a/bc", "/a/b"));
  EXPECT_FALSE(isWithin("", "/a/b"));
}

TEST(IsWithin, NothingIsWithinWhatHasNoName) {
  EXPECT_FALSE(isWithin("/a", ""));
  EXPECT_FALSE(isWithin("", ""));
}

TEST_F(PathBoundsTest, WithoutRootsEverythingIsAllowed) {
  const PathBounds bounds(home());
  EXPECT_TRUE(bounds.allows("/etc"));
  EXPECT_EQ(bounds.start(), home());
}

TEST_F(PathBoundsTest, WhatIsNotBelowARootIsNotAllowed) {
  const PathBounds bounds(home(), {"~/in", (root_ / "gone").string()});
  EXPECT_TRUE(bounds.allows(root_ / "home/in"));
  EXPECT_TRUE(bounds.allows(root_ / "home/in/"));
  EXPECT_TRUE(bounds.allows(root_ / "home/in/deep/new/file"));
  EXPECT_TRUE(bounds.allows(root_ / "gone/file"));
  EXPECT_FALSE(bounds.allows(root_ / "home"));
  EXPECT_FALSE(bounds.allows(root_ / "home/inside"));
  EXPECT_FALSE(bounds.allows(root_ / "home/in/../../out"));
  EXPECT_EQ(bounds.start(), (root_ / "home/in").string());
  EXPECT_EQ(PathBounds(home(), {"~"}).start(), home());
}

TEST_F(PathBoundsTest, LinksAreFollowedOnBothSides) {
  fs::create_directory_symlink(root_ / "out", root_ / "home/in/link");
  fs::create_directory_symlink(root_ / "home/in", root_ / "alias");
  const PathBounds bounds(home(), {(root_ / "alias").string()});
  EXPECT_TRUE(bounds.allows(root_ / "home/in/deep"));
  EXPECT_TRUE(bounds.allows(root_ / "alias/deep"));
  EXPECT_FALSE(bounds.allows(root_ / "alias/link"));
  EXPECT_FALSE(bounds.allows(root_ / "home/in/link/new"));
}

}  // namespace
}  // namespace svc::base
