#include "commands/config_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "temp_tree.h"

namespace svc::client {
namespace {

using common::Json;
using ::testing::HasSubstr;

class ConfigFileTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path file() const { return tree.path() / "config.json"; }
  [[nodiscard]] std::string edited(const std::string& text, const std::string& key,
                                   const std::optional<Json>& value) const {
    tree.write("config.json", text);
    const auto result = editConfig(file(), key, value);
    return result ? Json::parse(result.value()).value().dump() : result.error().message;
  }
  TempTree tree;
};

TEST_F(ConfigFileTest, WritesNestedObjects) {
  EXPECT_EQ(edited(R"({"log":{"level":"info"}})", "log.format", Json("json")),
            R"({"log":{"level":"info","format":"json"}})");
  EXPECT_EQ(edited("", "a.b.c", Json(1)), R"({"a":{"b":{"c":1}}})");
}

TEST_F(ConfigFileTest, KeepsTheFormAKeyHas) {
  EXPECT_EQ(edited(R"({"log.level":"info"})", "log.level", Json("debug")),
            R"({"log.level":"debug"})");
  EXPECT_EQ(edited(R"({"listen":{"port":1},"x":2})", "listen.port", Json(3)),
            R"({"listen":{"port":3},"x":2})");
}

TEST_F(ConfigFileTest, RemovesAKeyInEitherForm) {
  EXPECT_EQ(edited(R"({"log":{"level":"a"},"log.level":"b","x":1})", "log.level", std::nullopt),
            R"({"x":1})");
  EXPECT_EQ(edited(R"({"log":{"level":"a","format":"b"}})", "log.level", std::nullopt),
            R"({"log":{"format":"b"}})");
  EXPECT_EQ(edited(R"({"x":1})", "log.level", std::nullopt),
            "log.level is not set in " + file().string());
}

TEST_F(ConfigFileTest, DoesNotLoseComments) {
  const auto message = edited("{ // mine\n}", "log.level", Json("debug"));
  EXPECT_THAT(message, HasSubstr("has comments or trailing commas"));
  EXPECT_THAT(message, HasSubstr(R"("log.level": "debug")"));
}

TEST_F(ConfigFileTest, AFifoIsNotWaitedFor) {
  ASSERT_EQ(::mkfifo(file().c_str(), 0600), 0);
  const auto result = editConfig(file(), "log.level", Json("debug"));
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message, HasSubstr("it is not a file"));
}

TEST_F(ConfigFileTest, ReplacesTheFileInOneStepAndKeepsItsMode) {
  tree.write("config.json", "old");
  ASSERT_EQ(::chmod(file().c_str(), 0640), 0);
  auto pending = stageConfig(file(), "new");
  ASSERT_TRUE(pending);
  EXPECT_EQ(tree.read("config.json"), "old");
  ASSERT_TRUE(pending.value().commit());
  EXPECT_EQ(tree.read("config.json"), "new");
  struct stat facts {};
  ASSERT_EQ(::stat(file().c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0640U);
}

TEST_F(ConfigFileTest, LeavesNothingBehindWithoutACommit) {
  { ASSERT_TRUE(stageConfig(file(), "new")); }
  EXPECT_TRUE(std::filesystem::is_empty(tree.path()));
}

TEST_F(ConfigFileTest, RootLeavesTheFileOfAUserToThatUserAndMakesNoneInItsHome) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "only root can write the files of others";
  }
  constexpr uid_t kUser = 54321;
  ASSERT_EQ(::chown(tree.path().c_str(), kUser, kUser), 0);
  const auto refused = stageConfig(tree.path() / ".config/svc/config.json", "new");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("belongs to the user '#54321': run this as that "
                                                 "user (sudo -u '#54321' -H svc …)"));
  EXPECT_TRUE(std::filesystem::is_empty(tree.path()));

  tree.write("config.json", "old");
  ASSERT_EQ(::chown(file().c_str(), kUser, kUser), 0);
  auto pending = stageConfig(file(), "new");
  ASSERT_TRUE(pending);
  ASSERT_TRUE(pending.value().commit());
  struct stat facts {};
  ASSERT_EQ(::stat(file().c_str(), &facts), 0);
  EXPECT_EQ(facts.st_uid, kUser);
}

}  // namespace
}  // namespace svc::client
