#include "installation.h"

#include <fcntl.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include "svc/common/codes.h"

#include "program_package.h"
#include "unit/plugins/temp_directory.h"

namespace svc::serverlink {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const std::string kFirst(64, 'a');
const std::string kSecond(64, 'b');

class InstallationTest : public ::testing::Test {
 protected:
  InstallationTest() { installProgram(root_); }

  [[nodiscard]] fs::path binOf(const std::string& sha256) const {
    return root_ / "lib/svc/updates" / sha256 / "bin";
  }
  /// What starts next.
  [[nodiscard]] std::string launched() const { return fileText(root_ / "bin/svc-hostd"); }
  static void update(const Installation& installation, const std::string& sha256) {
    const auto staging = installation.stage().value();
    installProgram(staging->program(), "program " + sha256.substr(0, 1));
    const auto taken = installation.take(*staging, sha256);
    EXPECT_TRUE(taken.ok()) << taken.error().message;
  }

  svc::test::TempDirectory directory_;
  const fs::path root_ = directory_.path() / "opt";
  const Installation installed_{root_ / "bin"};
};

TEST_F(InstallationTest, AnUpdateIsTheNextToStartAndTheOldOneIsKept) {
  EXPECT_EQ(installed_.running(), "");
  EXPECT_TRUE(installed_.checkReplaceable().ok());
  update(installed_, kFirst);
  EXPECT_EQ(launched(), "program a");
  EXPECT_EQ(fs::canonical(installed_.launcher()), binOf(kFirst) / "svc-hostd");
  EXPECT_EQ(fileText(root_ / "bin/.svc-hostd.previous"), "first");
}

TEST_F(InstallationTest, AnUpdatedProgramFindsTheSameInstallation) {
  update(installed_, kFirst);
  const Installation updated(binOf(kFirst));
  EXPECT_EQ(updated.running(), kFirst);
  EXPECT_EQ(updated.launcher(), installed_.launcher());
  update(updated, kSecond);
  EXPECT_EQ(launched(), "program b");
  EXPECT_TRUE(updated.goBack().ok());
  EXPECT_EQ(launched(), "program a");
}

TEST_F(InstallationTest, GoesBackToTheFirstInstallation) {
  update(installed_, kFirst);
  EXPECT_TRUE(Installation(binOf(kFirst)).goBack().ok());
  EXPECT_EQ(launched(), "first");
  EXPECT_FALSE(fs::is_symlink(installed_.launcher()));
  EXPECT_EQ(installed_.goBack().error().code, errc::kNotFound);
  EXPECT_EQ(launched(), "first");
}

TEST_F(InstallationTest, OnceItWorksTheOldOnesGo) {
  update(installed_, kFirst);
  update(Installation(binOf(kFirst)), kSecond);
  Installation(binOf(kSecond)).settle();
  EXPECT_FALSE(fs::exists(binOf(kFirst)));
  EXPECT_FALSE(fs::exists(fs::symlink_status(root_ / "bin/.svc-hostd.previous")));
  EXPECT_EQ(launched(), "program b");
  EXPECT_TRUE(fs::exists(root_ / "lib/svc/modules")) << "other programs may use it";
}

TEST_F(InstallationTest, AProgramThatIsNotTheNextToStartRemovesNothing) {
  update(installed_, kFirst);
  installed_.settle();
  EXPECT_EQ(launched(), "program a");
  update(Installation(binOf(kFirst)), kSecond);
  Installation(binOf(kFirst)).settle();
  EXPECT_EQ(launched(), "program b");
  EXPECT_TRUE(fs::exists(binOf(kFirst)));
}

TEST_F(InstallationTest, WithoutUpdatesSettlingTouchesNothing) {
  installed_.settle();
  EXPECT_FALSE(fs::exists(root_ / "lib/svc/updates"));
}

TEST_F(InstallationTest, TheSameUpdateTwiceIsStillOneThatCanBeUndone) {
  update(installed_, kFirst);
  update(installed_, kFirst);
  EXPECT_EQ(launched(), "program a");
  EXPECT_TRUE(installed_.goBack().ok());
  EXPECT_EQ(launched(), "first");
}

TEST_F(InstallationTest, StagingIsPrivateAloneAndGoesWithItsObject) {
  auto staging = installed_.stage().value();
  const auto directory = staging->directory();
  EXPECT_EQ(fs::status(directory).permissions(), fs::perms::owner_all);
  EXPECT_EQ(installed_.stage().error().code, errc::kConflict);
  staging.reset();
  EXPECT_FALSE(fs::exists(directory));
  EXPECT_TRUE(installed_.stage().ok());
}

TEST_F(InstallationTest, WhatACrashHasLeftIsRemoved) {
  const auto left = root_ / "lib/svc/updates/.staged-dead";
  fs::create_directories(left / "program");
  std::ignore = installed_.stage().value();
  EXPECT_FALSE(fs::exists(left));
}

TEST_F(InstallationTest, ACrashBeforeTheLastRenameLeavesTheOldOne) {
  update(installed_, kFirst);
  EXPECT_TRUE(installed_.goBack().ok());
  // As after a crash between the copy of the old one and the rename of the new one.
  fs::create_hard_link(installed_.launcher(), root_ / "bin/.svc-hostd.previous");
  fs::create_symlink("../lib/svc/updates/x/bin/svc-hostd", root_ / "bin/.svc-hostd.next");
  EXPECT_EQ(launched(), "first");
  update(installed_, kSecond);
  EXPECT_EQ(launched(), "program b");
  EXPECT_TRUE(installed_.goBack().ok());
  EXPECT_EQ(launched(), "first");
}

TEST_F(InstallationTest, WhatCannotBeWrittenSaysWhatToDo) {
  EXPECT_THAT(Installation("/usr/bin").checkReplaceable().error().message,
              HasSubstr("package manager"));
  const auto status = Installation("/proc/1/bin").checkReplaceable();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, errc::kForbidden);
  EXPECT_THAT(status.error().message, HasSubstr("update svc there as who has installed it"));
}

}  // namespace
}  // namespace svc::serverlink
