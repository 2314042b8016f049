#include "changes.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/base/files.h"
#include "svc/common/codes.h"
#include "svc/common/limits/skills.h"

#include "skill_folders.h"

namespace svc::skills {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class ChangesTest : public ::testing::Test {
 protected:
  ChangesTest() { folders_.add("data/skills", "a", "one"); }

  [[nodiscard]] Skill skill() const {
    const auto catalogue = scan({folders_.roots(), {folders_.ofPlugin("p", "b")}});
    return *catalogue.find("svc-user:a");
  }
  [[nodiscard]] Skill ofPlugin() const {
    return *scan({{}, {folders_.ofPlugin("p", "b")}}).find("plugin:p:b");
  }
  [[nodiscard]] fs::path file() const { return folders_.data() / "skills/a/SKILL.md"; }
  [[nodiscard]] std::string text() const { return base::readFile(file(), 10'000).value(); }
  [[nodiscard]] static std::string revisionOf(const std::string& text) {
    return skillfiles::digestOf(text);
  }

  SkillFolders folders_;
  Changes changes_;
};

TEST_F(ChangesTest, WritesWhatFollowsTheRevisionThatWasRead) {
  const auto next = SkillFolders::skillText("a", "two");
  const auto saved = changes_.update(skill(), next, revisionOf(text()));
  ASSERT_TRUE(saved) << saved.error().message;
  EXPECT_EQ(text(), next);
  EXPECT_EQ(saved.value().file, file());
  EXPECT_EQ(saved.value().revision, revisionOf(next));
  EXPECT_EQ(std::distance(fs::directory_iterator(file().parent_path()), fs::directory_iterator()),
            1);
}

TEST_F(ChangesTest, AnotherRevisionIsAConflictThatNamesIt) {
  const auto before = text();
  const auto saved =
      changes_.update(skill(), SkillFolders::skillText("a", "two"), revisionOf("older"));
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().code, errc::kConflict);
  EXPECT_THAT(saved.error().details, HasSubstr(revisionOf(before)));
  EXPECT_EQ(text(), before);
}

TEST_F(ChangesTest, ATextThatIsNoSkillIsRefused) {
  const auto before = text();
  for (const auto& bad :
       {std::string("# no head"), SkillFolders::skillText("other", ""),
        std::string("---\nname: a\n---\n"), SkillFolders::skillText("a", "\xff")}) {
    const auto saved = changes_.update(skill(), bad, revisionOf(before));
    ASSERT_FALSE(saved);
    EXPECT_EQ(saved.error().code, errc::kInvalidInput);
    EXPECT_THAT(saved.error().issues, HasSubstr("\"path\":[\"content\"]"));
  }
  EXPECT_EQ(changes_
                .update(skill(),
                        SkillFolders::skillText("a", std::string(limits::kSkillTreeBytes, 'x')), "")
                .error()
                .code,
            errc::kTooLarge);
  EXPECT_EQ(text(), before);
}

TEST_F(ChangesTest, OnlyManageableOnes) {
  EXPECT_EQ(changes_.update(ofPlugin(), SkillFolders::skillText("b", ""), "").error().code,
            errc::kForbidden);
  EXPECT_EQ(changes_.remove(ofPlugin()).error().code, errc::kForbidden);
}

TEST_F(ChangesTest, AFileThatHasBecomeALinkIsNotRead) {
  const auto known = skill();
  folders_.write("secret", "s");
  fs::remove(file());
  fs::create_symlink(folders_.path() / "secret", file());
  EXPECT_EQ(
      changes_.update(known, SkillFolders::skillText("a", "two"), revisionOf("s")).error().code,
      errc::kInvalidArgument);
}

TEST_F(ChangesTest, RemovesTheFolder) {
  folders_.write("data/skills/a/more/file", "x");
  const auto known = skill();
  const auto removed = changes_.remove(known);
  ASSERT_TRUE(removed) << removed.error().message;
  EXPECT_EQ(removed.value(), file().parent_path());
  EXPECT_TRUE(fs::is_empty(folders_.data() / "skills"));
  EXPECT_EQ(changes_.remove(known).error().code, errc::kNotFound);
}

}  // namespace
}  // namespace svc::skills
