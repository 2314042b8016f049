#include "skill_listing.h"

#include "svc/skillfiles/skill_tree.h"
#include "svc/skillfiles/sync_manifest.h"

#include "fixture.h"

namespace svc::hostfiles {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class SkillListingTest : public FilesTest {
 protected:
  void add(const std::string& folder, const std::string& name) {
    directory_.write(folder + "/" + name + "/SKILL.md",
                     "---\nname: " + name + "\ndescription: What it is for\n---\n");
  }
  Json list() { return json(ask(R"([".svc/skills",".agents/skills"])")); }
  Result<std::string> ask(const std::string& folders) {
    return listSkills(bounds_, R"({"type":"host.skills","path":")" + in().string() +
                                   R"(","folders":)" + folders + "}");
  }
};

TEST_F(SkillListingTest, NamesSkillsWithTheirTrees) {
  add("in/.svc/skills", "a");
  directory_.write("in/.svc/skills/a/more/list.md", "list");
  directory_.write("in/.svc/skills/broken/SKILL.md", "no head");
  const auto folders = list()["folders"].items();
  ASSERT_EQ(folders.size(), 1U);
  EXPECT_EQ(folders[0]["folder"].asString(), ".svc/skills");
  const auto& skill = folders[0]["skills"].items().at(0);
  EXPECT_EQ(skill["name"].asString(), "a");
  EXPECT_EQ(skill["description"].asString(), "What it is for");
  EXPECT_EQ(skill["directory"].asString(), (in() / ".svc/skills/a").string());
  EXPECT_EQ(skill["frontMatter"]["name"].asString(), "a");
  EXPECT_EQ(skill["files"].items().size(), 2U);
  EXPECT_EQ(skill["files"].items().at(1)["path"].asString(), "more/list.md");
  EXPECT_EQ(skill["files"].items().at(1)["size"].asInteger(), 4);
  const auto& problem = folders[0]["problems"].items().at(0);
  EXPECT_EQ(problem["path"].asString(), (in() / ".svc/skills/broken").string());
  EXPECT_THAT(problem["message"].asString(), HasSubstr("must begin"));
}

TEST_F(SkillListingTest, AFolderThatLeavesTheProjectIsNotRead) {
  add("out", "secret-skill");
  fs::create_directories(in() / ".svc");
  fs::create_directory_symlink(out(), in() / ".svc/skills");
  const auto answer = list();
  EXPECT_THAT(answer.dump(), HasSubstr("it is a link that leaves the project"));
  EXPECT_EQ(answer.dump().find("secret-skill"), std::string::npos);
}

TEST_F(SkillListingTest, ALinkToAFolderThatWasReadIsReadOnce) {
  add("in/.agents/skills", "a");
  fs::create_directories(in() / ".svc");
  fs::create_directory_symlink(in() / ".agents/skills", in() / ".svc/skills");
  EXPECT_EQ(list()["folders"].items().size(), 1U);
}

TEST_F(SkillListingTest, CopiesOfSyncAreLeftOut) {
  add("in/.agents/skills", "a");
  add("in/.agents/skills", "mine");
  skillfiles::SyncManifest manifest;
  manifest.trees["a"] = {skillfiles::readTree(in() / ".agents/skills/a").value().tree.digest};
  directory_.write("in/.agents/skills/.svc-skills.json", manifest.dump());
  const auto folders = list()["folders"].items();
  ASSERT_EQ(folders.at(0)["skills"].items().size(), 1U);
  EXPECT_EQ(folders[0]["skills"].items()[0]["name"].asString(), "mine");
}

TEST_F(SkillListingTest, WhatIsNoQuestionIsRefused) {
  EXPECT_EQ(code(ask("5")), "invalid_input");
  EXPECT_EQ(code(listSkills(bounds_, R"({"folders":[]})")), "invalid_input");
  EXPECT_EQ(code(listSkills(bounds_, R"({"path":"/not/there","folders":[]})")), "not_found");
  bounds_.roots = {out().string()};
  EXPECT_EQ(code(ask("[]")), "forbidden");
}

}  // namespace
}  // namespace svc::hostfiles
