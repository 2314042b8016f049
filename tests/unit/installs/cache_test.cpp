#include "cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"

#include "fakes/fake_clock.h"
#include "files.h"

namespace svc::installs {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using namespace std::chrono_literals;

class CacheTest : public ::testing::Test {
 protected:
  fs::path directory() const { return data_.path() / "cache"; }

  /// Promotes a tree with one file; where it is.
  std::string promote(const std::string& entry, const std::string& text,
                      const std::string& digest = "0123456789abcdef") {
    auto stage = cache_.stage();
    EXPECT_TRUE(stage.ok());
    const auto tree = stage.value().path() / "tree";
    fs::create_directory(tree);
    std::ofstream(tree / "package.json") << text;
    auto out = cache_.promote(tree, entry, digest, [&](const fs::path& existing) {
      return readFile(existing / "package.json") == text;
    });
    EXPECT_TRUE(out.ok());
    return out ? out.value().path.string() : "";
  }
  std::vector<std::string> pruned(const std::vector<std::string>& roots, bool dry_run = false) {
    std::vector<std::string> out;
    for (const auto& entry : cache_.prune(roots, dry_run)) {
      out.push_back(entry.path);
    }
    return out;
  }

  TempDir data_;
  test::FakeClock clock_;
  Cache cache_{directory(), clock_, silentLog()};
};

TEST_F(CacheTest, AStageIsPrivateAndGoneWhenItIsLetGo) {
  fs::path path;
  {
    auto stage = cache_.stage();
    ASSERT_TRUE(stage.ok());
    path = stage.value().path();
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(CacheTest, PromotesATreeUnderItsName) {
  const auto root = promote("npm/todo/1.0.0", "one");
  EXPECT_EQ(root, (directory() / "npm" / "todo" / "1.0.0").string());
  EXPECT_EQ(readFile(fs::path(root) / "package.json"), "one");
  EXPECT_TRUE(cache_.contains(root));
  EXPECT_FALSE(cache_.contains("/srv/todo"));
  EXPECT_FALSE(cache_.contains((directory() / ".staging" / "x").string()));
}

TEST_F(CacheTest, UsesWhatIsThereWhenItIsTheSame) {
  EXPECT_EQ(promote("npm/todo/1.0.0", "one"), promote("npm/todo/1.0.0", "one"));
}

TEST_F(CacheTest, WhatDiffersGetsANameOfItsOwn) {
  const auto first = promote("npm/todo/1.0.0", "one");
  const auto second = promote("npm/todo/1.0.0", "two", "fedcba9876543210");
  EXPECT_EQ(second, first + "-fedcba987654");
  EXPECT_EQ(readFile(fs::path(first) / "package.json"), "one");
  EXPECT_EQ(readFile(fs::path(second) / "package.json"), "two");
}

TEST_F(CacheTest, ReplacesAnEntryThatIsDamaged) {
  promote("npm/todo/1.0.0", "one");
  const auto root = promote("npm/todo/1.0.0", "two", "fedcba9876543210");
  std::ofstream(fs::path(root) / "package.json") << "damaged";
  EXPECT_EQ(promote("npm/todo/1.0.0", "two", "fedcba9876543210"), root);
  EXPECT_EQ(readFile(fs::path(root) / "package.json"), "two");
}

TEST_F(CacheTest, PrunesWhatNoRowUses) {
  const auto used = promote("git/example.org/a-b/0123", "one");
  promote("git/example.org/a-b/4567", "two");
  promote("npm/todo/1.0.0", "three");
  promote("tarball/89ab", "four");
  const std::vector roots{used + "/plugins/todo"};
  EXPECT_THAT(pruned(roots, true),
              ElementsAre("git/example.org/a-b/4567", "npm/todo/1.0.0", "tarball/89ab"));
  EXPECT_THAT(pruned(roots),
              ElementsAre("git/example.org/a-b/4567", "npm/todo/1.0.0", "tarball/89ab"));
  EXPECT_THAT(pruned(roots), IsEmpty());
  EXPECT_TRUE(fs::exists(used));
  EXPECT_FALSE(fs::exists(directory() / "npm"));
}

TEST_F(CacheTest, PrunesNothingThatIsKept) {
  const auto root = promote("npm/todo/1.0.0", "one");
  {
    const auto keep = cache_.keep(root);
    const auto again = cache_.keep(root);
    EXPECT_THAT(pruned({}), IsEmpty());
  }
  EXPECT_THAT(pruned({}), ElementsAre("npm/todo/1.0.0"));
}

TEST_F(CacheTest, WhatWasJustPromotedIsKept) {
  auto stage = cache_.stage();
  fs::create_directory(stage.value().path() / "tree");
  const auto promoted = cache_.promote(stage.value().path() / "tree", "npm/todo/1.0.0", "0",
                                       [](const fs::path&) { return true; });
  EXPECT_THAT(pruned({}), IsEmpty());
}

TEST_F(CacheTest, ReleasesTheFilesOfARemovedPluginOnce) {
  const auto root = promote("npm/todo/1.0.0", "one");
  cache_.release(root, {root});
  EXPECT_TRUE(fs::exists(root));
  cache_.release(root, {});
  EXPECT_FALSE(fs::exists(root));
  cache_.release(root, {});
  cache_.release("/srv/todo", {});
}

TEST_F(CacheTest, RepairRemovesWhatAnInterruptedInstallLeft) {
  data_.write("cache/.staging/1-2-3/tree/package.json", "{}");
  const auto root = promote("npm/todo/1.0.0", "one");
  cache_.repair({root}, 24h);
  EXPECT_FALSE(fs::exists(directory() / ".staging"));
  EXPECT_TRUE(fs::exists(root));
}

TEST_F(CacheTest, RepairRemovesWhatNobodyHasUsedForLong) {
  const auto used = promote("npm/todo/1.0.0", "one");
  const auto fresh = promote("npm/todo/1.1.0", "two");
  const auto old = promote("npm/todo/0.9.0", "three");
  for (const auto& root : {used, old}) {
    fs::last_write_time(root, fs::file_time_type::clock::now() - 48h);
  }
  cache_.repair({used}, 24h);
  EXPECT_TRUE(fs::exists(used));
  EXPECT_TRUE(fs::exists(fresh));
  EXPECT_FALSE(fs::exists(old));
  // The one in use has been seen now.
  cache_.repair({}, 24h);
  EXPECT_TRUE(fs::exists(used));
}

TEST_F(CacheTest, SaysThatItCannotWrite) {
  data_.write("file", "no directory");
  Cache blocked(data_.path() / "file" / "cache", clock_, silentLog());
  const auto stage = blocked.stage();
  ASSERT_FALSE(stage.ok());
  EXPECT_EQ(stage.error().code, errc::kUnavailable);
  EXPECT_THAT(stage.error().message, ::testing::HasSubstr("Not a directory"));
}

TEST(PathComponentTest, IsOneHarmlessComponent) {
  EXPECT_EQ(pathComponent("@acme/todo"), "@acme-todo");
  EXPECT_EQ(pathComponent("1.2.3-beta.1+build"), "1.2.3-beta.1+build");
  EXPECT_EQ(pathComponent("../../etc"), "etc");
  EXPECT_EQ(pathComponent(".staging"), "staging");
  EXPECT_EQ(pathComponent("example.org:8080"), "example.org-8080");
  EXPECT_FALSE(pathComponent("...").empty());
  EXPECT_LE(pathComponent(std::string(1000, 'a')).size(), 200U);
  EXPECT_NE(pathComponent(std::string(1000, 'a')), pathComponent(std::string(1001, 'a')));
}

}  // namespace
}  // namespace svc::installs
