#include "skills.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "temp_directory.h"

namespace svc::plugins {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string skill(const std::string& name, const std::string& description) {
  return "---\nname: " + name + "\ndescription: " + description + "\n---\n# Text\n";
}

class ScanSkillsTest : public ::testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) const {
    directory_.write(path, text);
  }
  [[nodiscard]] SkillScan scan(const std::vector<std::string>& roots = {"skills"}) const {
    return scanSkills(directory_.path() / "plugin", roots);
  }
  svc::test::TempDirectory directory_;
};

TEST_F(ScanSkillsTest, FindsNothingWithoutTheDirectory) {
  EXPECT_THAT(scan().skills, IsEmpty());
  EXPECT_THAT(scan().problems, IsEmpty());
}

TEST_F(ScanSkillsTest, ListsRootsInOrderAndNamesAscending) {
  write("plugin/skills/b/SKILL.md", skill("b", "B"));
  write("plugin/skills/a/SKILL.md", skill("a", "A"));
  write("plugin/more/0/SKILL.md", skill("0", "Zero"));
  EXPECT_THAT(
      scan({"skills", "more"}).skills,
      ElementsAre(Field(&Skill::name, "a"), Field(&Skill::name, "b"), Field(&Skill::name, "0")));
  EXPECT_THAT(scan({}).skills, IsEmpty());
}

TEST_F(ScanSkillsTest, SkipsAndReportsInvalidOnes) {
  write("plugin/skills/good/SKILL.md", skill("good", "G"));
  write("plugin/skills/empty/README.md", "");
  write("plugin/skills/other/SKILL.md", skill("good", "G"));
  write("plugin/more/good/SKILL.md", skill("good", "G"));
  const auto found = scan({"skills", "more"});
  EXPECT_THAT(found.skills, ElementsAre(Field(&Skill::name, "good")));
  EXPECT_THAT(
      found.problems,
      ElementsAre(
          Field(&Problem::message, HasSubstr("skill skills/empty is skipped: it has no SKILL.md")),
          Field(&Problem::message, HasSubstr("skill skills/other is skipped: name")),
          Field(&Problem::message, HasSubstr("skill more/good is skipped: another"))));
}

TEST_F(ScanSkillsTest, ARemarkAboutOneThatIsUsedDoesNotSayThatItIsSkipped) {
  write("plugin/skills/colon/SKILL.md", skill("colon", "Use it: always"));
  const auto found = scan();
  EXPECT_THAT(found.skills, ElementsAre(Field(&Skill::name, "colon")));
  EXPECT_THAT(
      found.problems,
      ElementsAre(Field(&Problem::message, ::testing::StartsWith("skill skills/colon: a value"))));
}

TEST_F(ScanSkillsTest, FollowsNoLinks) {
  write("outside/SKILL.md", skill("outside", "O"));
  write("plugin/skills/inside/README.md", "");
  std::filesystem::create_directory_symlink(directory_.path() / "outside",
                                            directory_.path() / "plugin/skills/outside");
  std::filesystem::create_directory_symlink(directory_.path() / "outside",
                                            directory_.path() / "plugin/linked");
  const auto found = scan({"skills", "linked"});
  EXPECT_THAT(found.skills, IsEmpty());
  EXPECT_THAT(found.problems,
              ElementsAre(::testing::_, Field(&Problem::message, HasSubstr("symbolic link")),
                          Field(&Problem::message, HasSubstr("leaves the plugin directory"))));
}

}  // namespace
}  // namespace svc::plugins
