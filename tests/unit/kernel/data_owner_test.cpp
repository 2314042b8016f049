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
    EXPECT_THAT(status.error().message, HasSubstr("sudo -u '#54321' svcd"));
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

}  // namespace
}  // namespace svc::kernel
