#include "svc/base/files.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

#include <gmock/gmock.h>

#include "unit/plugins/temp_directory.h"

namespace svc::base {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class FilesTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string text() const { return readFile(file_, 100).value(); }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(directory_.path())) {
      found.push_back(entry.path().filename());
    }
    std::sort(found.begin(), found.end());
    return found;
  }
  static unsigned modeOf(const fs::path& path) {
    struct stat status {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0);
    return status.st_mode & 07777U;
  }

  test::TempDirectory directory_;
  fs::path file_ = directory_.path() / "file";
};

/// No file of this process may grow beyond some bytes, as when the disk is full.
class SmallFiles {
 public:
  explicit SmallFiles(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &now);
  }
  SmallFiles(const SmallFiles&) = delete;
  SmallFiles& operator=(const SmallFiles&) = delete;
  ~SmallFiles() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, SIG_DFL);
  }

 private:
  rlimit before_{};
};

TEST_F(FilesTest, TheLongestNameThereIsCanBeReplaced) {
  for (const std::size_t length : {251U, 252U, 255U}) {
    const auto file = directory_.path() / std::string(length, 'n');
    ASSERT_TRUE(replaceFile(file, "one").ok()) << length;
    ASSERT_TRUE(replaceFile(file, "two").ok()) << length;
    EXPECT_EQ(readFile(file, 100).value(), "two");
  }
  EXPECT_EQ(names().size(), 3U);
}

TEST_F(FilesTest, AFileIsReplacedAsAWholeAndForItsOwner) {
  directory_.write("file", "a longer old text");
  ::chmod(file_.c_str(), 0644);
  ASSERT_TRUE(replaceFile(file_, "new").ok());
  EXPECT_EQ(text(), "new");
  EXPECT_EQ(modeOf(file_), 0600U);
  EXPECT_THAT(names(), ElementsAre("file"));
}

TEST_F(FilesTest, RootLeavesTheFileOfAUserToThatUserWhereAsked) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "only root can write the files of others";
  }
  constexpr uid_t kUser = 54321;
  const auto owner = [this] {
    struct stat facts {};
    ::stat(file_.c_str(), &facts);
    return facts.st_uid;
  };
  directory_.write("file", "old");
  ASSERT_EQ(::chown(file_.c_str(), kUser, kUser), 0);
  ASSERT_TRUE(replaceFile(file_, "new", {.keeps_owner = true}).ok());
  EXPECT_EQ(text(), "new");
  EXPECT_EQ(owner(), kUser);
  ASSERT_TRUE(replaceFile(file_, "a secret").ok());
  EXPECT_EQ(owner(), 0U);
}

TEST_F(FilesTest, TheModeIsAsAsked) {
  const auto before = ::umask(077);
  ASSERT_TRUE(replaceFile(file_, "x", {.mode = 0640, .durability = Durability::kLoose}).ok());
  ::umask(before);
  EXPECT_EQ(modeOf(file_), 0640U);
}

TEST_F(FilesTest, AWriteThatFailsLeavesTheOldFile) {
  directory_.write("file", "old");
  const SmallFiles limit(1000);
  const auto replaced = replaceFile(file_, std::string(2000, 'x'));
  ASSERT_FALSE(replaced.ok());
  EXPECT_EQ(replaced.error().code, errc::kUnavailable);
  EXPECT_EQ(replaced.error().message, "cannot write " + file_.string() + ": File too large");
  EXPECT_EQ(text(), "old");
  EXPECT_THAT(names(), ElementsAre("file"));
}

TEST_F(FilesTest, ARenameThatFailsLeavesTheOldOneAndNoTrace) {
  fs::create_directory(file_);
  EXPECT_FALSE(replaceFile(file_, "x").ok());
  EXPECT_TRUE(fs::is_directory(file_));
  EXPECT_THAT(names(), ElementsAre("file"));
}

TEST_F(FilesTest, WhatACrashHasLeftBehindIsReplaced) {
  directory_.write("file.tmp", "half of a");
  ASSERT_TRUE(replaceFile(file_, "new").ok());
  EXPECT_EQ(text(), "new");
  EXPECT_THAT(names(), ElementsAre("file"));
}

TEST_F(FilesTest, ALinkInPlaceOfTheStagedFileIsNotFollowed) {
  const auto elsewhere = directory_.write("elsewhere", "kept");
  fs::create_symlink(elsewhere, directory_.path() / "file.tmp");
  ASSERT_TRUE(replaceFile(file_, "new").ok());
  EXPECT_EQ(readFile(elsewhere, 100).value(), "kept");
}

TEST_F(FilesTest, AStagedFileGoesUnlessItIsCommitted) {
  directory_.write("file", "old");
  {
    const auto staged = StagedFile::write(file_, "new", {.staged = directory_.path() / ".staged"});
    ASSERT_TRUE(staged.ok());
    EXPECT_EQ(readFile(staged.value().path(), 100).value(), "new");
    EXPECT_THAT(names(), ElementsAre(".staged", "file"));
  }
  EXPECT_THAT(names(), ElementsAre("file"));
  EXPECT_EQ(text(), "old");
}

TEST_F(FilesTest, ReadingNamesWhatIsWrong) {
  EXPECT_EQ(readFile(file_, 100).error().code, errc::kNotFound);
  EXPECT_EQ(readFile(file_ / "below", 100).error().code, errc::kNotFound);
  directory_.write("file", "12345");
  EXPECT_EQ(readFile(file_, 5).value(), "12345");
  EXPECT_EQ(readFile(file_, 4).error().code, errc::kTooLarge);
  EXPECT_EQ(readFile(file_, 4).error().message, file_.string() + ": more than 4 bytes");
  EXPECT_EQ(readFile(directory_.path(), 4).error().code, errc::kUnavailable);
}

TEST_F(FilesTest, AFifoIsNotWaitedFor) {
  ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
  const auto read = readFile(file_, 100);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, errc::kUnavailable);
  EXPECT_EQ(read.error().message, "cannot read " + file_.string() + ": it is not a file");
  EXPECT_FALSE(readFile("/dev/zero", 100).ok());
}

TEST_F(FilesTest, LinksAreRefusedWhenAsked) {
  directory_.write("file", "x");
  fs::create_symlink(file_, directory_.path() / "link");
  EXPECT_TRUE(readFile(directory_.path() / "link", 10).ok());
  EXPECT_FALSE(readFile(directory_.path() / "link", 10, Links::kRefused).ok());
}

TEST_F(FilesTest, APrivateDirectoryIsMadeWithThoseAboveIt) {
  const auto path = directory_.path() / "a/b/c";
  const auto before = ::umask(0);
  ASSERT_TRUE(makePrivateDirectory(path).ok());
  ::umask(before);
  EXPECT_EQ(modeOf(path), 0700U);
}

TEST_F(FilesTest, ADirectoryThatOthersSeeIsMended) {
  const auto path = directory_.path() / "open";
  fs::create_directory(path);
  for (const unsigned mode : {0755U, 0000U, 02777U}) {
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    ASSERT_TRUE(makePrivateDirectory(path).ok());
    EXPECT_EQ(modeOf(path), 0700U);
  }
}

TEST_F(FilesTest, DirectoriesAndTheirFileSystemsAreSynced) {
  EXPECT_TRUE(syncDirectory(directory_.path()).ok());
  EXPECT_TRUE(syncFileSystem(directory_.path()).ok());
  for (const auto& failed : {syncDirectory(file_), syncFileSystem(file_)}) {
    EXPECT_EQ(failed.error().message,
              "cannot write " + file_.string() + ": No such file or directory");
  }
}

TEST_F(FilesTest, AFileIsNoPrivateDirectory) {
  directory_.write("file", "x");
  ::chmod(file_.c_str(), 0644);
  const auto made = makePrivateDirectory(file_);
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(made.error().message, HasSubstr(file_.string() + ": Not a directory"));
  EXPECT_EQ(modeOf(file_), 0644U);
  EXPECT_FALSE(makePrivateDirectory(file_ / "below").ok());
}

}  // namespace
}  // namespace svc::base
