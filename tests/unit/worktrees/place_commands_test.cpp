#include "place_commands.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <fstream>
#include <future>
#include <iterator>
#include <memory>
#include <thread>

#include <fmt/format.h>

#include "svc/base/fd.h"
#include "svc/base/marked_processes.h"
#include "svc/base/process_marks.h"
#include "svc/base/spawn.h"
#include "svc/common/codes.h"

#include "fakes/inline_workers.h"
#include "fixture.h"
#include "unit/hostworkers/fake_link.h"

namespace svc::worktrees {
namespace {

class PlaceCommandsTest : public RepositoryTest {
 protected:
  [[nodiscard]] std::filesystem::path data() const { return directory_.path() / "data"; }
  static std::string environmentOf(const base::ChildProcess& process) {
    std::ifstream file(fmt::format("/proc/{}/environ", process.pid()));
    return {std::istreambuf_iterator<char>(file), {}};
  }
  base::ChildProcess leftBehind() const {
    auto environment = base::currentEnvironment();
    environment[base::kProcessMark] = Places::marksBelow(data()).add().value();
    auto left = base::spawn({.argv = {"sleep", "1000"}, .environment = environment});
    EXPECT_TRUE(left.ok());
    // For an instant a process that is started has no environment to be read.
    while (environmentOf(left.value()).find(environment[base::kProcessMark]) == std::string::npos) {
      std::this_thread::yield();
    }
    return std::move(left).value();
  }
  [[nodiscard]] std::future<Result<std::string>> ask(const std::string& type) {
    const auto wish =
        Json::object()
            .set("environmentId", "env_1")
            .set("workspace",
                 Json::object().set("type", "managed-worktree").set("branchName", "svc/thr_1"))
            .set("projectPath", repo().string());
    auto answer = std::make_shared<std::promise<Result<std::string>>>();
    link_.handlers.at(type)(wish.dump(),
                            [answer](Result<std::string> result) { answer->set_value(result); });
    return answer->get_future();
  }
  [[nodiscard]] std::string setUp() {
    std::string output;
    for (const auto* type : {"environment.create", "environment.setup"}) {
      const auto result = ask(type).get();
      EXPECT_TRUE(result.ok()) << type << ": " << result.error().message;
      output = Json::parse(result ? result.value() : "{}").value()["output"].asString();
    }
    return output;
  }

  void TearDown() override { jobs_.reset(); }

  svc::test::InlineBulkWorkers workers_;
  hostworkers::FakeLink link_;
  std::unique_ptr<LongJobs> jobs_ = std::make_unique<LongJobs>();
  Leftovers leftovers_{data()};
  GitCommands git_{workers_, *jobs_, leftovers_, own_,
                   base::PathBounds(directory_.path().string())};
  PlaceCommands commands_{*jobs_, git_, leftovers_, data(), "/usr/bin", true};
};

TEST_F(PlaceCommandsTest, WorktreesThatAKilledDaemonHadNotDeletedAreDeletedByTheNextOne) {
  const auto left = data() / "worktrees/.removed/env_1.0";
  std::filesystem::create_directories(left / "deep");
  std::ofstream(left / "deep/file") << "x";
  commands_.attach(link_);
  // Its end is waited for: the job is over when its id is free.
  while (!jobs_->begin("leftovers", [](const std::stop_token&) -> Task { return [] {}; })) {
    std::this_thread::yield();
  }
  EXPECT_FALSE(std::filesystem::exists(left));
}

TEST_F(PlaceCommandsTest, AScriptThatAKilledDaemonHasLeftIsEndedByTheNextOne) {
  auto left = leftBehind();
  commands_.attach(link_);
  EXPECT_TRUE(left.awaitEnd(std::chrono::seconds(20)));
}

TEST_F(PlaceCommandsTest, NoScriptRunsBesideOneOfAKilledDaemon) {
  begin();
  write(".svc/setup", "#!/bin/sh\nls " + (data() / "scripts").string() + " | wc -l\n");
  std::filesystem::permissions(repo() / ".svc/setup", std::filesystem::perms::owner_all);
  auto left = leftBehind();
  commands_.attach(link_);
  EXPECT_EQ(setUp(), "1\n") << "its own mark alone";
  EXPECT_TRUE(left.awaitEnd(std::chrono::seconds(20)));
}

TEST_F(PlaceCommandsTest, NothingOnTheMainThreadWaitsForTheLoginShell) {
  begin();
  const auto go = directory_.path() / "go";
  ASSERT_EQ(::mkfifo(go.c_str(), 0600), 0);
  // Open at both ends: a write waits for nobody.
  const base::Fd here(::open(go.c_str(), O_RDWR | O_CLOEXEC));
  const auto shell = directory_.write("shell", "#!/bin/sh\nread -r line < '" + go.string() +
                                                   "'\nPATH=\"$line:$PATH\"\neval \"$2\"\n");
  std::filesystem::permissions(shell, std::filesystem::perms::owner_all);
  own_["SHELL"] = shell.string();
  GitCommands slow(workers_, *jobs_, leftovers_, own_,
                   base::PathBounds(directory_.path().string()));
  PlaceCommands places(*jobs_, slow, leftovers_, data(), "/usr/bin", true);
  write(".svc/setup", "#!/bin/sh\necho \"$PATH\"\n");
  std::filesystem::permissions(repo() / ".svc/setup", std::filesystem::perms::owner_all);
  slow.attach(link_);
  places.attach(link_);
  auto made = ask("environment.create");
  std::promise<Result<std::string>> answer;
  link_.handlers.at("git.clone")(
      Json::object()
          .set("cloneId", "c")
          .set("remoteUrl", repo().string())
          .set("path", (directory_.path() / "copy").string())
          .dump(),
      [&](Result<std::string> result) { answer.set_value(std::move(result)); });
  EXPECT_TRUE(base::writeAll(here.get(), "/tools\n"));
  EXPECT_TRUE(made.get().ok());
  EXPECT_TRUE(answer.get_future().get().ok());
  const auto script = ask("environment.setup").get();
  EXPECT_THAT(script.value(), ::testing::HasSubstr("/usr/bin:/tools:"));
  jobs_.reset();  // before what they use
}

TEST_F(PlaceCommandsTest, WhoAsksForWhatIsBeingDoneHearsItsEnd) {
  begin();
  const auto go = directory_.path() / "go";
  ASSERT_EQ(::mkfifo(go.c_str(), 0600), 0);
  write(".svc/setup", "#!/bin/sh\necho once >> '" + (directory_.path() / "ran").string() +
                          "'\ncat '" + go.string() + "'\n");
  std::filesystem::permissions(repo() / ".svc/setup", std::filesystem::perms::owner_all);
  commands_.attach(link_);
  ASSERT_TRUE(ask("environment.create").get().ok());
  auto first = ask("environment.setup");
  auto again = ask("environment.setup");
  EXPECT_TRUE(ask("environment.create").get().ok()) << "it is there";
  EXPECT_EQ(ask("environment.remove").get().error().code, errc::kConflict)
      << "that is not the same";
  std::ofstream(go) << "done";
  const auto end = first.get();
  ASSERT_TRUE(end.ok());
  EXPECT_THAT(end.value(), ::testing::HasSubstr("done"));
  EXPECT_EQ(again.get().value(), end.value());
  std::ifstream ran(directory_.path() / "ran");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(ran), {}), "once\n");
}

}  // namespace
}  // namespace svc::worktrees
