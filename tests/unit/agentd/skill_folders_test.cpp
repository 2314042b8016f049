#include "skill_folders.h"

#include <filesystem>
#include <optional>

#include <gmock/gmock.h>

#include "svc/common/codes.h"
#include "svc/hostprotocol/agent_limits.h"
#include "svc/skillfiles/tree_transfer.h"

#include "fakes/bulk_threads.h"
#include "scripted.h"

namespace svc::agentd {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The server's skills are folders of the test's directory.
class SkillFoldersTest : public ScriptedTest {
 protected:
  WantedSkill skill(const std::string& name, const std::string& text) {
    directory_.write("server/" + name + "/SKILL.md", text);
    const auto from = directory_.path() / "server" / name;
    const auto tree = skillfiles::readTree(from).value().tree;
    packed_[tree.digest] = skillfiles::packTree(from, tree).value();
    return {.name = name, .description = "About", .tree = tree.digest};
  }
  Result<skillfiles::Stage> stage(std::vector<WantedSkill> wanted) {
    std::optional<Result<skillfiles::Stage>> out;
    folders_->stage(std::move(wanted),
                    [&out](Result<skillfiles::Stage> staged) { out = std::move(staged); });
    until([&] { return out.has_value(); });
    return *out;
  }
  void fetch(const std::string& tree, const fs::path& file, std::uint64_t limit,
             Completion<void> done) {
    fetched_.push_back(tree);
    if (silent_server_) {
      unanswered_.push_back(std::move(done));
      return;
    }
    const auto found = packed_.find(tree);
    if (found == packed_.end() || found->second.size() > limit) {
      return done(Error{errc::kNotFound, "there is no such tree"});
    }
    std::ofstream(file) << found->second;
    done({});
  }

  std::map<std::string, std::string> packed_;  ///< what the server says, by digest
  std::vector<std::string> fetched_;
  bool silent_server_ = false;
  std::vector<Completion<void>> unanswered_;
  svc::test::BulkThreads workers_;
  std::shared_ptr<SkillFolders> folders_ = std::make_shared<SkillFolders>(
      directory_.path() / "skills",
      SkillFolders::With{
          .io = io_,
          .workers = workers_,
          .fetch = [this](const auto& tree, const auto& file, auto limit, auto done) {
            fetch(tree, file, limit, std::move(done));
          }});
};

TEST_F(SkillFoldersTest, AnAnswerThatComesWhenNothingRunsAnyMoreKeepsNothing) {
  silent_server_ = true;
  folders_->stage({skill("review", "how to review")}, [](const auto& /*staged*/) {});
  until([&] { return !unanswered_.empty(); });
  unanswered_.clear();
  const std::weak_ptr<SkillFolders> gone = folders_;
  folders_.reset();
  EXPECT_TRUE(gone.expired());
}

TEST_F(SkillFoldersTest, WhatIsHereIsNotFetchedAgain) {
  const auto review = skill("review", "how to review");
  const auto first = stage({review});
  ASSERT_TRUE(first.ok()) << first.error().message;
  EXPECT_THAT(fetched_, ElementsAre(review.tree));
  EXPECT_EQ(skillfiles::readTree(first.value().directory / "review").value().tree.digest,
            review.tree);
  fetched_.clear();
  const auto same = stage({review});
  EXPECT_EQ(same.value().directory, first.value().directory);
  EXPECT_THAT(fetched_, IsEmpty());
  const auto release = skill("release", "how to release");
  const auto more = stage({review, release});
  ASSERT_TRUE(more.ok()) << more.error().message;
  EXPECT_THAT(fetched_, ElementsAre(release.tree)) << "only what has changed";
  EXPECT_TRUE(fs::exists(more.value().directory / "review/SKILL.md"));
}

TEST_F(SkillFoldersTest, AFolderThatWasChangedIsFetchedAgain) {
  const auto review = skill("review", "how to review");
  const auto first = stage({review});
  std::ofstream(first.value().directory / "review/SKILL.md") << "somebody else's";
  const auto release = skill("release", "how to release");
  const auto more = stage({review, release});
  ASSERT_TRUE(more.ok()) << more.error().message;
  EXPECT_EQ(skillfiles::readTree(more.value().directory / "review").value().tree.digest,
            review.tree);
}

TEST_F(SkillFoldersTest, WhatIsNotWhatWasAskedForIsNotStaged) {
  auto review = skill("review", "how to review");
  const auto release = skill("release", "how to release");
  packed_[review.tree] = packed_[release.tree];
  const auto staged = stage({review});
  ASSERT_FALSE(staged.ok());
  EXPECT_THAT(staged.error().message, HasSubstr("skill review: "));
  packed_[review.tree] = "{";
  EXPECT_FALSE(stage({review}).ok());
  packed_.erase(review.tree);
  EXPECT_EQ(stage({review}).error().code, errc::kNotFound);
  EXPECT_TRUE(fs::is_empty(directory_.path() / "skills/fetching"));
  auto odd = skill("review", "how to review");
  odd.name = "../review";
  EXPECT_FALSE(stage({odd}).ok());
}

TEST_F(SkillFoldersTest, TooManySkillsAreRefused) {
  const auto refused = stage(std::vector<WantedSkill>(limits::kAgentSkills + 1));
  EXPECT_EQ(refused.error().code, errc::kTooLarge);
  EXPECT_THAT(refused.error().message, HasSubstr("agentSkills"));
}

}  // namespace
}  // namespace svc::agentd
