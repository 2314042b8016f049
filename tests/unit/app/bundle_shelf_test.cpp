#include "bundle_shelf.h"

#include <gtest/gtest.h>

#include "dist_directory.h"

namespace svc::app {
namespace {

void load(BundleShelf& shelf, const AppBundlePtr& bundle) {
  shelf.stage("todo", bundle);
  shelf.commit("todo");
}

TEST(BundleShelfTest, KeepsTwoPreviousBundles) {
  BundleShelf shelf;
  for (const auto* hash : {"a", "b", "c", "d"}) {
    load(shelf, makeBundle(hash));
  }
  EXPECT_EQ(shelf.current("todo")->hash, "d");
  EXPECT_EQ(shelf.find("todo", "c")->hash, "c");
  EXPECT_EQ(shelf.find("todo", "b")->hash, "b");
  EXPECT_EQ(shelf.find("todo", "a"), nullptr);
  EXPECT_EQ(shelf.find("other", "b"), nullptr);
}

TEST(BundleShelfTest, AReloadWithTheSameBundleForgetsNothing) {
  BundleShelf shelf;
  for (const auto* hash : {"a", "b", "c", "c", "c", "a"}) {
    load(shelf, makeBundle(hash));
  }
  EXPECT_NE(shelf.find("todo", "b"), nullptr);
  EXPECT_NE(shelf.find("todo", "c"), nullptr);
}

TEST(BundleShelfTest, AStagedBundleIsThereBeforeItIsThePresentOne) {
  BundleShelf shelf;
  load(shelf, makeBundle("a"));
  shelf.stage("todo", makeBundle("b"));
  EXPECT_EQ(shelf.current("todo")->hash, "a");
  EXPECT_NE(shelf.find("todo", "b"), nullptr);
}

TEST(BundleShelfTest, AGenerationWithoutABundleKeepsThePreviousOnes) {
  BundleShelf shelf;
  load(shelf, makeBundle("a"));
  load(shelf, nullptr);
  EXPECT_EQ(shelf.current("todo"), nullptr);
  EXPECT_NE(shelf.find("todo", "a"), nullptr);
}

TEST(BundleShelfTest, ForgetsPluginsThatAreGone) {
  BundleShelf shelf;
  load(shelf, makeBundle("a"));
  EXPECT_EQ(shelf.ownerOf("a"), "todo");
  shelf.keepOnly({"other"});
  EXPECT_EQ(shelf.ownerOf("a"), std::nullopt);
}

}  // namespace
}  // namespace svc::app
