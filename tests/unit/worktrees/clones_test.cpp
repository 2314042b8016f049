#include "clones.h"

#include <atomic>
#include <fstream>
#include <future>
#include <mutex>
#include <vector>

#include "svc/base/marked_processes.h"
#include "svc/base/spawn.h"
#include "svc/common/codes.h"
#include "svc/common/limits/worktrees.h"

#include "fixture.h"

namespace svc::worktrees {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ClonesTest : public RepositoryTest {
 protected:
  Result<std::string> clone(const std::string& url, const std::filesystem::path& path) {
    std::promise<Result<std::string>> answer;
    clones_.begin({.id = "clone",
                   .url = url,
                   .path = path.string(),
                   .environment = [this] { return environment(); }},
                  [&](Result<std::string> result) { answer.set_value(std::move(result)); });
    return answer.get_future().get();
  }
  [[nodiscard]] std::filesystem::path target() const { return directory_.path() / "new/target"; }

  [[nodiscard]] std::filesystem::path data() const { return directory_.path() / "data"; }

  Leftovers leftovers_{data()};
  LongJobs jobs_;
  Clones clones_{jobs_, leftovers_};
};

TEST_F(ClonesTest, ARepositoryIsThereWhenItsCloneAnswers) {
  begin();
  const auto done = clone(repo().string(), target());
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_TRUE(std::filesystem::exists(target() / "a"));
  EXPECT_EQ(Json::parse(clones_.state("clone")).value()["running"], Json(false));
}

TEST_F(ClonesTest, AFailureDoesNotTellThePasswordOfTheAddress) {
  const auto failed = clone("http://ada:se@cret@127.0.0.1:1/shop.git", target());
  ASSERT_FALSE(failed.ok());
  EXPECT_THAT(failed.error().message, HasSubstr("http://ada@127.0.0.1:1/shop.git"));
  EXPECT_THAT(failed.error().message, Not(HasSubstr("cret")));
}

TEST_F(ClonesTest, AFolderThatIsThereIsNotTouched) {
  begin();
  directory_.write("new/target/mine", "x");
  const auto refused = clone(repo().string(), target());
  EXPECT_EQ(refused.error().code, errc::kConflict);
  EXPECT_THAT(refused.error().message, HasSubstr("there already"));
  EXPECT_TRUE(std::filesystem::exists(target() / "mine"));
}

TEST_F(ClonesTest, WhatFailsLeavesNothingAndSaysWhatGitSaid) {
  const auto failed = clone((directory_.path() / "nowhere").string(), target());
  ASSERT_FALSE(failed.ok());
  EXPECT_THAT(failed.error().message, HasSubstr("does not exist"));
  EXPECT_THAT(failed.error().message, HasSubstr("git ls-remote"));
  EXPECT_FALSE(std::filesystem::exists(target()));
}

TEST_F(ClonesTest, AddressesThatRunProgramsAreRefused) {
  for (const auto* url : {"ext::sh -c id", "ext::id", "--upload-pack=id", "", "a b", "gopher://x/y",
                          "transport::address"}) {
    EXPECT_EQ(clone(url, target()).error().code, errc::kInvalidInput) << url;
  }
  for (const auto* url : {"https://example.org/a.git", "git@example.org:a/b.git",
                          "ssh://git@[::1]/a.git", "/srv/git/a"}) {
    EXPECT_TRUE(checkRemoteUrl(url).ok()) << url;
  }
}

TEST_F(ClonesTest, ACloneThatIsCancelledLeavesNothing) {
  // A server that never says anything: the clone runs until it is cancelled.
  const auto waits = directory_.write("ssh.sh", "#!/bin/sh\nexec sleep 3600\n");
  std::filesystem::permissions(waits, std::filesystem::perms::owner_all);
  auto slow = environment();
  slow["GIT_SSH_COMMAND"] = waits.string();
  std::promise<Result<std::string>> answer;
  clones_.begin({.id = "slow",
                 .url = "ssh://example.org/a.git",
                 .path = target().string(),
                 .environment = [slow] { return slow; }},
                [&](Result<std::string> result) { answer.set_value(std::move(result)); });
  EXPECT_TRUE(clones_.cancel("slow"));
  EXPECT_EQ(answer.get_future().get().error().code, errc::kAborted);
  EXPECT_FALSE(std::filesystem::exists(target()));
  EXPECT_FALSE(clones_.cancel("nobody"));
}

TEST_F(ClonesTest, ACloneIsMarkedAndItsFolderNotedForAsLongAsItRuns) {
  const auto ssh = directory_.write(
      "ssh.sh", "#!/bin/sh\n(echo $SVC_LOAD_ID; ls '" + data().string() + "'/*) > '" +
                    (directory_.path() / "said").string() + "'\nexit 1\n");
  std::filesystem::permissions(ssh, std::filesystem::perms::owner_all);
  auto marked = environment();
  marked["GIT_SSH_COMMAND"] = ssh.string();
  std::promise<Result<std::string>> answer;
  clones_.begin({.id = "a",
                 .url = "ssh://example.org/a.git",
                 .path = target().string(),
                 .environment = [marked] { return marked; }},
                [&](Result<std::string> result) { answer.set_value(std::move(result)); });
  EXPECT_FALSE(answer.get_future().get().ok());
  std::ifstream file(directory_.path() / "said");
  std::string mark;
  std::getline(file, mark);
  EXPECT_EQ(mark.size(), 32U);
  const std::string all(std::istreambuf_iterator<char>(file), {});
  EXPECT_EQ(all, data().string() + "/clones:\n" + mark + "\n\n" + data().string() + "/scripts:\n" +
                     mark + "\n");
  EXPECT_TRUE(std::filesystem::is_empty(data() / "clones"));
  EXPECT_TRUE(std::filesystem::is_empty(data() / "scripts"));
}

TEST_F(ClonesTest, WhatAKilledDaemonWasCloningIsEndedAndGoes) {
  Leftovers killed(data());
  const auto mark = killed.marks().add().value();
  const auto half = directory_.write("half/file", "x").parent_path();
  ASSERT_TRUE(killed.noteFolder(mark, half).ok());
  auto environment = base::currentEnvironment();
  environment[base::kProcessMark] = mark;
  auto left = base::spawn({.argv = {"sleep", "1000"}, .environment = environment});
  ASSERT_TRUE(left.ok());
  begin();
  // The first that is done for the server.
  EXPECT_TRUE(clone(repo().string(), target()).ok());
  EXPECT_TRUE(left.value().awaitEnd(std::chrono::seconds(20)));
  EXPECT_FALSE(std::filesystem::exists(half));
  EXPECT_TRUE(std::filesystem::exists(target() / "a")) << "it is not one of them";
  EXPECT_TRUE(std::filesystem::is_empty(data() / "clones"));
}

TEST_F(ClonesTest, AFolderThatHasTakenThePlaceOfAHalfCloneStays) {
  Leftovers killed(data());
  const auto half = directory_.write("half/file", "x").parent_path();
  ASSERT_TRUE(killed.noteFolder(killed.marks().add().value(), half).ok());
  const auto mine = directory_.write("mine/file", "y").parent_path();
  std::filesystem::rename(half, directory_.path() / "elsewhere");
  std::filesystem::rename(mine, half);
  leftovers_.end();
  EXPECT_TRUE(std::filesystem::exists(half / "file"));
}

TEST_F(ClonesTest, WhoHearsOfAnEndMayBeginTheNext) {
  std::promise<Status> again;
  ASSERT_TRUE(jobs_
                  .begin("a",
                         [&](const std::stop_token&) -> Task {
                           return [&] {
                             again.set_value(jobs_.begin(
                                 "a", [](const std::stop_token&) -> Task { return [] {}; }));
                           };
                         })
                  .ok());
  EXPECT_TRUE(again.get_future().get().ok());
}

TEST_F(ClonesTest, JobsWaitForTheirTurnAndTheirNumberIsLimited) {
  std::promise<void> end;
  const auto waits = end.get_future().share();
  std::mutex mutex;
  std::vector<std::size_t> ended;
  std::promise<void> all;
  constexpr std::size_t kAll = limits::kLongJobs + limits::kLongJobsWaiting;
  std::atomic<int> at_once = 0;
  std::atomic<int> most = 0;
  for (std::size_t number = 0; number < kAll; ++number) {
    ASSERT_TRUE(jobs_
                    .begin(std::to_string(number),
                           [&, waits, number](const std::stop_token&) -> Task {
                             const int now = ++at_once;
                             for (int seen = most;
                                  now > seen && !most.compare_exchange_weak(seen, now);) {
                             }
                             waits.wait();
                             --at_once;
                             return [&, number] {
                               std::unique_lock lock(mutex);
                               ended.push_back(number);
                               const bool is_last = ended.size() == kAll;
                               // The mutex goes with the test, which ends at once.
                               lock.unlock();
                               if (is_last) {
                                 all.set_value();
                               }
                             };
                           })
                    .ok());
  }
  EXPECT_EQ(jobs_.begin("0", {}).error().code, errc::kConflict);
  EXPECT_EQ(jobs_.begin(std::to_string(kAll - 1), {}).error().code, errc::kConflict);
  EXPECT_EQ(jobs_.begin("more", {}).error().code, errc::kOverloaded);
  end.set_value();
  all.get_future().wait();
  EXPECT_LE(most, static_cast<int>(limits::kLongJobs));
}

TEST_F(ClonesTest, AJobThatIsCancelledWhileItWaitsIsStoppedWhenItBegins) {
  std::promise<void> end;
  const auto waits = end.get_future().share();
  for (std::size_t number = 0; number < limits::kLongJobs; ++number) {
    ASSERT_TRUE(jobs_
                    .begin(std::to_string(number),
                           [waits](const std::stop_token&) -> Task {
                             waits.wait();
                             return [] {};
                           })
                    .ok());
  }
  std::promise<bool> stopped;
  ASSERT_TRUE(jobs_
                  .begin("waits",
                         [&](const std::stop_token& stop) -> Task {
                           std::promise<void> asked;
                           const std::stop_callback heard(stop, [&asked] { asked.set_value(); });
                           asked.get_future().wait();
                           return [&] { stopped.set_value(true); };
                         })
                  .ok());
  EXPECT_TRUE(jobs_.cancel("waits"));
  EXPECT_FALSE(jobs_.cancel("unknown"));
  end.set_value();
  EXPECT_TRUE(stopped.get_future().get());
}

TEST_F(ClonesTest, ThoseThatWaitAreToldOfTheEnd) {
  int told = 0;
  {
    LongJobs jobs;
    for (std::size_t number = 0; number < limits::kLongJobs; ++number) {
      ASSERT_TRUE(jobs.begin(std::to_string(number),
                             [](const std::stop_token& stop) -> Task {
                               std::promise<void> asked;
                               const std::stop_callback heard(stop,
                                                              [&asked] { asked.set_value(); });
                               asked.get_future().wait();
                               return [] {};
                             })
                      .ok());
    }
    ASSERT_TRUE(jobs.begin("waits",
                           [&told](const std::stop_token& stop) -> Task {
                             return [&told, stopped = stop.stop_requested()] {
                               told += stopped ? 1 : 0;
                             };
                           })
                    .ok());
  }
  EXPECT_EQ(told, 1);
}

}  // namespace
}  // namespace svc::worktrees
