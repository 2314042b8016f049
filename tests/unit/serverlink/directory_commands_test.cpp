#include "directory_commands.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "svc/common/codes.h"
#include "svc/common/json.h"

namespace svc::serverlink {
namespace {

using common::Json;
using testing::HasSubstr;

class DirectoryCommandsTest : public testing::Test {
 protected:
  DirectoryCommandsTest() {
    std::filesystem::create_directories(root_ / "b");
    std::ofstream(root_ / "a") << "x";
    std::filesystem::create_symlink("b", root_ / "c");
    std::filesystem::create_symlink("a", root_ / "d");
    std::filesystem::create_symlink("gone", root_ / "e");
  }
  ~DirectoryCommandsTest() override { std::filesystem::remove_all(root_); }

  Result<std::string> list(const std::string& path) const {
    return listDirectory(Json::object().set("type", "host.directory").set("path", path).dump(),
                         base::PathBounds(root_));
  }

  static Json withoutFacts(Json answer) {
    auto entries = Json::array();
    for (const auto& entry : answer["entries"].items()) {
      auto kept = Json::object();
      for (const auto& [name, value] : entry.members()) {
        if (name != "sizeBytes" && name != "modifiedAt") {
          kept.set(name, value);
        }
      }
      entries.push(std::move(kept));
    }
    return answer.set("entries", std::move(entries));
  }
  Json entry(const std::string& name) const {
    const auto answer = Json::parse(list(root_.string()).value()).value();
    for (const auto& each : answer["entries"].items()) {
      if (each["name"].asString() == name) {
        return each;
      }
    }
    return {};
  }

  std::filesystem::path root_ =
      std::filesystem::canonical(testing::TempDir()) / ("directory" + std::to_string(::getpid()));
};

TEST_F(DirectoryCommandsTest, ListsByName) {
  const auto result = list(root_.string() + "/b/../");
  ASSERT_TRUE(result.ok()) << result.error().message;
  const auto root = root_.string();
  EXPECT_EQ(withoutFacts(Json::parse(result.value()).value()),
            Json::parse(fmt::format(
                            R"({{"directory":"{0}","parent":"{1}","entries":[
                               {{"name":"a","path":"{0}/a","kind":"file"}},
                               {{"name":"b","path":"{0}/b","kind":"directory"}},
                               {{"name":"c","path":"{0}/c","kind":"directory","isSymlink":true}},
                               {{"name":"d","path":"{0}/d","kind":"file","isSymlink":true}},
                               {{"name":"e","path":"{0}/e","kind":"file","isSymlink":true}}]}})",
                            root, root_.parent_path().string()))
                .value());
}

TEST_F(DirectoryCommandsTest, FilesHaveTheirSizeAndAllHaveTheTimeOfTheirChange) {
  constexpr std::int64_t kAt = 1'700'000'000'123;
  const std::array<timespec, 2> times{timespec{.tv_sec = kAt / 1000, .tv_nsec = 123'456'789},
                                      timespec{.tv_sec = kAt / 1000, .tv_nsec = 123'456'789}};
  ASSERT_EQ(::utimensat(AT_FDCWD, (root_ / "a").c_str(), times.data(), 0), 0);
  EXPECT_EQ(entry("a")["sizeBytes"].asInteger(), 1);
  EXPECT_EQ(entry("a")["modifiedAt"].asInteger(), kAt);
  EXPECT_EQ(entry("d")["sizeBytes"].asInteger(), 1) << "a link has those of its file";
  EXPECT_EQ(entry("d")["modifiedAt"].asInteger(), kAt);
  EXPECT_TRUE(entry("b")["sizeBytes"].isNull());
  EXPECT_TRUE(entry("b")["modifiedAt"].isNumber());
  EXPECT_TRUE(entry("e")["sizeBytes"].isNull()) << "a link that leads nowhere";
}

TEST_F(DirectoryCommandsTest, SaysWhatCannotBeReadOrNamed) {
  ASSERT_EQ(::mkfifo((root_ / "pipe").c_str(), 0600), 0);
  std::ofstream(root_ / "bad\xff.txt") << "x";
  EXPECT_TRUE(entry("pipe")["isSpecial"].asBool());
  EXPECT_EQ(entry("pipe")["kind"].asString(), "file");
  EXPECT_TRUE(entry("pipe")["isNameBroken"].isNull());
  EXPECT_TRUE(entry("bad\xef\xbf\xbd.txt")["isNameBroken"].asBool());
  EXPECT_TRUE(entry("a")["isSpecial"].isNull());
}

TEST_F(DirectoryCommandsTest, WithoutAPathItIsHome) {
  for (const auto* command : {R"({"type":"host.directory"})", R"({"path":null})", R"({"path":"~"})",
                              R"({"path":"~/"})", R"({"path":""})"}) {
    const auto result = listDirectory(command, base::PathBounds(root_));
    ASSERT_TRUE(result.ok()) << command << result.error().message;
    EXPECT_THAT(result.value(), HasSubstr("\"directory\":\"" + root_.string() + "\"")) << command;
  }
}

TEST_F(DirectoryCommandsTest, TheRootHasNoParent) {
  const auto result = list("/");
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(Json::parse(result.value()).value()["parent"].isNull());
  EXPECT_THAT(result.value(), HasSubstr(R"("path":"/proc")"));
}

TEST_F(DirectoryCommandsTest, LinksToDirectoriesAreFollowed) {
  EXPECT_TRUE(list((root_ / "c").string()).ok());
}

TEST_F(DirectoryCommandsTest, SaysWhatIsWrong) {
  const auto missing = list((root_ / "x").string());
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, errc::kNotFound);
  EXPECT_EQ(missing.error().message, (root_ / "x").string() + " does not exist");
  const auto file = list((root_ / "a").string());
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().code, errc::kInvalidInput);
  EXPECT_THAT(file.error().message, HasSubstr("is not a directory"));
  const auto relative = list("b");
  ASSERT_FALSE(relative.ok());
  EXPECT_THAT(relative.error().message, HasSubstr("is not absolute"));
  EXPECT_FALSE(listDirectory(R"({"path":3})", base::PathBounds(root_)).ok());
  EXPECT_FALSE(list(std::string("/\0x", 3)).ok());
}

TEST_F(DirectoryCommandsTest, ALongListEnds) {
  const auto command = Json::object().set("path", root_.string()).dump();
  const auto cut = Json::parse(listDirectory(command, base::PathBounds(root_), 2).value()).value();
  EXPECT_EQ(cut["entries"].items().size(), 2U);
  EXPECT_EQ(cut["entries"].items().back()["name"].asString(), "b");
  EXPECT_TRUE(cut["truncated"].asBool());
  const auto whole =
      Json::parse(listDirectory(command, base::PathBounds(root_), 5).value()).value();
  EXPECT_EQ(whole["entries"].items().size(), 5U);
  EXPECT_EQ(whole.find("truncated"), nullptr);
}

TEST_F(DirectoryCommandsTest, TellsWhichPathsExist) {
  const auto command =
      Json::object()
          .set("paths", Json::Array{Json((root_ / "a").string()), Json("~/b"), Json("~/x")})
          .dump();
  const auto result = pathsExist(command, base::PathBounds(root_));
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result.value(), fmt::format(R"({{"existence":{{"{}":true,"~/b":true,"~/x":false}}}})",
                                        (root_ / "a").string()));
}

TEST_F(DirectoryCommandsTest, PathsAreStringsAndNotTooMany) {
  EXPECT_FALSE(pathsExist("{}", base::PathBounds(root_)).ok());
  EXPECT_FALSE(pathsExist(R"({"paths":"x"})", base::PathBounds(root_)).ok());
  EXPECT_FALSE(pathsExist(R"({"paths":[1]})", base::PathBounds(root_)).ok());
  EXPECT_FALSE(pathsExist(R"({"paths":["x"]})", base::PathBounds(root_)).ok());
  Json::Array many(limits::kPathsExist + 1, Json("/x"));
  const auto result =
      pathsExist(Json::object().set("paths", std::move(many)).dump(), base::PathBounds(root_));
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message, HasSubstr("at most 1000, got 1001"));
}

TEST_F(DirectoryCommandsTest, WhatIsOutsideOfTheRootsIsForbiddenOrNotThere) {
  const base::PathBounds bounds("/", {(root_ / "b").string()});
  const auto command = [](const std::filesystem::path& path) {
    return Json::object().set("path", path.string()).dump();
  };
  EXPECT_EQ(listDirectory(command(root_), bounds).error().code, errc::kForbidden);
  const auto start = Json::parse(listDirectory("{}", bounds).value()).value();
  EXPECT_EQ(start["directory"].asString(), (root_ / "b").string());
  EXPECT_TRUE(start["parent"].isNull());
  const auto paths = Json::Array{Json((root_ / "a").string()), Json((root_ / "b").string())};
  const auto found =
      Json::parse(pathsExist(Json::object().set("paths", paths).dump(), bounds).value()).value();
  EXPECT_FALSE(found["existence"][(root_ / "a").string()].asBool(true));
  EXPECT_TRUE(found["existence"][(root_ / "b").string()].asBool());
}

}  // namespace
}  // namespace svc::serverlink
