#include "svc/skillfiles/tree_transfer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/skillfiles/sync_manifest.h"

#include "unit/plugins/temp_directory.h"

namespace svc::skillfiles {
namespace {

using common::Json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(Base64Test, IsThatOfTheStandard) {
  EXPECT_EQ(encodeBase64(""), "");
  EXPECT_EQ(encodeBase64("f"), "Zg==");
  EXPECT_EQ(encodeBase64("fo"), "Zm8=");
  EXPECT_EQ(encodeBase64("foo"), "Zm9v");
  EXPECT_EQ(encodeBase64("\xff\xfe\xfd\x01"), "//79AQ==");
}

Result<UnpackedTree> unpack(const std::string& json) {
  return unpackTree(Json::parse(json).value());
}

TEST(TreeTransferTest, ATreeArrivesAsItWas) {
  const svc::test::TempDirectory directory;
  std::string bytes;
  for (int at = 0; at < 300; ++at) {
    bytes.push_back(static_cast<char>(at));
  }
  directory.write("a/b/c.bin", bytes);
  directory.write("a/empty", "");
  directory.write("a/SKILL.md", "text");
  std::filesystem::permissions(directory.path() / "a/empty", std::filesystem::perms::owner_exec,
                               std::filesystem::perm_options::add);
  const auto tree = readTree(directory.path() / "a").value().tree;
  const auto arrived = unpack(packTree(directory.path() / "a", tree).value());
  ASSERT_TRUE(arrived) << arrived.error().message;
  EXPECT_EQ(arrived.value().tree.files, tree.files);
  EXPECT_EQ(arrived.value().tree.digest, tree.digest);
  EXPECT_THAT(arrived.value().contents,
              ElementsAre(Pair("SKILL.md", "text"), Pair("b/c.bin", bytes), Pair("empty", "")));
}

TEST(TreeTransferTest, WhatLeavesTheSkillOrIsNoTreeIsRefused) {
  EXPECT_THAT(unpack("{}").error().message, HasSubstr("must have files"));
  EXPECT_THAT(unpack(R"({"files":[{"path":"../a","dataBase64":""}]})").error().message,
              HasSubstr("no path below"));
  EXPECT_THAT(unpack(R"({"files":[{"path":"/a","dataBase64":""}]})").error().message,
              HasSubstr("no path below"));
  for (const auto* const bad : {"Zg=", "Z===", "Zm9v!", "Zm 9", "="}) {
    EXPECT_THAT(unpack(fmt::format(R"({{"files":[{{"path":"a","dataBase64":"{}"}}]}})", bad))
                    .error()
                    .message,
                HasSubstr("no Base64"))
        << bad;
  }
  EXPECT_THAT(unpack(R"({"files":[{"path":"a","dataBase64":""},{"path":"a","dataBase64":""}]})")
                  .error()
                  .message,
              HasSubstr("twice"));
}

TEST(SyncManifestTest, IsReadAsItWasWritten) {
  SyncManifest manifest;
  manifest.trees["a"] = {"1", "2"};
  const auto read = SyncManifest::parse(manifest.dump());
  ASSERT_TRUE(read);
  EXPECT_EQ(read.value().trees, manifest.trees);
  EXPECT_TRUE(read.value().owns("a", "2"));
  EXPECT_FALSE(read.value().owns("a", "3"));
  EXPECT_FALSE(read.value().owns("b", "1"));
}

TEST(SyncManifestTest, WhatIsNoManifestIsRefused) {
  for (const auto* const bad :
       {"", "{}", R"({"version":2,"skills":{}})", R"({"version":1,"skills":{"../a":[]}})"}) {
    EXPECT_FALSE(SyncManifest::parse(bad)) << bad;
  }
}

}  // namespace
}  // namespace svc::skillfiles
