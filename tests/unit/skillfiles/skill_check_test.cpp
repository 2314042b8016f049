#include "svc/skillfiles/skill_check.h"

#include <filesystem>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/plugins/temp_directory.h"

namespace svc::skillfiles {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class CheckSkillTest : public ::testing::Test {
 protected:
  /// "E SKILL.md:3 …" for each issue.
  [[nodiscard]] std::vector<std::string> check(const std::string& text) const {
    directory_.write("a/SKILL.md", text);
    return check();
  }
  [[nodiscard]] std::vector<std::string> check() const {
    std::vector<std::string> out;
    const auto issues = checkSkill(directory_.path() / "a");
    EXPECT_TRUE(issues) << issues.error().message;
    for (const auto& issue : issues.value()) {
      out.push_back(fmt::format("{} {}:{} {}",
                                issue.severity == SkillIssue::Severity::kError ? 'E' : 'W',
                                issue.file, issue.line, issue.message));
    }
    return out;
  }
  svc::test::TempDirectory directory_;
};

TEST_F(CheckSkillTest, AGoodSkillHasNoIssues) {
  directory_.write("a/references/b.md", "");
  EXPECT_THAT(
      check("---\nname: a\ndescription: x\nlicense: MIT\ncompatibility: all\nmetadata:\n  v: '1'\n"
            "allowed-tools: Read\n---\n# A\n\n[b](references/b.md#top), [c](references/), "
            "[d](https://e.f/g), "
            "[e](#here), [f](./references/b.md)\n"),
      IsEmpty());
}

TEST_F(CheckSkillTest, NamesTheLineOfEachIssue) {
  EXPECT_THAT(
      check("---\ndescription: ''\nname: b\nlicense: 1\ncompatibility: ''\nmetadata:\n  v: 1\n"
            "  io.modelcontextprotocol/x: y\nmodel: z\n---\n\n[b](b.md)\n"),
      ElementsAre(HasSubstr("E SKILL.md:3 name is \"b\", it must be that of the directory, \"a\""),
                  HasSubstr("E SKILL.md:2 description must say"),
                  HasSubstr("E SKILL.md:4 license must be text"),
                  HasSubstr("E SKILL.md:5 compatibility has 0 characters"),
                  HasSubstr("E SKILL.md:6 metadata: \"v\" must be text"),
                  HasSubstr("E SKILL.md:6 metadata: keys that begin"),
                  HasSubstr("W SKILL.md:9 \"model\" is no field of Agent Skills"),
                  HasSubstr("W SKILL.md:12 it links to b.md, which is no file of the skill")));
}

TEST_F(CheckSkillTest, SaysWhatIsMissing) {
  EXPECT_THAT(check("---\nlicense: MIT\n---\nText"),
              ElementsAre("E SKILL.md:1 name is missing", "E SKILL.md:1 description is missing"));
  EXPECT_THAT(check("---\nname: a\ndescription: Use: x\n---\nText"),
              ElementsAre(HasSubstr("E SKILL.md:3 ")));
  EXPECT_THAT(check("---\nname: a\ndescription: x\n---\n"),
              ElementsAre("W SKILL.md:5 there is no text behind the head"));
  std::filesystem::remove(directory_.path() / "a/SKILL.md");
  EXPECT_THAT(check(), ElementsAre("E SKILL.md:0 it is not there"));
}

TEST_F(CheckSkillTest, NamesFilesThatMustNotBeThere) {
  std::filesystem::create_directories(directory_.path() / "a");
  std::filesystem::create_symlink("/etc/passwd", directory_.path() / "a/link");
  EXPECT_THAT(check("---\nname: a\ndescription: x\n---\nText"),
              ElementsAre("E link:0 it is a symbolic link"));
}

TEST_F(CheckSkillTest, LongTextsAreRemarkedOn) {
  std::string text = "---\nname: a\ndescription: x\n---\n";
  for (int at = 0; at < 600; ++at) {
    text += "line\n";
  }
  EXPECT_THAT(check(text), ElementsAre(HasSubstr("W SKILL.md:505 the text has 600 lines")));
}

}  // namespace
}  // namespace svc::skillfiles
