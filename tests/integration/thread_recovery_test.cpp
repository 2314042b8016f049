// Threads whose message, folder or environment is in between when something goes away.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "svc/base/fd.h"

#include "harness/packages.h"
#include "thread_fixture.h"

namespace svc::test {
namespace {

using ::testing::HasSubstr;

namespace fs = std::filesystem;

class ThreadRecoveryTest : public ThreadFixture {
 protected:
  /// A project of a repository, which worktrees are made of.
  void beginWithRepository() {
    begin(kTalk);
    repository_ = std::make_unique<GitRepository>();
    repository_->write("a.txt", "one");
  }
  void commit() {
    repository_->commit();
    const auto made =
        post("/projects", Json::object()
                              .set("name", "Repository")
                              .set("source", Json::object()
                                                 .set("type", "local_path")
                                                 .set("hostId", machine_->id())
                                                 .set("path", repository_->path().string())));
    ASSERT_EQ(made.status, 201) << made.body;
    project_ = made.json["project"]["id"].asString();
  }
  [[nodiscard]] Json worktree() const {
    return Json::object().set(
        "environment", Json::object()
                           .set("type", "host")
                           .set("hostId", machine_->id())
                           .set("workspace", Json::object().set("type", "managed-worktree")));
  }
  [[nodiscard]] Json environment() const {
    return get("/environments/" + thread()["environmentId"].asString()).json["environment"];
  }

  /// A message to a worktree whose script runs until it has its word.
  void spawnInSetUp() {
    beginWithRepository();
    go_ = place_->path() / "go";
    const auto ran = place_->path() / "ran";
    ASSERT_EQ(::mkfifo(go_.c_str(), 0600), 0);
    repository_->write(".svc/setup", "#!/bin/sh\necho once >> '" + ran.string() + "'\ncat '" +
                                         go_.string() + "'\n");
    fs::permissions(repository_->path() / ".svc/setup", fs::perms::owner_all);
    commit();
    spawn("say hello", worktree());
    ASSERT_TRUE(eventually([&] { return fs::exists(ran); })) << events().back().dump();
  }
  /// A script that ends before the server has asked again is run again, and waits for its word again.
  void expectDeliveredOnce() const {
    ASSERT_TRUE(eventually([&] {
      if (const base::Fd reader(::open(go_.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC)); reader) {
        EXPECT_EQ(::write(reader.get(), "ready", 5), 5);
      }
      return events("turn/completed").size() == 1;
    })) << events().back().dump();
    EXPECT_EQ(lastTurn(), "completed");
    EXPECT_TRUE(events("client/turn/rejected").empty());
    EXPECT_EQ(heard("session/prompt").size(), 1U);
    expectExactLog();
  }

  std::unique_ptr<GitRepository> repository_;
  fs::path go_;
};

TEST_F(ThreadRecoveryTest, AMessageThatNoAgentHasHadGoesOnAfterAKillByItself) {
  begin(kTalk);
  spawn("say hello");
  ASSERT_TRUE(awaitStatus("idle"));
  // Without a session the message is told to nobody before its machine is there.
  ASSERT_EQ(post("/threads/" + thread_ + "/stop", Json::object()).status, 200);
  machine_->kill();
  ASSERT_EQ(send("and again").json["outcome"].asString(), "started");
  server_->kill();
  server_->start();
  relay_->leadTo(server_->port());
  EXPECT_EQ(thread()["status"].asString(), "starting") << "it waits for its machine";
  machine_->start();
  ASSERT_TRUE(eventually([&] { return events("turn/completed").size() == 2; }))
      << events().back().dump();
  EXPECT_EQ(lastTurn(), "completed");
  EXPECT_TRUE(events("client/turn/rejected").empty());
  EXPECT_EQ(heard("session/prompt").size(), 2U);
  expectExactLog();
}

TEST_F(ThreadRecoveryTest, AWorktreeThatIsBeingSetUpWhenTheServerIsKilledIsReadyForItsMessage) {
  spawnInSetUp();
  restartServer();
  EXPECT_EQ(thread()["status"].asString(), "starting");
  ASSERT_TRUE(eventually([&] { return environment()["status"].asString() == "provisioning"; }))
      << environment().dump() << events().back().dump();
  expectDeliveredOnce();
}

TEST_F(ThreadRecoveryTest, AWorktreeThatIsBeingSetUpWhenItsMachineIsLostIsReadyForItsMessage) {
  spawnInSetUp();
  const auto waits = [](const Json& event) {
    const auto& last = event["data"]["entries"].items().back();
    return last["key"].asString() == "machine" && last["status"].asString() == "active";
  };
  relay_->cut();
  ASSERT_TRUE(eventually([&] {
    const auto told = events("system/thread-provisioning");
    return std::any_of(told.begin(), told.end(), waits);
  })) << events().back().dump();
  (void)machine_->stop();
  ASSERT_TRUE(eventually([&] { return waits(events("system/thread-provisioning").back()); }))
      << events().back().dump();
  machine_->start();
  expectDeliveredOnce();
}

TEST_F(ThreadRecoveryTest, AMessageToAThreadWhoseWorktreeIsGoneSaysSoAndTheNextOneMakesItAgain) {
  beginWithRepository();
  commit();
  spawn("say hello", worktree());
  ASSERT_TRUE(awaitStatus("idle")) << events().back().dump();
  const fs::path folder = environment()["path"].asString();
  fs::remove_all(folder);
  ASSERT_EQ(send("go on").json["outcome"].asString(), "started");
  ASSERT_TRUE(awaitStatus("error"));
  const auto refused = events("client/turn/rejected");
  ASSERT_EQ(refused.size(), 1U);
  EXPECT_EQ(refused.back()["data"]["reason"].asString(), "unknown_path");
  EXPECT_THAT(refused.back()["data"]["message"].asString(), HasSubstr("from its branch"));
  ASSERT_TRUE(eventually([&] { return environment()["status"].asString() == "error"; }));
  EXPECT_THAT(environment()["statusDetail"].asString(), HasSubstr(folder.string()));
  ASSERT_EQ(send("go on").json["outcome"].asString(), "started");
  ASSERT_TRUE(eventually([&] { return events("turn/completed").size() == 2; }))
      << events().back().dump();
  EXPECT_EQ(lastTurn(), "completed");
  EXPECT_TRUE(fs::exists(folder / "a.txt"));
  EXPECT_EQ(environment()["status"].asString(), "ready");
  EXPECT_EQ(heard("session/prompt").size(), 2U);
  expectExactLog();
}

TEST_F(ThreadRecoveryTest, AProjectFolderThatWasMovedAwayIsUsedAgainWhenItIsBack) {
  begin(kTalk);
  spawn("say hello");
  ASSERT_TRUE(awaitStatus("idle"));
  fs::rename(shop(), shop() + "-elsewhere");
  for (int tried = 0; tried < 2; ++tried) {
    ASSERT_EQ(send("go on").json["outcome"].asString(), "started");
    ASSERT_TRUE(eventually(
        [&] { return events("client/turn/rejected").size() == std::size_t(tried) + 1; }));
    EXPECT_THAT(events("client/turn/rejected").back()["data"]["message"].asString(),
                HasSubstr("put it back"));
    ASSERT_TRUE(eventually([&] { return environment()["status"].asString() == "error"; }));
  }
  fs::rename(shop() + "-elsewhere", shop());
  ASSERT_EQ(send("go on").json["outcome"].asString(), "started");
  ASSERT_TRUE(eventually([&] { return events("turn/completed").size() == 2; }))
      << events().back().dump();
  EXPECT_EQ(heard("session/prompt").size(), 2U);
  EXPECT_EQ(environment()["status"].asString(), "ready");
}

}  // namespace
}  // namespace svc::test
