#include "svc/skillfiles/skill_stages.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/plugins/temp_directory.h"

namespace svc::skillfiles {
namespace {

namespace fs = std::filesystem;

class SkillStagesTest : public ::testing::Test {
 protected:
  std::vector<StagedSkill> skill(const std::string& name) {
    directory_.write(name + "/SKILL.md", "of " + name);
    const auto from = directory_.path() / name;
    return {{name, "About", readTree(from).value().tree,
             [from](const SkillFile& file) { return readTreeFile(from, file.path); }}};
  }

  svc::test::TempDirectory directory_;
  std::shared_ptr<SkillStages> stages_ =
      std::make_shared<SkillStages>(directory_.path() / "stages");
};

TEST_F(SkillStagesTest, AFolderStaysAsLongAsSomebodyUsesIt) {
  auto first = stages_->stage(skill("a")).value();
  auto second = stages_->stage(skill("a")).value();
  EXPECT_EQ(first.directory, second.directory);
  first.use.reset();
  stages_->removeUnused();
  EXPECT_TRUE(fs::exists(second.directory / "a/SKILL.md"));
  second.use.reset();
  EXPECT_TRUE(fs::exists(second.directory)) << "letting go touches no disk";
  stages_->removeUnused();
  EXPECT_FALSE(fs::exists(second.directory));
}

TEST_F(SkillStagesTest, AnotherCatalogueRemovesWhatNobodyUses) {
  auto used = stages_->stage(skill("a")).value();
  const auto left = stages_->stage(skill("b")).value().directory;
  auto third = stages_->stage(skill("c")).value();
  EXPECT_TRUE(fs::exists(used.directory));
  EXPECT_FALSE(fs::exists(left));
}

TEST_F(SkillStagesTest, TreesAreFoundByTheirDigests) {
  const auto skills = skill("a");
  const auto stage = stages_->stage(skills).value();
  directory_.write("stages/other/catalog.json", R"({"skills":[{"name":"b","tree":"t"}]})");
  const auto found = stagedTrees(stages_->root());
  ASSERT_EQ(found.size(), 1U) << "only below names of catalogues";
  EXPECT_EQ(found.begin()->first, skills[0].tree.digest);
  EXPECT_EQ(found.begin()->second, stage.directory / "a");
}

}  // namespace
}  // namespace svc::skillfiles
