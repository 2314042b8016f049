#include "freshness.h"

#include <gtest/gtest.h>

#include "dist_directory.h"

namespace svc::app {
namespace {

class FreshnessTest : public ::testing::Test {
 protected:
  FreshnessTest() {
    dist_.write("src/app.tsx", "");
    dist_.writeApp("js");
    dist_.setTime("src/app.tsx", 0);
    dist_.setTime("dist/app.js", 10);
    dist_.setTime("dist/app.meta.json", 10);
  }
  [[nodiscard]] bool stale() const { return needsBuild(dist_.root(), "app", "todo"); }

  DistDirectory dist_;
};

TEST_F(FreshnessTest, ABundleNewerThanEverySourceIsKept) {
  EXPECT_FALSE(stale());
  dist_.setTime("src/app.tsx", 10);
  EXPECT_FALSE(stale());
}

TEST_F(FreshnessTest, ANewerSourceAnywhereNeedsABuild) {
  dist_.setTime("src/app.tsx", 11);
  EXPECT_TRUE(stale());
}

TEST_F(FreshnessTest, WhatIsNoSourceDoesNotCount) {
  for (const auto* file : {"dist/notes.txt", "node_modules/a/index.js", ".git/HEAD", "src/.cache/x",
                           ".app.tsx.swp", "packages/b/node_modules/c.js"}) {
    dist_.write(file, "");
  }
  EXPECT_FALSE(stale());
}

TEST_F(FreshnessTest, AMissingOutputNeedsABuild) {
  std::filesystem::remove(dist_.root() / "dist/app.js");
  EXPECT_TRUE(stale());
  EXPECT_TRUE(needsBuild(dist_.root(), "host", "todo"));
}

TEST_F(FreshnessTest, AnotherSdkOrAnotherPluginNeedsABuild) {
  dist_.writeApp("js", DistDirectory::appMeta("todo", "0.4.83"));
  dist_.setTime("dist/app.js", 10);
  dist_.setTime("dist/app.meta.json", 10);
  EXPECT_TRUE(stale());
  EXPECT_TRUE(needsBuild(dist_.root(), "app", "other"));
}

}  // namespace
}  // namespace svc::app
