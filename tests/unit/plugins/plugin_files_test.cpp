#include "plugin_files.h"

#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "temp_directory.h"

namespace svc::plugins {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class PluginFilesTest : public ::testing::Test {
 protected:
  svc::test::TempDirectory directory_;
  fs::path root_ = directory_.path() / "plugin";

  void SetUp() override {
    directory_.write(
        "plugin/package.json",
        R"({"name":"svc-plugin-todo","version":"1.0.0","svc":{"server":"server.ts","app":"app.tsx"}})");
    directory_.write("plugin/server.ts", "");
    directory_.write("plugin/app.tsx", "");
  }
};

TEST_F(PluginFilesTest, ReadsAPlugin) {
  const auto out = readPlugin(root_);
  ASSERT_TRUE(out) << out.error().message;
  EXPECT_EQ(out.value().manifest.id, "todo");
}

TEST_F(PluginFilesTest, TellsAMissingDirectoryFromAMissingManifest) {
  EXPECT_EQ(readPlugin(root_ / "nowhere").error().code, kNoDirectory);
  fs::remove(root_ / "package.json");
  EXPECT_EQ(readPlugin(root_).error().code, kNoManifest);
}

// Root may read everything; a link to itself is what no user can.
TEST_F(PluginFilesTest, WhatCannotBeReadIsNotMissing) {
  fs::create_symlink("loop", root_ / "loop");
  const auto directory = readPlugin(root_ / "loop").error();
  EXPECT_EQ(directory.code, kNoManifest);
  EXPECT_THAT(directory.message,
              HasSubstr("cannot read " + (root_ / "loop").string() + ": Too many levels"));
  fs::remove(root_ / "loop");
  fs::remove(root_ / "package.json");
  fs::create_symlink("package.json", root_ / "package.json");
  EXPECT_THAT(readPlugin(root_).error().message, HasSubstr("package.json: Too many levels"));
}

TEST_F(PluginFilesTest, AFifoThatABuildWouldOpenIsRefused) {
  for (const std::string package : {"a", "@scope/b", "a/node_modules/c"}) {
    const auto directory = root_ / "node_modules" / package;
    fs::create_directories(directory);
    ASSERT_EQ(::mkfifo((directory / "package.json").c_str(), 0600), 0);
    const auto read = readPlugin(root_);
    ASSERT_FALSE(read) << package;
    EXPECT_THAT(read.error().message, HasSubstr("node_modules/" + package +
                                                "/package.json in the plugin's directory is "
                                                "a FIFO"));
    fs::remove(directory / "package.json");
  }
  EXPECT_TRUE(readPlugin(root_));
}

TEST_F(PluginFilesTest, AManifestThatIsNoFileIsNoManifest) {
  fs::remove(root_ / "package.json");
  fs::create_directory(root_ / "package.json");
  EXPECT_EQ(readPlugin(root_).error().code, kNoManifest);
}

TEST_F(PluginFilesTest, OpensNoFifosAndNoDevices) {
  fs::create_directories(root_ / "assets");
  ASSERT_EQ(::mkfifo((root_ / "assets/pipe.ts").c_str(), 0600), 0);
  const auto fifo = readPlugin(root_);
  EXPECT_EQ(fifo.error().code, errc::kInvalidArgument);
  EXPECT_EQ(fifo.error().message,
            "assets/pipe.ts in the plugin's directory is a FIFO: remove it, a plugin has files, "
            "directories and links");
  fs::remove(root_ / "assets/pipe.ts");
  fs::create_symlink("/dev/zero", root_ / "assets/zero.ts");
  EXPECT_THAT(readPlugin(root_).error().message,
              HasSubstr("assets/zero.ts in the plugin's directory is a device"));
  fs::remove(root_ / "assets/zero.ts");
  fs::remove(root_ / "package.json");
  ASSERT_EQ(::mkfifo((root_ / "package.json").c_str(), 0600), 0);
  EXPECT_THAT(readPlugin(root_).error().message, HasSubstr("package.json in the plugin's"));
}

TEST_F(PluginFilesTest, DanglingLinksAndPackagesAreNotItsConcern) {
  fs::create_directories(root_ / "node_modules/dep");
  ASSERT_EQ(::mkfifo((root_ / "node_modules/dep/pipe").c_str(), 0600), 0);
  fs::create_symlink("nowhere", root_ / "dangling");
  EXPECT_TRUE(readPlugin(root_));
}

TEST_F(PluginFilesTest, NamesTheEntryThatIsNotThere) {
  fs::remove(root_ / "app.tsx");
  const auto out = readPlugin(root_);
  EXPECT_EQ(out.error().code, errc::kNotFound);
  EXPECT_THAT(out.error().message, HasSubstr("svc.app: \"app.tsx\" cannot be read"));
}

TEST_F(PluginFilesTest, AnEntryMustBeAFile) {
  fs::remove(root_ / "server.ts");
  fs::create_directory(root_ / "server.ts");
  EXPECT_THAT(readPlugin(root_).error().message,
              HasSubstr("svc.server: \"server.ts\" is not a file"));
}

TEST_F(PluginFilesTest, ALinkMustNotLeaveTheRoot) {
  directory_.write("outside.ts", "");
  fs::remove(root_ / "server.ts");
  fs::create_symlink(directory_.path() / "outside.ts", root_ / "server.ts");
  EXPECT_EQ(readPlugin(root_).error().code, kPathEscape);
}

TEST_F(PluginFilesTest, ALinkInsideTheRootIsFine) {
  fs::remove(root_ / "server.ts");
  fs::create_symlink("app.tsx", root_ / "server.ts");
  EXPECT_TRUE(readPlugin(root_));
}

TEST_F(PluginFilesTest, ARootThatIsALinkIsFine) {
  fs::create_directory_symlink(root_, directory_.path() / "current");
  EXPECT_TRUE(readPlugin(directory_.path() / "current"));
}

TEST_F(PluginFilesTest, RemovingKeepsDataUnlessPurged) {
  directory_.write("data/secrets/token", "x");
  directory_.write("data/logs/plugin.log", "x");
  directory_.write("data/data.db", "x");
  ASSERT_TRUE(removePluginData(directory_.path() / "data", false));
  EXPECT_FALSE(fs::exists(directory_.path() / "data/secrets"));
  EXPECT_TRUE(fs::exists(directory_.path() / "data/data.db"));
  EXPECT_TRUE(fs::exists(directory_.path() / "data/logs/plugin.log"));
  ASSERT_TRUE(removePluginData(directory_.path() / "data", true));
  EXPECT_FALSE(fs::exists(directory_.path() / "data"));
}

TEST(SizeTextTest, UsesDecimalUnits) {
  EXPECT_EQ(sizeText(0), "0 bytes");
  EXPECT_EQ(sizeText(999), "999 bytes");
  EXPECT_EQ(sizeText(1'200'000), "1.2 MB");
  EXPECT_EQ(sizeText(4'096), "4.1 kB");
}

}  // namespace
}  // namespace svc::plugins
