#include "adopted_worktrees.h"

#include <memory>

#include <spdlog/sinks/ringbuffer_sink.h>

#include "fixture.h"

namespace svc::worktrees {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class AdoptedWorktreesTest : public RepositoryTest {
 protected:
  AdoptedWorktreesTest() {
    begin();
    git({"worktree", "add", "--quiet", "-b", "work", (before() / "env_1").string()});
    directory_.write("before/env_1/a", "changed\n");
  }

  [[nodiscard]] fs::path before() const { return directory_.path() / "before"; }
  [[nodiscard]] fs::path after() const { return directory_.path() / "after"; }
  void adopt(const fs::path& folders) { adoptWorktrees(folders, log_); }
  [[nodiscard]] std::string listed() const {
    const auto text = open().text({"worktree", "list", "--porcelain"});
    return text ? text.value() : text.error().message;
  }
  [[nodiscard]] std::string logged() const {
    std::string out;
    for (const auto& line : lines_->last_formatted()) {
      out += line;
    }
    return out;
  }

  std::shared_ptr<spdlog::sinks::ringbuffer_sink_mt> lines_ =
      std::make_shared<spdlog::sinks::ringbuffer_sink_mt>(10);
  spdlog::logger log_{"worktrees", lines_};
};

TEST_F(AdoptedWorktreesTest, OneThatWasMovedIsKnownAgain) {
  fs::rename(before(), after());
  EXPECT_THAT(listed(), Not(HasSubstr("after/env_1")));
  adopt(after());
  EXPECT_THAT(listed(), HasSubstr("after/env_1"));
  EXPECT_EQ(git({"status", "--short"}, after() / "env_1"), " M a");
  EXPECT_THAT(logged(), HasSubstr("knows it again"));
  // Not pruned, as what is nowhere would be.
  git({"worktree", "prune", "--expire=now"});
  EXPECT_THAT(listed(), HasSubstr("after/env_1"));
}

TEST_F(AdoptedWorktreesTest, ACopyIsCutOffFromTheOneThatIsStillThere) {
  fs::copy(before(), after(), fs::copy_options::recursive);
  adopt(after());
  EXPECT_FALSE(fs::exists(after() / "env_1/.git"));
  EXPECT_TRUE(fs::exists(after() / "env_1/.git.of-the-original"));
  EXPECT_TRUE(fs::exists(after() / "env_1/a"));
  EXPECT_THAT(listed(), HasSubstr("before/env_1"));
  EXPECT_EQ(git({"status", "--short"}, before() / "env_1"), " M a");
  EXPECT_THAT(logged(), HasSubstr("is a copy of the worktree at"));
}

TEST_F(AdoptedWorktreesTest, WhereNothingWasMovedNothingChanges) {
  directory_.write("before/env_2/.git", "no link at all\n");
  fs::create_directories(before() / "env_3/.git");
  directory_.write("before/env_4/.git", "gitdir: /nowhere/at/all\n");
  adopt(before());
  adopt(directory_.path() / "none");
  EXPECT_THAT(listed(), HasSubstr("before/env_1"));
  EXPECT_TRUE(fs::exists(before() / "env_2/.git"));
  EXPECT_TRUE(fs::exists(before() / "env_4/.git"));
  EXPECT_THAT(logged(), IsEmpty());
}

}  // namespace
}  // namespace svc::worktrees
