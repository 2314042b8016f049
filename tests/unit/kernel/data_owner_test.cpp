#include "data_owner.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace svc::kernel {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr uid_t kRoot = 0;

class DataOwnerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto name = (std::filesystem::temp_directory_path() / "svc-owner-XXXXXX").string();
    data_ = ::mkdtemp(name.data());
  }
  void TearDown() override { std::filesystem::remove_all(data_); }

  std::filesystem::path data_;
};

TEST_F(DataOwnerTest, RootDoesNotTakeTheDirectoryOfAnotherUser) {
  const auto database = data_ / "svc.db";
  std::ofstream(database) << "x";
  if (::geteuid() == kRoot) {
    ASSERT_EQ(::chown(data_.c_str(), 54321, 54321), 0);
    ASSERT_EQ(::chown(database.c_str(), 54321, 54321), 0);
  }
  const auto status = checkOwner(data_, "svcd", kRoot);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message,
              AllOf(HasSubstr(data_.string() + " belongs to the user "),
                    HasSubstr("svcd runs as root"), HasSubstr("sudo -u"), HasSubstr("--data-dir"),
                    HasSubstr("chown -R root " + data_.string())));
  if (::geteuid() == kRoot) {
    EXPECT_THAT(status.error().message, HasSubstr("sudo -u '#54321' -H svcd"));
  }
}

TEST_F(DataOwnerTest, AnEmptyMountOfAnotherUserIsRootsToUse) {
  if (::geteuid() == kRoot) {
    ASSERT_EQ(::chown(data_.c_str(), 54321, 54321), 0);
    EXPECT_TRUE(checkOwner(data_, "svcd", kRoot).ok());
    std::ofstream(data_ / "svc.db") << "root's";
  }
  EXPECT_TRUE(checkOwner(data_, "svcd", kRoot).ok());
}

TEST_F(DataOwnerTest, OtherUsersAreHeldOffByTheSystem) {
  EXPECT_TRUE(checkOwner(data_, "svcd", ::geteuid() + 1).ok());
}

TEST_F(DataOwnerTest, WhatIsNotThereYetBelongsToNobody) {
  EXPECT_TRUE(checkOwner(data_ / "new", "svcd", kRoot).ok());
}

TEST_F(DataOwnerTest, RootMayHaveADirectoryOfRoot) {
  EXPECT_TRUE(checkOwner("/", "svcd", kRoot).ok());
}

TEST_F(DataOwnerTest, RootMakesNothingInTheHomeOfAnotherUser) {
  if (::geteuid() == kRoot) {
    ASSERT_EQ(::chown(data_.c_str(), 54321, 54321), 0);
  }
  const auto own = data_ / ".local/share/svc";
  const auto status = checkHome(data_, own, "svcd", kRoot);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message,
              AllOf(HasSubstr(data_.string() + " (HOME) belongs to the user "),
                    HasSubstr("svcd runs as root"), HasSubstr("sudo -u"), HasSubstr("--data-dir")));
  EXPECT_TRUE(checkHome("", own, "svcd", kRoot).ok()) << "somebody has named the directory";
  EXPECT_TRUE(checkHome("/", own, "svcd", kRoot).ok());
  EXPECT_TRUE(checkHome(data_, own, "svcd", ::geteuid() + 1).ok());
  std::filesystem::create_directories(own);
  EXPECT_TRUE(checkHome(data_, own, "svcd", kRoot).ok()) << "of one that is there, checkOwner()";
}

TEST_F(DataOwnerTest, WhatOthersHaveLeftInADirectoryIsNotTaken) {
  if (::geteuid() != kRoot) {
    GTEST_SKIP() << "only root can make files of others";
  }
  constexpr uid_t kSelf = 54321;
  constexpr uid_t kOther = 54322;
  const auto give = [](const std::filesystem::path& to, uid_t user) {
    ASSERT_EQ(::lchown(to.c_str(), user, user), 0);
  };
  std::filesystem::create_directories(data_ / "logs/deep");
  std::ofstream(data_ / "logs/deep/er") << "x";
  std::ofstream(data_ / "of-root") << "x";
  for (const auto* const name : {"", "logs", "logs/deep", "logs/deep/er"}) {
    give(data_ / name, kSelf);
  }
  EXPECT_TRUE(checkContents(data_, Depth::kWhole, "svcd", kSelf).ok());

  give(data_ / "logs/deep/er", kOther);
  EXPECT_TRUE(checkContents(data_, Depth::kTop, "svcd", kSelf).ok());
  EXPECT_FALSE(checkContents(data_, Depth::kWhole, "svcd", kSelf).ok());

  std::filesystem::create_symlink("/etc/passwd", data_ / "logs/server.log");
  give(data_ / "logs/server.log", kOther);
  const auto status = checkContents(data_, Depth::kTop, "svcd", kSelf);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message,
              AllOf(HasSubstr("1 of what is in " + data_.string() + " belongs to other users"),
                    HasSubstr((data_ / "logs/server.log").string() + " to '#54322' is one"),
                    HasSubstr("-user '#54321' -ls"), HasSubstr("chown")));
  give(data_, kOther);
  EXPECT_TRUE(checkContents(data_, Depth::kTop, "svcd", kSelf).ok())
      << "on a file system that has one owner for everything";
}

}  // namespace
}  // namespace svc::kernel
