#include "scan.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/skillfiles/sync_manifest.h"

#include "skill_folders.h"

namespace svc::skills {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ScanTest : public ::testing::Test {
 protected:
  [[nodiscard]] Catalogue read() const { return scan({folders_.roots(), plugins_}); }
  [[nodiscard]] static std::vector<std::string> ids(const Catalogue& catalogue,
                                                    bool only_offered = false) {
    std::vector<std::string> out;
    for (const auto& skill : catalogue.skills) {
      if (skill.offered || !only_offered) {
        out.push_back(skill.id);
      }
    }
    return out;
  }
  [[nodiscard]] static std::vector<std::string> problems(const Catalogue& catalogue) {
    std::vector<std::string> out;
    for (const auto& problem : catalogue.problems) {
      out.push_back(problem.path + ": " + problem.message);
    }
    return out;
  }
  SkillFolders folders_;
  std::vector<plugins::PluginSkill> plugins_;
};

TEST_F(ScanTest, AnEmptyServerHasNone) {
  const auto catalogue = read();
  EXPECT_THAT(catalogue.skills, IsEmpty());
  EXPECT_THAT(catalogue.problems, IsEmpty());
}

TEST_F(ScanTest, TheStrongestOfAName) {
  folders_.add("data/skills", "a");
  folders_.add("home/.agents/skills", "a");
  folders_.add("home/.agents/skills", "b");
  folders_.add("home/.claude/skills", "b");
  folders_.add("home/.claude/skills", "z");
  folders_.add("data/skills-generated", "c");
  plugins_ = {folders_.ofPlugin("one", "c"), folders_.ofPlugin("one", "b"),
              folders_.ofPlugin("two", "c"), folders_.ofPlugin("two", "d")};
  const auto catalogue = read();
  EXPECT_THAT(ids(catalogue),
              ElementsAre("svc-user:a", "shared-user:a", "shared-user:b", "plugin:one:c",
                          "plugin:one:b", "plugin:two:c", "plugin:two:d", "svc-builtin:c",
                          "provider-user:claude:b", "provider-user:claude:z"));
  EXPECT_THAT(ids(catalogue, true),
              ElementsAre("svc-user:a", "shared-user:b", "plugin:one:c", "plugin:two:d"));
  EXPECT_THAT(problems(catalogue),
              ElementsAre(HasSubstr("home/.agents/skills/a: agents get svc-user:a instead"),
                          HasSubstr("plugins/one/b: agents get shared-user:b instead"),
                          HasSubstr("plugins/two/c: agents get plugin:one:c instead"),
                          HasSubstr("skills-generated/c: agents get plugin:one:c instead")));
}

TEST_F(ScanTest, SkillsOfAProjectComeFirst) {
  folders_.add("data/skills", "a");
  folders_.add("project/.svc/skills", "a");
  folders_.add("project/.agents/skills", "a");
  folders_.add("project/.github/skills", "a");
  auto roots = projectRoots(folders_.path() / "project");
  for (auto& root : folders_.roots()) {
    roots.push_back(root);
  }
  const auto catalogue = scan({roots, {}});
  EXPECT_THAT(ids(catalogue), ElementsAre("svc-project:a", "shared-project:a", "svc-user:a",
                                          "provider-project:copilot:a"));
  EXPECT_THAT(ids(catalogue, true), ElementsAre("svc-project:a"));
}

TEST_F(ScanTest, AFolderOfAProjectThatLeavesItIsNotRead) {
  folders_.add("elsewhere", "a");
  fs::create_directories(folders_.path() / "project/.svc");
  fs::create_directory_symlink(folders_.path() / "elsewhere",
                               folders_.path() / "project/.svc/skills");
  const auto catalogue = scan({projectRoots(folders_.path() / "project"), {}});
  EXPECT_THAT(catalogue.skills, IsEmpty());
  EXPECT_THAT(problems(catalogue), ElementsAre(HasSubstr("it is a link that leaves the project")));
}

TEST_F(ScanTest, AFolderThatIsALinkToAnotherIsReadOnce) {
  folders_.add("home/.agents/skills", "a");
  fs::create_directories(folders_.home() / ".claude");
  fs::create_directory_symlink(folders_.home() / ".agents/skills",
                               folders_.home() / ".claude/skills");
  EXPECT_THAT(ids(read()), ElementsAre("shared-user:a"));
}

TEST_F(ScanTest, CopiesThatSyncHasMadeAreNotListed) {
  plugins_ = {folders_.ofPlugin("one", "a"), folders_.ofPlugin("one", "b")};
  const auto trees = read();
  skillfiles::SyncManifest manifest;
  for (const auto& skill : trees.skills) {
    fs::create_directories(folders_.home() / ".agents/skills");
    fs::copy(skill.directory, folders_.home() / ".agents/skills" / skill.name,
             fs::copy_options::recursive);
    manifest.trees[skill.name] = {skill.tree.digest};
  }
  folders_.write("home/.agents/skills/.svc-skills.json", manifest.dump());
  EXPECT_THAT(ids(read()), ElementsAre("plugin:one:a", "plugin:one:b"));
  folders_.add("home/.agents/skills", "b", "changed by hand");
  EXPECT_THAT(ids(read(), true), ElementsAre("shared-user:b", "plugin:one:a"));
}

TEST_F(ScanTest, WhatIsWrongIsSaidAndTheRestIsUsed) {
  folders_.add("data/skills", "good");
  folders_.write("data/skills/bad\x1b[2J/SKILL.md", "# no head");
  folders_.add("data/skills", "linked");
  fs::create_symlink("/etc/passwd", folders_.data() / "skills/linked/passwd");
  plugins_ = {folders_.ofPlugin("one", "p")};
  fs::remove(folders_.path() / "plugins/one/p/SKILL.md");
  const auto catalogue = read();
  EXPECT_THAT(ids(catalogue), ElementsAre("svc-user:good"));
  EXPECT_THAT(problems(catalogue), ElementsAre(HasSubstr("bad\\x1B[2J: SKILL.md must begin"),
                                               HasSubstr("linked: passwd: it is a symbolic link"),
                                               HasSubstr("one/p: it has no SKILL.md")));
}

TEST_F(ScanTest, TheHashIsOfWhatIsOffered) {
  plugins_ = {folders_.ofPlugin("one", "a")};
  const auto before = read().hash;
  folders_.add("home/.claude/skills", "x");
  EXPECT_EQ(read().hash, before);
  folders_.add("data/skills", "y");
  const auto more = read().hash;
  EXPECT_NE(more, before);
  folders_.write("plugins/one/a/notes.md", "n");
  EXPECT_NE(read().hash, more);
}

}  // namespace
}  // namespace svc::skills
