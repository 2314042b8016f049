#include "file_watcher.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "linked_packages.h"
#include "temp_tree.h"

namespace svc::client {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Wake = IFileWatcher::Wake;
namespace fs = std::filesystem;

/// Only ends a test that has failed.
constexpr std::chrono::seconds kDeadline{20};
constexpr std::chrono::milliseconds kWatchNow{0};

/// Both ways of noticing: the kernel's and looking again and again.
class FileWatcherTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    tree.write("server.ts", "1");
    tree.write("lib/util.ts", "1");
    tree.write("lib/deep/more.ts", "1");
    tree.write("dist/app.js", "1");
    tree.write("node_modules/zod/index.js", "1");
    tree.write("lib/node_modules/x/index.js", "1");
    tree.write(".git/HEAD", "1");
    start();
  }
  void TearDown() override {
    ::close(stop);
    ::close(beside);
  }
  void start() {
    FileWatcher::Options options{
        .root = tree.path(),
        .interrupts = stop,
        .others =
            [this] {
              return std::vector<int>{-1, beside};
            },
        .warn = [this](const std::string& text) { warnings.push_back(text); },
        .poll = std::chrono::milliseconds(1)};
    if (GetParam()) {
      options.add_watch = [](int, const char*, std::uint32_t) {
        errno = ENOSPC;
        return -1;
      };
    }
    watcher = std::make_unique<FileWatcher>(std::move(options));
  }
  /// The changes that are there now.
  std::vector<std::string> changes() {
    EXPECT_EQ(watcher->wait(kDeadline), Wake::kActivity);
    return watcher->takeChanges();
  }

  TempTree tree;
  int stop = ::eventfd(0, EFD_CLOEXEC);
  int beside = ::eventfd(0, EFD_CLOEXEC);
  std::vector<std::string> warnings;
  std::unique_ptr<FileWatcher> watcher;
};

TEST_P(FileWatcherTest, NoticesWrittenNewAndRemovedFiles) {
  tree.write("server.ts", "22");
  tree.write("lib/deep/new.ts", "1");
  tree.remove("lib/util.ts");
  EXPECT_THAT(changes(), ElementsAre("lib/deep/new.ts", "lib/util.ts", "server.ts"));
  EXPECT_THAT(watcher->takeChanges(), IsEmpty());
}

TEST_P(FileWatcherTest, TakesAnAtomicSaveForOneChangedFile) {
  // As vim, emacs, VS Code and others do.
  tree.write(".server.ts.swp", "1");
  tree.write("4913", "");
  tree.remove("4913");
  fs::rename(tree.path() / "server.ts", tree.path() / "server.ts~");
  tree.write("server.ts.tmp123", "2");
  fs::rename(tree.path() / "server.ts.tmp123", tree.path() / "server.ts");
  tree.remove("server.ts~");
  EXPECT_THAT(changes(), ElementsAre("server.ts"));
}

TEST_P(FileWatcherTest, IgnoresOutputPackagesAndVersionControl) {
  tree.write("dist/app.js", "22");
  tree.write("dist/.stage-1/app.js", "2");
  tree.write("node_modules/zod/index.js", "22");
  tree.write("lib/node_modules/x/index.js", "22");
  tree.write(".git/index", "2");
  tree.write("lib/#util.ts#", "2");
  tree.write("lib/.#util.ts", "2");
  EXPECT_EQ(watcher->wait(kWatchNow), Wake::kTimeout);
  EXPECT_THAT(watcher->takeChanges(), IsEmpty());
}

TEST_P(FileWatcherTest, FollowsDirectoriesThatComeMoveAndGo) {
  tree.write("skills/todo/SKILL.md", "1");
  EXPECT_THAT(changes(), ElementsAre("skills/todo/SKILL.md"));
  tree.write("skills/todo/SKILL.md", "22");
  EXPECT_THAT(changes(), ElementsAre("skills/todo/SKILL.md"));
  fs::rename(tree.path() / "lib", tree.path() / "source");
  EXPECT_THAT(changes(), ElementsAre("lib/deep/more.ts", "lib/util.ts", "source/deep/more.ts",
                                     "source/util.ts"));
  tree.write("source/deep/more.ts", "22");
  EXPECT_THAT(changes(), ElementsAre("source/deep/more.ts"));
  tree.remove("source");
  EXPECT_THAT(changes(), ElementsAre("source/deep/more.ts", "source/util.ts"));
}

TEST_P(FileWatcherTest, SurvivesThatTheRootIsMadeAgain) {
  tree.remove("");
  EXPECT_THAT(changes(), ElementsAre("lib/deep/more.ts", "lib/util.ts", "server.ts"));
  tree.write("server.ts", "2");
  EXPECT_THAT(changes(), ElementsAre("server.ts"));
  tree.write("server.ts", "333");
  EXPECT_THAT(changes(), ElementsAre("server.ts"));
}

TEST_P(FileWatcherTest, CountsTenThousandFilesOfACheckout) {
  for (int i = 0; i < 10'000; ++i) {
    tree.write("pages/" + std::to_string(i % 100) + "/" + std::to_string(i) + ".ts", "1");
  }
  EXPECT_THAT(changes(), SizeIs(10'000));
  tree.write("pages/7/7.ts", "22");
  EXPECT_THAT(changes(), ElementsAre("pages/7/7.ts"));
}

TEST_P(FileWatcherTest, LooksIntoLinkedDirectories) {
  const TempTree other;
  other.write("far/away.ts", "1");
  other.write("far/node_modules/x.js", "1");
  fs::create_directory_symlink(other.path() / "far", tree.path() / "lib/link");
  EXPECT_THAT(changes(), ElementsAre("lib/link/away.ts"));
  other.write("far/away.ts", "22");
  other.write("far/node_modules/x.js", "22");
  EXPECT_THAT(changes(), ElementsAre("lib/link/away.ts"));
  other.write("far/deep/new.ts", "1");
  EXPECT_THAT(changes(), ElementsAre("lib/link/deep/new.ts"));

  start();
  other.write("far/deep/new.ts", "22");
  EXPECT_THAT(changes(), ElementsAre("lib/link/deep/new.ts"));
  other.write("near/away.ts", "333");
  fs::remove(tree.path() / "lib/link");
  fs::create_directory_symlink(other.path() / "near", tree.path() / "lib/link");
  EXPECT_THAT(changes(), ElementsAre("lib/link/away.ts", "lib/link/deep/new.ts"));
  other.write("near/away.ts", "4444");
  EXPECT_THAT(changes(), ElementsAre("lib/link/away.ts"));
  fs::remove(tree.path() / "lib/link");
  EXPECT_THAT(changes(), ElementsAre("lib/link/away.ts"));
}

TEST_P(FileWatcherTest, LooksIntoPackagesThatAreLinksToOwnCode) {
  const TempTree other;
  other.write("shared/src/words.ts", "1");
  other.write("node_modules/kept/index.js", "1");
  fs::create_directories(tree.path() / "node_modules/@acme");
  fs::create_directory_symlink(other.path() / "shared", tree.path() / "node_modules/@acme/shared");
  fs::create_directory_symlink(other.path() / "node_modules/kept",
                               tree.path() / "node_modules/kept");
  tree.write("package.json", R"({"dependencies":{"@acme/shared":"*","kept":"1","zod":"4"}})");
  start();
  other.write("shared/src/words.ts", "22");
  other.write("node_modules/kept/index.js", "22");
  EXPECT_THAT(changes(), ElementsAre("node_modules/@acme/shared/src/words.ts"));
}

TEST_P(FileWatcherTest, LooksIntoPackagesThatAreLinkedMeanwhile) {
  const TempTree other;
  other.write("words.ts", "1");
  fs::create_directories(tree.path() / "node_modules");
  tree.write("package.json", "{}");
  start();
  fs::create_directory_symlink(other.path(), tree.path() / "node_modules/words");
  tree.write("package.json", R"({"dependencies":{"words":"file:../words"}})");
  EXPECT_THAT(changes(), ElementsAre("node_modules/words/words.ts", "package.json"));
  other.write("words.ts", "22");
  EXPECT_THAT(changes(), ElementsAre("node_modules/words/words.ts"));
}

TEST(LinkedPackagesTest, AreFoundWhereNodeFindsThem) {
  const TempTree tree;
  tree.write("shared/index.ts", "1");
  tree.write("tools/index.ts", "1");
  tree.write("plugins/mine/package.json",
             R"({"dependencies":{"@acme/shared":"*","copy":"1","../../x":"1"},
                 "devDependencies":{"tools":"*","missing":"1"}})");
  tree.write("plugins/mine/node_modules/copy/index.js", "1");
  fs::create_directories(tree.path() / "node_modules/@acme");
  fs::create_directory_symlink("../../shared", tree.path() / "node_modules/@acme/shared");
  fs::create_directory_symlink("../shared", tree.path() / "node_modules/copy");
  fs::create_directory_symlink("../tools", tree.path() / "node_modules/tools");
  EXPECT_THAT(linkedPackages(tree.path() / "plugins/mine"),
              ElementsAre("../../node_modules/@acme/shared", "../../node_modules/tools"));
  EXPECT_THAT(linkedPackages(tree.path()), IsEmpty());
}

TEST_P(FileWatcherTest, FollowsNoLinkThatLeadsInACircle) {
  const TempTree other;
  other.write("far/away.ts", "1");
  fs::create_directory_symlink(tree.path(), other.path() / "far/back");
  fs::create_directory_symlink(other.path(), other.path() / "far/up");
  fs::create_directory_symlink(other.path() / "far", tree.path() / "link");
  fs::create_directory_symlink(tree.path(), tree.path() / "loop");
  fs::create_directory_symlink(tree.path().parent_path(), tree.path() / "lib/above");
  fs::create_directory_symlink("deep", tree.path() / "lib/again");
  EXPECT_THAT(changes(), ElementsAre("link/away.ts"));
  tree.write("lib/deep/more.ts", "22");
  EXPECT_THAT(changes(), ElementsAre("lib/deep/more.ts"));
}

TEST_P(FileWatcherTest, StopsWhenTold) {
  constexpr std::uint64_t kOne = 1;
  ASSERT_EQ(::write(stop, &kOne, sizeof(kOne)), static_cast<ssize_t>(sizeof(kOne)));
  tree.write("server.ts", "22");
  EXPECT_EQ(watcher->wait(std::nullopt), Wake::kStopped);
}

TEST_P(FileWatcherTest, WaitsForOthersToo) {
  constexpr std::uint64_t kOne = 1;
  ASSERT_EQ(::write(beside, &kOne, sizeof(kOne)), static_cast<ssize_t>(sizeof(kOne)));
  EXPECT_EQ(watcher->wait(std::nullopt), Wake::kOther);
}

TEST_P(FileWatcherTest, SaysOnceThatItPolls) {
  tree.write("a/b/c.ts", "1");
  EXPECT_THAT(changes(), ElementsAre("a/b/c.ts"));
  if (GetParam()) {
    EXPECT_THAT(warnings,
                ElementsAre(AllOf(HasSubstr("raise fs.inotify.max_user_watches"),
                                  HasSubstr("; looking for changes every 1 ms instead"))));
  } else {
    EXPECT_THAT(warnings, IsEmpty());
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, FileWatcherTest, ::testing::Bool(),
                         [](const auto& way) { return way.param ? "Polling" : "Kernel"; });

}  // namespace
}  // namespace svc::client
