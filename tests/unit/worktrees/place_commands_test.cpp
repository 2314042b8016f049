#include "place_commands.h"

#include <future>
#include <memory>

#include "svc/base/marked_processes.h"
#include "svc/base/process_marks.h"
#include "svc/base/spawn.h"

#include "fakes/inline_workers.h"
#include "fixture.h"
#include "unit/hostworkers/fake_link.h"

namespace svc::worktrees {
namespace {

class PlaceCommandsTest : public RepositoryTest {
 protected:
  [[nodiscard]] std::filesystem::path data() const { return directory_.path() / "data"; }
  base::ChildProcess leftBehind() const {
    auto environment = base::currentEnvironment();
    environment[base::kProcessMark] = Places::marksBelow(data()).add().value();
    auto left = base::spawn({.argv = {"sleep", "1000"}, .environment = environment});
    EXPECT_TRUE(left.ok());
    return std::move(left).value();
  }
  [[nodiscard]] std::string setUp() {
    const auto wish =
        Json::object()
            .set("environmentId", "env_1")
            .set("workspace",
                 Json::object().set("type", "managed-worktree").set("branchName", "svc/thr_1"))
            .set("projectPath", repo().string());
    std::string output;
    for (const auto* type : {"environment.create", "environment.setup"}) {
      std::promise<Result<std::string>> answer;
      link_.handlers.at(type)(wish.dump(),
                              [&](Result<std::string> result) { answer.set_value(result); });
      const auto result = answer.get_future().get();
      EXPECT_TRUE(result.ok()) << type << ": " << result.error().message;
      output = Json::parse(result ? result.value() : "{}").value()["output"].asString();
    }
    return output;
  }

  void TearDown() override { jobs_.reset(); }

  svc::test::InlineBulkWorkers workers_;
  hostworkers::FakeLink link_;
  std::unique_ptr<LongJobs> jobs_ = std::make_unique<LongJobs>();
  GitCommands git_{workers_, *jobs_, own_, base::PathBounds(directory_.path().string())};
  PlaceCommands commands_{*jobs_, git_, data(), "/usr/bin", true};
};

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

}  // namespace
}  // namespace svc::worktrees
