#include "write_scope.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/plugins/temp_directory.h"

namespace svc::agentd {
namespace {

using common::Json;
namespace fs = std::filesystem;

class WriteScopeTest : public ::testing::Test {
 protected:
  WriteScopeTest() {
    fs::create_directories(work_ / "src");
    fs::create_directories(elsewhere_);
  }
  template <class... Paths>
  std::string scope(Paths... paths) const {
    return writeScope({paths...}, work_.string()).dump();
  }

  svc::test::TempDirectory directory_;
  const fs::path root_ = fs::canonical(directory_.path());
  const fs::path work_ = root_ / "work";
  const fs::path elsewhere_ = root_ / "elsewhere";
  const std::string outside_ = Json(Json::Array{Json(elsewhere_.string())}).dump();
};

TEST_F(WriteScopeTest, WhatStaysInTheDirectoryHasNone) {
  EXPECT_EQ(scope("a.c"), "null");
  EXPECT_EQ(scope((work_ / "src/new/deep.c").string()), "null");
  EXPECT_EQ(scope("src/../a.c", "src/b.c"), "null");
  fs::create_directory_symlink(work_ / "src", work_ / "inside");
  EXPECT_EQ(scope("inside/a.c"), "null");
}

TEST_F(WriteScopeTest, AFileWithAnotherNameIsReachedItself) {
  std::ofstream(work_ / "a.c") << "a";
  EXPECT_EQ(scope("a.c"), "null");
  std::ofstream(elsewhere_ / "profile") << "b";
  fs::create_hard_link(elsewhere_ / "profile", work_ / "b.c");
  EXPECT_EQ(scope("a.c", "b.c"), Json(Json::Array{Json((work_ / "b.c").string())}).dump());
}

TEST_F(WriteScopeTest, WhatLeavesItSaysWhereTo) {
  EXPECT_EQ(scope("../elsewhere/a"), outside_);
  EXPECT_EQ(scope("a.c", (elsewhere_ / "b").string()), outside_);
  EXPECT_EQ(scope((root_ / "workshop").string()), Json(Json::Array{Json(root_.string())}).dump());
  EXPECT_EQ(scope("a.c", "~/a"), R"(["~"])");
  EXPECT_EQ(scope("~"), R"(["~"])");
}

TEST_F(WriteScopeTest, UrlsAreSomewhereElse) {
  EXPECT_EQ(scope("file:///etc/passwd"), R"(["file:///etc"])");
  EXPECT_EQ(scope("file:" + (work_ / "a").string()),
            Json(Json::Array{Json("file:" + work_.string())}).dump());
  EXPECT_EQ(scope("a:b", "c/d:/e"), "null");
}

TEST_F(WriteScopeTest, ADirectoryThatGoesIsReached) {
  const auto removed = [&](const fs::path& path) {
    return writeScope({path.string()}, work_.string(), Change::kRemoves).dump();
  };
  EXPECT_EQ(scope(work_.string()), Json(Json::Array{Json(root_.string())}).dump());
  EXPECT_EQ(removed("."), Json(Json::Array{Json(root_.string())}).dump());
  EXPECT_EQ(removed("src"), Json(Json::Array{Json((work_ / "src").string())}).dump());
  EXPECT_EQ(scope("src"), "null");
  EXPECT_EQ(removed("src/a.c"), "null");
}

TEST_F(WriteScopeTest, LinksAreFollowed) {
  fs::create_directory_symlink(elsewhere_, work_ / "out");
  EXPECT_EQ(scope("out/a"), outside_);
  EXPECT_EQ(scope("out/new/../a"), outside_);
  std::ofstream(elsewhere_ / "file") << "x";
  fs::create_symlink(elsewhere_ / "file", work_ / "file");
  EXPECT_EQ(scope("file"), outside_);
}

TEST_F(WriteScopeTest, WhatIsRunLaterIsReachedByNameAndByLink) {
  for (const auto* folder : {".git", ".svc", "sub/.git"}) {
    fs::create_directories(work_ / folder);
    fs::create_directory_symlink(folder, work_ / "link");
    const auto reached = Json(Json::Array{Json((work_ / folder).string())}).dump();
    EXPECT_EQ(scope(std::string(folder) + "/config"), reached);
    EXPECT_EQ(scope("link/config"), reached);
    fs::remove(work_ / "link");
  }
  EXPECT_EQ(scope(".gitignore"), "null");
}

TEST_F(WriteScopeTest, APatternMayRemoveAnything) {
  const auto removed = [&](const fs::path& path) {
    return writeScope({path.string()}, work_.string(), Change::kRemoves).dump();
  };
  EXPECT_EQ(removed("src/*"), Json(Json::Array{Json((work_ / "src").string())}).dump());
  std::ofstream(work_ / "[id].ts") << "x";
  EXPECT_EQ(removed("[id].ts"), "null");
  EXPECT_EQ(scope("new[1].ts"), "null");
}

TEST_F(WriteScopeTest, ALinkToNothingIsWhereItsTargetWouldBe) {
  fs::create_symlink("../elsewhere/none", work_ / "dangling");
  fs::create_symlink("dangling", work_ / "twice");
  EXPECT_EQ(scope("dangling"), outside_);
  EXPECT_EQ(scope("twice"), outside_);
  fs::create_symlink("round", work_ / "round");
  EXPECT_EQ(scope("round"), "null");
}

}  // namespace
}  // namespace svc::agentd
