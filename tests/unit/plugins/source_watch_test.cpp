#include "source_watch.h"

#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "temp_directory.h"

namespace svc::plugins {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class SourceWatchTest : public ::testing::Test {
 protected:
  svc::test::TempDirectory directory_;
  std::mutex mutex_;
  std::condition_variable told_;
  std::set<std::string> names_;
  std::vector<std::string> failures_;

  SourceWatchTest() {
    directory_.write("builtin/author/package.json", "{}");
    directory_.write("builtin/files/lib/a.ts", "1");
  }

  SourceWatch::Options options() {
    return {.directory = directory_.path() / "builtin",
            .changed =
                [this](const std::set<std::string>& names) {
                  const std::scoped_lock lock(mutex_);
                  names_.insert(names.begin(), names.end());
                  told_.notify_all();
                },
            .warn =
                [this](const std::string& why) {
                  const std::scoped_lock lock(mutex_);
                  failures_.push_back(why);
                  told_.notify_all();
                }};
  }
  /// What was told until this name was.
  std::set<std::string> until(const std::string& name) {
    std::unique_lock lock(mutex_);
    told_.wait(lock, [&] { return names_.contains(name); });
    return std::exchange(names_, {});
  }
};

TEST_F(SourceWatchTest, NamesTheFolderWhoseFilesChange) {
  const SourceWatch watch(options());
  directory_.write("builtin/files/lib/a.ts", "22");
  EXPECT_EQ(until("files"), std::set<std::string>{"files"});
}

TEST_F(SourceWatchTest, NamesTheFolderThatGetsFoldersOfItsOwn) {
  const SourceWatch watch(options());
  directory_.write("builtin/author/skills/new/SKILL.md", "1");
  EXPECT_EQ(until("author"), std::set<std::string>{"author"});
}

TEST_F(SourceWatchTest, LeavesOutWhatBuildsAndEditorsWrite) {
  const SourceWatch watch(options());
  directory_.write("builtin/author/dist/app.js", "1");
  directory_.write("builtin/author/node_modules/x/index.js", "1");
  directory_.write("builtin/author/.server.ts.swp", "1");
  directory_.write("builtin/files/lib/a.ts", "22");
  EXPECT_EQ(until("files"), std::set<std::string>{"files"});
}

TEST_F(SourceWatchTest, FollowsAFolderThatIsMadeAgain) {
  const SourceWatch watch(options());
  fs::remove_all(directory_.path() / "builtin/author");
  until("author");
  directory_.write("builtin/author/package.json", "{}");
  until("author");
  directory_.write("builtin/author/server.ts", "1");
  until("author");
}

TEST_F(SourceWatchTest, SaysWhenTheKernelDoesNotWatch) {
  auto refusing = options();
  refusing.add_watch = [](int, const char*, std::uint32_t) {
    errno = ENOSPC;
    return -1;
  };
  const SourceWatch watch(std::move(refusing));
  ASSERT_EQ(failures_.size(), 1U);
  EXPECT_THAT(
      failures_[0],
      AllOf(StartsWith("source watcher failed; hot reload is off until the server restarts"),
            HasSubstr("raise fs.inotify.max_user_watches")));
}

TEST_F(SourceWatchTest, SaysWhenThereIsNothingMoreToWatch) {
  const SourceWatch watch(options());
  fs::remove_all(directory_.path() / "builtin");
  std::unique_lock lock(mutex_);
  told_.wait(lock, [this] { return !failures_.empty(); });
}

TEST_F(SourceWatchTest, IsSilentWhereNothingIsBundled) {
  auto nowhere = options();
  nowhere.directory = directory_.path() / "nothing";
  const SourceWatch watch(std::move(nowhere));
  EXPECT_THAT(failures_, IsEmpty());
}

}  // namespace
}  // namespace svc::plugins
