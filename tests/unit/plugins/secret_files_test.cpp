#include "secret_files.h"

#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"
#include "svc/common/limits/storage.h"

#include "no_descriptors.h"
#include "temp_directory.h"

namespace svc::plugins {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

class SecretFilesTest : public ::testing::Test {
 protected:
  Status save(std::vector<SecretChange> changes) {
    auto staged = files_.stage(std::move(changes));
    return staged ? staged.value().commit() : Status(staged.error());
  }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& entry : fs::directory_iterator(path_)) {
      out.push_back(entry.path().filename().string());
    }
    return out;
  }

  svc::test::TempDirectory directory_;
  fs::path path_ = directory_.path() / "secrets";
  SecretFiles files_{path_};
};

TEST_F(SecretFilesTest, ReadsWhatWasWritten) {
  ASSERT_TRUE(save({{"apiKey", "hunter22\n\xC3\xA4"}, {"other", ""}}));
  EXPECT_THAT(files_.read().value(),
              ElementsAre(Pair("apiKey", "hunter22\n\xC3\xA4"), Pair("other", "")));
}

TEST_F(SecretFilesTest, HasNothingWithoutADirectory) {
  EXPECT_THAT(files_.read().value(), IsEmpty());
}

TEST_F(SecretFilesTest, WhatACrashHasLeftGoes) {
  ASSERT_TRUE(save({{"apiKey", "hunter22"}}));
  directory_.write("secrets/.new-apiKey", "hunter23");
  directory_.write("secrets/.new-.http-token", "half of another's");
  directory_.write("secrets/.http-token", "another's");
  files_.removeLeftovers();
  EXPECT_THAT(names(), ::testing::UnorderedElementsAre(".http-token", "apiKey"));
}

TEST_F(SecretFilesTest, ACommitThatFailsHalfWayLeavesNothingOfTheRest) {
  fs::create_directories(path_ / "b" / "in the way");
  EXPECT_FALSE(save({{"a", "1"}, {"b", "2"}, {"c", "3"}}).ok());
  EXPECT_THAT(names(), ::testing::UnorderedElementsAre("a", "b"));
}

TEST_F(SecretFilesTest, ACommitWhoseFolderCannotBeWrittenIsThereAsAWhole) {
  auto staged = files_.stage({{"a", "1"}, {"b", "2"}}).value();
  {
    const svc::test::NoDescriptors none;
    EXPECT_FALSE(staged.commit().ok());
  }
  EXPECT_FALSE(staged.nothingChanged());
  EXPECT_THAT(files_.read().value(), ElementsAre(Pair("a", "1"), Pair("b", "2")));
}

TEST_F(SecretFilesTest, OnlyTheOwnerMayRead) {
  directory_.write("secrets/.new-apiKey", "left behind by a crash");
  fs::permissions(path_ / ".new-apiKey", fs::perms::all);
  ASSERT_TRUE(save({{"apiKey", "hunter22"}}));
  EXPECT_EQ(fs::status(path_ / "apiKey").permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(fs::status(path_).permissions(), fs::perms::owner_all);
  EXPECT_THAT(names(), ElementsAre("apiKey"));
}

TEST_F(SecretFilesTest, ReplacesAndDeletes) {
  ASSERT_TRUE(save({{"a", "one"}, {"b", "two"}}));
  ASSERT_TRUE(save({{"a", "three"}, {"b", std::nullopt}, {"absent", std::nullopt}}));
  EXPECT_THAT(files_.read().value(), ElementsAre(Pair("a", "three")));
}

TEST_F(SecretFilesTest, ChangesNothingBeforeTheCommit) {
  ASSERT_TRUE(save({{"a", "one"}}));
  {
    const auto staged = files_.stage({{"a", "two"}});
    ASSERT_TRUE(staged);
    EXPECT_THAT(files_.read().value(), ElementsAre(Pair("a", "one")));
  }
  EXPECT_THAT(names(), ElementsAre("a"));
}

TEST_F(SecretFilesTest, SkipsWhatIsNoSetting) {
  directory_.write("secrets/.http-token", "token");
  fs::create_directory(path_ / "folder");
  EXPECT_THAT(files_.read().value(), IsEmpty());
}

TEST_F(SecretFilesTest, SkipsLinks) {
  ASSERT_TRUE(save({{"apiKey", "hunter22"}}));
  fs::create_symlink("/etc/hostname", path_ / "link");
  fs::create_symlink("/nowhere/at/all", path_ / "broken");
  EXPECT_THAT(files_.read().value(), ElementsAre(Pair("apiKey", "hunter22")));
}

TEST_F(SecretFilesTest, RefusesAFileThatIsTooLarge) {
  directory_.write("secrets/a", std::string(limits::kSettingValue + 1, 'x'));
  const auto read = files_.read();
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("limit settingValue"));
}

TEST_F(SecretFilesTest, SaysWhatCannotBeWritten) {
  directory_.write("secrets/.new-a/in-the-way", "");
  const auto saved = save({{"b", "two"}, {"a", "one"}});
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().code, errc::kUnavailable);
  EXPECT_THAT(saved.error().message, HasSubstr((path_ / ".new-a").string()));
  EXPECT_THAT(saved.error().message, ::testing::Not(HasSubstr("two")));
  EXPECT_THAT(files_.read().value(), IsEmpty());
}

}  // namespace
}  // namespace svc::plugins
