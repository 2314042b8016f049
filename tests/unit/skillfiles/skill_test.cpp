#include "svc/skillfiles/skill.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/limits/skills.h"

#include "unit/plugins/temp_directory.h"

namespace svc::skillfiles {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string skill(const std::string& name, const std::string& description) {
  return "---\nname: " + name + "\ndescription: " + description + "\n---\n# Text\n";
}

TEST(ParseSkillTest, ReadsNameAndDescription) {
  const auto parsed = parseSkill(skill("todo-list", "\"When there is: a list\""), "todo-list");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed.value().description, "When there is: a list");
}

TEST(ParseSkillTest, ReadsTextOverSeveralLines) {
  for (const auto* text :
       {"---\r\nname: a\r\ndescription: >-\r\n  One\r\n  two.\r\nlicense: x\r\n---\r\n",
        "---\nname: a\ndescription:\n  One\n  two.\n---",
        "\xEF\xBB\xBF---\nname: a\ndescription: One\n two.\n---"}) {
    const auto parsed = parseSkill(text, "a");
    ASSERT_TRUE(parsed) << parsed.error().message;
    EXPECT_EQ(parsed.value().description, "One two.");
  }
}

TEST(ParseSkillTest, SaysWhatIsWrong) {
  const auto problem = [](std::string_view text, std::string_view directory) {
    const auto parsed = parseSkill(text, directory);
    return parsed ? std::string() : parsed.error().message;
  };
  EXPECT_THAT(problem(skill("A", "x"), "A"), HasSubstr("lower-case words"));
  EXPECT_THAT(problem(skill("a--b", "x"), "a--b"), HasSubstr("lower-case words"));
  EXPECT_THAT(problem(skill("a-", "x"), "a-"), HasSubstr("lower-case words"));
  const std::string long_name(65, 'a');
  EXPECT_THAT(problem(skill(long_name, "x"), long_name), HasSubstr("at most 64"));
  EXPECT_THAT(problem("# Skill", "a"), HasSubstr("must begin with a line \"---\""));
  EXPECT_THAT(problem("---\nname: a\n", "a"), HasSubstr("no closing line"));
  EXPECT_THAT(problem(skill("b", "x"), "a"), HasSubstr("name in SKILL.md is \"b\""));
  EXPECT_THAT(problem(skill("a", " "), "a"), HasSubstr("description in SKILL.md must say"));
  EXPECT_THAT(problem(skill("a", "[x]"), "a"), HasSubstr("description in SKILL.md must be text"));
  EXPECT_THAT(problem(skill("a", "x\xff"), "a"), HasSubstr("not UTF-8"));
  EXPECT_THAT(problem(skill("a", std::string(1025, 'x')), "a"),
              HasSubstr("has 1025 characters, the limit is 1024"));
}

TEST(ParseSkillTest, LenientlyUsesWhatCanBeUsed) {
  const auto lenient = [](std::string_view text, std::string_view directory) {
    return parseSkill(text, directory, Rules::kLenient);
  };
  auto other = lenient(skill("b", "Use when: x"), "Some Folder");
  ASSERT_TRUE(other) << other.error().message;
  EXPECT_EQ(other.value().name, "b");
  EXPECT_EQ(other.value().description, "Use when: x");
  EXPECT_THAT(other.value().warnings,
              ElementsAre(HasSubstr("colon"), HasSubstr("not that of the directory")));
  auto nameless = lenient("---\ndescription: x\n---\n", "a");
  ASSERT_TRUE(nameless);
  EXPECT_EQ(nameless.value().name, "a");
  EXPECT_TRUE(lenient(skill("a", std::string(2000, 'x')), "a"));
  const std::string long_name(70, 'a');
  const auto long_named = lenient(skill(long_name, "x"), long_name);
  ASSERT_TRUE(long_named) << long_named.error().message;
  EXPECT_THAT(long_named.value().warnings,
              ElementsAre("name in SKILL.md has 70 characters, the limit is 64"));
  EXPECT_FALSE(lenient(skill(std::string(256, 'a'), "x"), "a"));
  EXPECT_FALSE(lenient(skill("A B", "x"), "a"));
  EXPECT_FALSE(lenient("---\nname: a\n---\n", "a"));
  EXPECT_THAT(lenient(skill("\"\\e[2J\"", "x"), "a").error().message, HasSubstr("\\x1B[2J"));
}

class LoadSkillsTest : public ::testing::Test {
 protected:
  [[nodiscard]] SkillFolder load(Rules rules = Rules::kContract) const {
    return loadSkills(directory_.path() / "skills", rules);
  }
  [[nodiscard]] static std::vector<std::string> names(const SkillFolder& folder) {
    std::vector<std::string> out;
    for (const auto& each : folder.skills) {
      out.push_back(each.head.name);
    }
    return out;
  }
  [[nodiscard]] static std::vector<std::string> problems(const SkillFolder& folder) {
    std::vector<std::string> out;
    for (const auto& each : folder.problems) {
      out.push_back(each.path + ": " + each.message);
    }
    return out;
  }
  svc::test::TempDirectory directory_;
};

TEST_F(LoadSkillsTest, FindsNothingWithoutTheDirectory) {
  EXPECT_THAT(load().skills, IsEmpty());
  EXPECT_THAT(load().problems, IsEmpty());
}

TEST_F(LoadSkillsTest, SkipsAndReportsInvalidOnes) {
  directory_.write("skills/good/SKILL.md", skill("good", "G"));
  directory_.write("skills/empty/README.md", "");
  directory_.write("skills/other/SKILL.md", skill("good", "G"));
  directory_.write("skills/.hidden/SKILL.md", skill("hidden", "H"));
  directory_.write("skills/README.md", "no skill, and nobody's business");
  directory_.write("skills/folder/SKILL.md/file", "");
  const auto found = load();
  EXPECT_THAT(names(found), ElementsAre("good"));
  EXPECT_THAT(problems(found), ElementsAre("empty: it has no SKILL.md",
                                           HasSubstr("folder: its SKILL.md cannot be read"),
                                           HasSubstr("other: name in SKILL.md is \"good\"")));
}

TEST_F(LoadSkillsTest, FollowsNoLinks) {
  directory_.write("outside/SKILL.md", skill("outside", "O"));
  directory_.write("skills/inside/SKILL.md", skill("inside", "I"));
  std::filesystem::create_directory_symlink(directory_.path() / "outside",
                                            directory_.path() / "skills/outside");
  std::filesystem::create_symlink("/etc/passwd", directory_.path() / "skills/inside/passwd");
  EXPECT_THAT(names(load()), IsEmpty());
  EXPECT_THAT(problems(load()), ElementsAre("inside: passwd: it is a symbolic link",
                                            "outside: it is a symbolic link"));
}

TEST_F(LoadSkillsTest, AHugeSkillIsSkipped) {
  directory_.write("skills/huge/SKILL.md",
                   skill("huge", "H") + std::string(limits::kSkillTreeBytes, 'x'));
  EXPECT_THAT(problems(load()), ElementsAre(HasSubstr("huge: its SKILL.md cannot be read")));
}

}  // namespace
}  // namespace svc::skillfiles
