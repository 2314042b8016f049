#include "svc/skillfiles/stage.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/base/files.h"

#include "unit/plugins/temp_directory.h"

namespace svc::skillfiles {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class StageTest : public ::testing::Test {
 protected:
  StageTest() {
    directory_.write("source/SKILL.md", "text");
    directory_.write("source/scripts/run.sh", "#!/bin/sh");
    fs::permissions(source() / "scripts/run.sh", fs::perms::owner_exec, fs::perm_options::add);
  }
  [[nodiscard]] fs::path source() const { return directory_.path() / "source"; }
  [[nodiscard]] fs::path root() const { return directory_.path() / "stages"; }
  [[nodiscard]] SkillTree tree() const { return readTree(source()).value().tree; }
  [[nodiscard]] ReadFile reader() const {
    return [from = source()](const SkillFile& file) { return readTreeFile(from, file.path); };
  }
  [[nodiscard]] std::vector<StagedSkill> skills() const {
    return {{"a", "About", tree(), reader()}};
  }
  [[nodiscard]] static std::vector<std::string> namesIn(const fs::path& path) {
    std::vector<std::string> names;
    for (const auto& each : fs::directory_iterator(path)) {
      names.push_back(each.path().filename());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  svc::test::TempDirectory directory_;
};

TEST_F(StageTest, WritesATreeThatIsTheSame) {
  const auto target = directory_.path() / "target";
  ASSERT_TRUE(writeTree(target, tree(), reader()));
  EXPECT_EQ(readTree(target).value().tree.digest, tree().digest);
  const auto again = writeTree(target, tree(), reader());
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, errc::kConflict);
  EXPECT_THAT(namesIn(directory_.path()), ElementsAre("source", "target"));
}

TEST_F(StageTest, WhatIsNotWhatTheTreeSaysIsNotWritten) {
  const auto known = tree();
  directory_.write("source/SKILL.md", "changed");
  const auto written = writeTree(directory_.path() / "target", known, reader());
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, errc::kConflict);
  EXPECT_THAT(namesIn(directory_.path()), ElementsAre("source"));
}

TEST_F(StageTest, PathsOfAListStayInside) {
  auto list = tree();
  list.files.front().path = "../escaped";
  EXPECT_THAT(writeTree(directory_.path() / "target", list, reader()).error().message,
              HasSubstr("no path below"));
  EXPECT_THAT(namesIn(directory_.path()), ElementsAre("source"));
}

TEST_F(StageTest, ACatalogueIsStagedOnce) {
  const auto staged = stageCatalogue(root(), skills());
  ASSERT_TRUE(staged) << staged.error().message;
  EXPECT_EQ(staged.value(), root() / catalogueHash({{"a", tree().digest}}));
  EXPECT_THAT(namesIn(staged.value()), ElementsAre("a", "catalog.json"));
  EXPECT_THAT(base::readFile(staged.value() / "catalog.json", 10'000).value(),
              HasSubstr("\"path\": \"a/SKILL.md\""));
  auto unreadable = skills();
  unreadable.front().read = [](const SkillFile&) -> Result<std::string> {
    return Error{errc::kInternal, "asked again"};
  };
  EXPECT_TRUE(stageCatalogue(root(), unreadable));
  EXPECT_THAT(namesIn(root()), ElementsAre(staged.value().filename().string()));
}

TEST_F(StageTest, AFailedOneLeavesNothing) {
  auto broken = skills();
  broken.front().read = [](const SkillFile&) -> Result<std::string> {
    return Error{errc::kUnavailable, "gone"};
  };
  EXPECT_THAT(stageCatalogue(root(), broken).error().message, HasSubstr("skill a: gone"));
  EXPECT_THAT(namesIn(root()), IsEmpty());
  broken.front().name = "../a";
  EXPECT_FALSE(stageCatalogue(root(), broken));
}

TEST_F(StageTest, UnusedOnesAreRemoved) {
  const auto first = stageCatalogue(root(), skills()).value();
  const auto second = stageCatalogue(root(), {}).value();
  directory_.write("stages/mine/file", "");
  directory_.write("stages/.svc-new-0011/file", "");
  removeStages(root(), {second.filename().string()});
  EXPECT_THAT(namesIn(root()), ElementsAre(second.filename().string(), "mine"));
}

TEST(CatalogueHashTest, DoesNotDependOnTheOrder) {
  EXPECT_EQ(catalogueHash({{"a", "1"}, {"b", "2"}}), catalogueHash({{"b", "2"}, {"a", "1"}}));
  EXPECT_NE(catalogueHash({{"a", "1"}}), catalogueHash({{"a", "2"}}));
  EXPECT_NE(catalogueHash({{"a", "1"}}), catalogueHash({{"b", "1"}}));
}

}  // namespace
}  // namespace svc::skillfiles
