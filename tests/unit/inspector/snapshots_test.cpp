#include "snapshots.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace svc::inspector {
namespace {

class SnapshotsTest : public ::testing::Test {
 protected:
  SnapshotsTest() {
    auto pattern = (std::filesystem::temp_directory_path() / "svc-snapshots-XXXXXX").string();
    directory = ::mkdtemp(pattern.data());
  }
  ~SnapshotsTest() override { std::filesystem::remove_all(directory); }
  std::filesystem::path directory;
};

TEST_F(SnapshotsTest, CollectsChunksInAFileWithoutAName) {
  Snapshots snapshots(directory);
  auto opened = snapshots.open();
  ASSERT_TRUE(opened);
  const auto& number = opened.value().first;
  ASSERT_TRUE(snapshots.append(number + "\nab"));
  ASSERT_TRUE(snapshots.append(number + "\nc\nd"));
  const auto& file = *opened.value().second;
  EXPECT_EQ(file.read(0, 3).value(), "abc");
  EXPECT_EQ(file.read(3, 100).value(), "\nd");
  EXPECT_EQ(file.read(5, 100).value(), "");
  EXPECT_TRUE(std::filesystem::is_empty(directory));
}

TEST_F(SnapshotsTest, KeepsSnapshotsApart) {
  Snapshots snapshots(directory);
  auto first = snapshots.open();
  auto second = snapshots.open();
  ASSERT_TRUE(snapshots.append(second.value().first + "\n2"));
  ASSERT_TRUE(snapshots.append(first.value().first + "\n1"));
  EXPECT_EQ(first.value().second->read(0, 9).value(), "1");
  EXPECT_EQ(second.value().second->read(0, 9).value(), "2");
}

TEST_F(SnapshotsTest, RefusesChunksThatNobodyWaitsFor) {
  Snapshots snapshots(directory);
  auto opened = snapshots.open();
  snapshots.close(opened.value().first);
  EXPECT_EQ(snapshots.append(opened.value().first + "\nx").error().code, errc::kAborted);
  EXPECT_EQ(snapshots.append("no number").error().code, errc::kAborted);
}

TEST_F(SnapshotsTest, SaysWhenItCannotStore) {
  Snapshots snapshots(directory / "missing");
  const auto opened = snapshots.open();
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, ::testing::HasSubstr("cannot store the heap snapshot"));
}

}  // namespace
}  // namespace svc::inspector
