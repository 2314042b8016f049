#include <unistd.h>

#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "svc/base/files.h"

namespace svc::base {
namespace {

namespace fs = std::filesystem;

class ReadableTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto name = (fs::temp_directory_path() / "svc-readable-XXXXXX").string();
    directory_ = ::mkdtemp(name.data());
  }
  void TearDown() override {
    fs::permissions(directory_, fs::perms::owner_all);
    fs::remove_all(directory_);
  }

  fs::path directory_;
};

TEST_F(ReadableTest, WhatIsThereAndWhatIsNotAreFine) {
  std::ofstream(directory_ / "file") << "x";
  for (const auto& path : {directory_, directory_ / "file", directory_ / "none",
                           directory_ / "file/below", directory_ / "none/below"}) {
    EXPECT_FALSE(unreadable(path).has_value()) << path;
  }
}

// Root may read everything; this is what no user can.
TEST_F(ReadableTest, ALinkToItselfCannotBeRead) {
  fs::create_symlink("loop", directory_ / "loop");
  const auto why = unreadable(directory_ / "loop");
  ASSERT_TRUE(why.has_value());
  EXPECT_EQ(why->message, "cannot read " + (directory_ / "loop").string() +
                              ": Too many levels of symbolic links");
}

TEST_F(ReadableTest, RightsThatAreMissingAreNamed) {
  if (::geteuid() == 0) {
    GTEST_SKIP() << "root may read everything";
  }
  fs::permissions(directory_, fs::perms::none);
  const auto why = unreadable(directory_ / "file");
  ASSERT_TRUE(why.has_value());
  EXPECT_NE(why->message.find(": Permission denied"), std::string::npos);
}

}  // namespace
}  // namespace svc::base
