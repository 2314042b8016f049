#include "data_replacement.h"

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>

#include "lock_file.h"

namespace svc::kernel {
namespace {

namespace fs = std::filesystem;

Result<bool> take(const fs::path& data) { return takeReplacement(data, "server.lock", "testd"); }

class DataReplacementTest : public ::testing::Test {
 protected:
  DataReplacementTest() {
    auto name = (fs::temp_directory_path() / "svc-data-XXXXXX").string();
    root_ = ::mkdtemp(name.data());
  }
  ~DataReplacementTest() override {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }

  void make(const std::string& directory, const std::string& mark) const {
    fs::create_directories(root_ / directory);
    std::ofstream(root_ / directory / "mark") << mark;
  }
  /// One that is complete, as the end of an archive says.
  void makeWhole(const std::string& directory, const std::string& mark) const {
    make(directory, mark);
    std::ofstream(root_ / directory / "manifest.json") << "{}";
  }
  [[nodiscard]] std::string mark(const std::string& directory) const {
    std::string text;
    std::ifstream(root_ / directory / "mark") >> text;
    return text;
  }
  [[nodiscard]] fs::path data() const { return root_ / "data"; }

  fs::path root_;
};

TEST_F(DataReplacementTest, WithoutOneNothingHappens) {
  make("data", "old");
  EXPECT_FALSE(replacementWaits(data()));
  EXPECT_FALSE(take(data()).value());
  EXPECT_EQ(mark("data"), "old");
}

TEST_F(DataReplacementTest, TakesThePlaceAndKeepsWhatWasThere) {
  make("data", "old");
  makeWhole("data.restore", "new");
  EXPECT_TRUE(replacementWaits(data()));
  EXPECT_TRUE(take(data()).value());
  EXPECT_EQ(mark("data"), "new");
  EXPECT_EQ(mark("data.before-restore"), "old");
  EXPECT_FALSE(replacementWaits(data()));
}

TEST_F(DataReplacementTest, ASlashAtTheEndIsTheSameDirectory) {
  make("data", "old");
  makeWhole("data.restore", "new");
  EXPECT_TRUE(take(root_ / "data/").value());
  EXPECT_EQ(mark("data"), "new");
  EXPECT_EQ(replacedData(root_ / "data/"), root_ / "data.before-restore");
}

TEST_F(DataReplacementTest, WhatAnEarlierOneReplacedGoes) {
  make("data", "old");
  makeWhole("data.restore", "new");
  make("data.before-restore", "older");
  ASSERT_TRUE(take(data()).ok());
  EXPECT_EQ(mark("data.before-restore"), "old");
}

TEST_F(DataReplacementTest, GoesOnAfterAnInterruptionBetweenTheRenames) {
  makeWhole("data.restore", "new");
  make("data.before-restore", "old");
  EXPECT_TRUE(take(data()).value());
  EXPECT_EQ(mark("data"), "new");
  EXPECT_EQ(mark("data.before-restore"), "old");
}

TEST_F(DataReplacementTest, ARunningServerKeepsItsData) {
  make("data", "old");
  makeWhole("data.restore", "new");
  const auto lock = LockFile::acquire(data() / "server.lock", "svcd");
  const auto taken = take(data());
  ASSERT_FALSE(taken.ok());
  EXPECT_EQ(taken.error().code, errc::kConflict);
  EXPECT_EQ(mark("data"), "old");
}

TEST_F(DataReplacementTest, WhatWasUnpackedInPartReplacesNothing) {
  make("data", "old");
  make("data.restore", "half");
  const auto taken = take(data());
  ASSERT_FALSE(taken.ok());
  EXPECT_EQ(taken.error().code, errc::kInvalidArgument);
  EXPECT_THAT(taken.error().message, ::testing::HasSubstr("data.restore is not a whole backup"));
  EXPECT_EQ(mark("data"), "old");
  EXPECT_EQ(mark("data.restore"), "half");
}

TEST_F(DataReplacementTest, OneOnWhichNothingStartedTakesNothingWithIt) {
  make("data", "old");
  makeWhole("data.restore", "garbage");
  ASSERT_TRUE(take(data()).ok());
  makeWhole("data.restore", "new");
  ASSERT_TRUE(take(data()).ok());
  EXPECT_EQ(mark("data"), "new");
  EXPECT_EQ(mark("data.before-restore"), "old");
}

TEST_F(DataReplacementTest, OneOnWhichAProgramStartedIsKeptAsAnyOther) {
  make("data", "old");
  makeWhole("data.restore", "new");
  ASSERT_TRUE(take(data()).ok());
  confirmReplacement(data());
  makeWhole("data.restore", "newer");
  ASSERT_TRUE(take(data()).ok());
  EXPECT_EQ(mark("data"), "newer");
  EXPECT_EQ(mark("data.before-restore"), "new");
}

TEST_F(DataReplacementTest, AnUnfinishedOneIsRemoved) {
  make("data", "present");
  EXPECT_FALSE(removeUnfinishedReplacement(data()).value());
  make("data.restore.partial", "half");
  EXPECT_TRUE(removeUnfinishedReplacement(data()).value());
  EXPECT_FALSE(fs::exists(root_ / "data.restore.partial"));
  EXPECT_EQ(mark("data"), "present");
}

}  // namespace
}  // namespace svc::kernel
