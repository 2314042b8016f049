#include "skill_sync.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/base/fd.h"

#include "temp_tree.h"

namespace svc::client {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A server with skills, and a home to keep up to date.
class SkillSyncTest : public ::testing::Test {
 protected:
  SkillSyncTest() {
    fs::create_directories(base());
    offer("a", {{"SKILL.md", "a"}, {"scripts/run.sh", "#!"}});
    offer("b", {{"SKILL.md", "b"}});
  }
  [[nodiscard]] fs::path base() const { return tree_.path() / "home"; }
  [[nodiscard]] fs::path folder() const { return base() / ".agents/skills"; }
  [[nodiscard]] std::string in(const std::string& file) const {
    return "home/.agents/skills/" + file;
  }

  void offer(const std::string& name, const std::map<std::string, std::string>& files) {
    skillfiles::UnpackedTree made;
    for (const auto& [path, text] : files) {
      made.tree.files.push_back(
          {.path = path, .size = text.size(), .digest = skillfiles::digestOf(text)});
      made.contents.emplace(path, text);
    }
    made.tree.digest = skillfiles::treeDigest(made.tree.files);
    withdraw(name);
    offered_.push_back({name, made.tree.digest});
    trees_[made.tree.digest] = made;
  }
  void withdraw(const std::string& name) {
    std::erase_if(offered_, [&](const OfferedSkill& skill) { return skill.name == name; });
  }
  FetchTree fetch() {
    return [this](const std::string& digest) -> Result<skillfiles::UnpackedTree> {
      ++fetched_;
      const auto found = trees_.find(digest);
      return found == trees_.end()
                 ? Result<skillfiles::UnpackedTree>(Error{errc::kNotFound, "there is no such tree"})
                 : found->second;
    };
  }
  Result<std::vector<SkillChange>> run(bool dry_run = false) {
    return syncSkills({.base = base(), .folder = folder(), .dry_run = dry_run}, offered_, fetch());
  }
  /// "added a", "kept b: why"
  std::vector<std::string> sync(bool dry_run = false) {
    const auto changes = run(dry_run);
    EXPECT_TRUE(changes) << changes.error().message;
    std::vector<std::string> out;
    for (const auto& change : changes ? changes.value() : std::vector<SkillChange>()) {
      out.push_back(std::string(actionName(change.action)) + " " + change.name +
                    (change.why.empty() ? "" : ": " + change.why));
    }
    return out;
  }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& each : fs::directory_iterator(folder())) {
      out.push_back(each.path().filename());
    }
    std::sort(out.begin(), out.end());
    return out;
  }

  TempTree tree_;
  std::vector<OfferedSkill> offered_;
  std::map<std::string, skillfiles::UnpackedTree> trees_;
  int fetched_ = 0;
};

TEST_F(SkillSyncTest, WritesWhatIsNotThereAndThenNothing) {
  EXPECT_THAT(sync(), ElementsAre("added a", "added b"));
  EXPECT_EQ(tree_.read(in("a/scripts/run.sh")), "#!");
  EXPECT_THAT(names(), ElementsAre(".svc-skills.json", "a", "b"));
  const auto written = fs::last_write_time(folder() / ".svc-skills.json");
  EXPECT_THAT(sync(), IsEmpty());
  EXPECT_EQ(fetched_, 2);
  EXPECT_EQ(fs::last_write_time(folder() / ".svc-skills.json"), written);
}

TEST_F(SkillSyncTest, ReplacesWhatItWroteAsAWhole) {
  sync();
  offer("a", {{"SKILL.md", "new"}});
  EXPECT_THAT(sync(), ElementsAre("updated a"));
  EXPECT_EQ(tree_.read(in("a/SKILL.md")), "new");
  EXPECT_FALSE(tree_.has(in("a/scripts")));
  EXPECT_THAT(names(), ElementsAre(".svc-skills.json", "a", "b"));
}

TEST_F(SkillSyncTest, RemovesWhatIsGoneUnlessItWasChanged) {
  sync();
  tree_.write(in("b/SKILL.md"), "mine now");
  withdraw("a");
  withdraw("b");
  EXPECT_THAT(sync(), ElementsAre("removed a", "released b: it has been changed by hand"));
  EXPECT_THAT(names(), ElementsAre(".svc-skills.json", "b"));
  EXPECT_THAT(sync(), IsEmpty());
  offer("b", {{"SKILL.md", "b"}});
  EXPECT_THAT(sync(), ElementsAre("kept b: `svc skill sync` did not write it"));
  EXPECT_EQ(tree_.read(in("b/SKILL.md")), "mine now");
}

TEST_F(SkillSyncTest, KeepsWhatWasChangedByHandUntilItIsAsItWas) {
  sync();
  tree_.write(in("a/notes.md"), "a file of mine");
  offer("a", {{"SKILL.md", "new"}});
  EXPECT_THAT(sync(), ElementsAre("kept a: it has been changed by hand"));
  EXPECT_THAT(sync(), ElementsAre("kept a: it has been changed by hand"));
  tree_.remove(in("a/notes.md"));
  EXPECT_THAT(sync(), ElementsAre("updated a"));
}

TEST_F(SkillSyncTest, LeavesAloneWhatItDidNotWrite) {
  tree_.write(in("a/SKILL.md"), "of somebody else");
  tree_.write(in("mine/SKILL.md"), "mine");
  EXPECT_THAT(sync(), ElementsAre("kept a: `svc skill sync` did not write it", "added b"));
  EXPECT_EQ(tree_.read(in("a/SKILL.md")), "of somebody else");
  offered_.clear();
  EXPECT_THAT(sync(), ElementsAre("removed b"));
  EXPECT_THAT(names(), ElementsAre(".svc-skills.json", "a", "mine"));
}

TEST_F(SkillSyncTest, WhatIsTheSameAlreadyIsItsOwn) {
  tree_.write(in("b/SKILL.md"), "b");
  EXPECT_THAT(sync(), ElementsAre("added a"));
  withdraw("b");
  EXPECT_THAT(sync(), ElementsAre("removed b"));
}

TEST_F(SkillSyncTest, BringsBackWhatWasRemoved) {
  sync();
  tree_.remove(in("a"));
  EXPECT_THAT(sync(), ElementsAre("added a"));
}

TEST_F(SkillSyncTest, ADryRunChangesNothing) {
  EXPECT_THAT(sync(true), ElementsAre("added a", "added b"));
  EXPECT_FALSE(tree_.has("home/.agents"));
  EXPECT_EQ(fetched_, 0);
  sync();
  withdraw("a");
  EXPECT_THAT(sync(true), ElementsAre("removed a"));
  EXPECT_TRUE(tree_.has(in("a/SKILL.md")));
}

TEST_F(SkillSyncTest, WithoutSkillsNoFolderIsMade) {
  offered_.clear();
  EXPECT_THAT(sync(), IsEmpty());
  EXPECT_FALSE(tree_.has("home/.agents"));
}

TEST_F(SkillSyncTest, FollowsNoLinkBelowTheFolder) {
  tree_.write("outside/SKILL.md", "a");
  tree_.write("outside/keep", "k");
  fs::create_directories(folder());
  fs::create_directory_symlink(tree_.path() / "outside", folder() / "a");
  EXPECT_THAT(sync(), ElementsAre("kept a: `svc skill sync` did not write it", "added b"));
  fs::remove(folder() / "a");
  sync();
  // A link inside of a skill makes it somebody's own.
  fs::create_directory_symlink(tree_.path() / "outside", folder() / "b/linked");
  offered_.clear();
  EXPECT_THAT(sync(), ElementsAre("removed a", "released b: it has been changed by hand"));
  EXPECT_EQ(tree_.read("outside/keep"), "k");
}

TEST_F(SkillSyncTest, AFolderThatLeavesItsBaseIsLeftAlone) {
  tree_.write("outside/keep", "k");
  fs::create_directories(base() / ".agents");
  fs::create_directory_symlink(tree_.path() / "outside", folder());
  const auto changes = run();
  ASSERT_FALSE(changes);
  EXPECT_THAT(changes.error().message, HasSubstr("is a link that leaves"));
  fs::remove(folder());
  fs::remove(base() / ".agents");
  fs::create_directory_symlink(tree_.path() / "outside", base() / ".agents");
  EXPECT_FALSE(run());
  EXPECT_THAT(std::vector<fs::path>(fs::directory_iterator(tree_.path() / "outside"), {}).size(),
              1U);
}

TEST_F(SkillSyncTest, ALinkInsideTheBaseIsFine) {
  fs::create_directories(base() / "dotfiles");
  fs::create_directories(base() / ".agents");
  fs::create_directory_symlink(base() / "dotfiles", folder());
  EXPECT_THAT(sync(), ElementsAre("added a", "added b"));
  EXPECT_TRUE(tree_.has("home/dotfiles/a/SKILL.md"));
}

TEST_F(SkillSyncTest, NamesThatAreNoSkillsAreRefused) {
  offered_ = {{"../escaped", offered_.front().tree}, {"x\x1b[2J", offered_.front().tree}};
  EXPECT_THAT(sync(), ElementsAre(HasSubstr("failed ../escaped: that is no name"),
                                  HasSubstr("failed x\\x1B[2J: ")));
  EXPECT_FALSE(tree_.has("home/.agents/escaped"));
}

TEST_F(SkillSyncTest, AServerThatSendsSomethingElseChangesNothing) {
  sync();
  offered_.front().tree = std::string(64, '0');
  trees_[offered_.front().tree] = trees_.begin()->second;
  EXPECT_THAT(sync(), ElementsAre(HasSubstr("failed ")));
  offered_.front().tree = std::string(64, '1');
  EXPECT_THAT(sync(), ElementsAre(HasSubstr("there is no such tree")));
  EXPECT_THAT(names(), ElementsAre(".svc-skills.json", "a", "b"));
}

TEST_F(SkillSyncTest, UnderstandsWhatARunLeftThatWasCutOff) {
  sync();
  const auto manifest = tree_.read(in(".svc-skills.json"));
  offer("a", {{"SKILL.md", "new"}});
  // Announced and not done, or done and not noted.
  const auto old_tree = skillfiles::readTree(folder() / "a").value().tree.digest;
  auto both = manifest;
  const auto at = both.find(old_tree);
  both.insert(at + old_tree.size(), "\", \"" + offered_.back().tree);
  tree_.write(in(".svc-skills.json"), both);
  tree_.write(in(".svc-new-0123/SKILL.md"), "left");
  tree_.write(in(".svc-old-0123/SKILL.md"), "left");
  EXPECT_THAT(sync(), ElementsAre("updated a"));
  EXPECT_THAT(names(), ElementsAre(".svc-skills.json", "a", "b"));
  tree_.write(in(".svc-skills.json"), both);
  offer("a", {{"SKILL.md", "newest"}});
  EXPECT_THAT(sync(), ElementsAre("updated a"));
}

TEST_F(SkillSyncTest, AManifestThatCannotBeReadStopsIt) {
  tree_.write(in(".svc-skills.json"), "not json");
  EXPECT_THAT(run().error().message, HasSubstr("remove it to begin anew"));
  EXPECT_FALSE(tree_.has(in("a")));
}

TEST_F(SkillSyncTest, OneRunAtATime) {
  fs::create_directories(folder());
  const base::Fd other(::open(folder().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ASSERT_EQ(::flock(other.get(), LOCK_EX), 0);
  EXPECT_EQ(run().error().code, errc::kConflict);
}

TEST_F(SkillSyncTest, AFileInPlaceOfASkillIsKept) {
  tree_.write(in("a"), "a file");
  ASSERT_EQ(::mkfifo((folder() / "b").c_str(), 0600), 0);
  EXPECT_THAT(sync(), ElementsAre(HasSubstr("kept a"), HasSubstr("kept b")));
}

TEST_F(SkillSyncTest, ExportCopiesAndReplacesOnlyWhenAsked) {
  const auto a = offered_.front();
  EXPECT_EQ(exportSkill(base(), a, fetch(), false).action, SkillAction::kAdded);
  EXPECT_EQ(exportSkill(base(), a, fetch(), false).action, SkillAction::kKept);
  tree_.write("home/a/SKILL.md", "mine");
  EXPECT_EQ(exportSkill(base(), a, fetch(), false).action, SkillAction::kFailed);
  EXPECT_EQ(tree_.read("home/a/SKILL.md"), "mine");
  EXPECT_EQ(exportSkill(base(), a, fetch(), true).action, SkillAction::kUpdated);
  EXPECT_EQ(tree_.read("home/a/SKILL.md"), "a");
  EXPECT_EQ(exportSkill(base(), {"../x", a.tree}, fetch(), true).action, SkillAction::kFailed);
}

TEST_F(SkillSyncTest, APipeInPlaceOfItsListIsNotWaitedFor) {
  fs::create_directories(folder());
  ASSERT_EQ(::mkfifo((folder() / ".svc-skills.json").c_str(), 0600), 0);
  const auto changes = run();
  ASSERT_FALSE(changes);
  EXPECT_THAT(changes.error().message, HasSubstr(".svc-skills.json: it is not a file"));
  EXPECT_THAT(names(), ElementsAre(".svc-skills.json"));
}

}  // namespace
}  // namespace svc::client
