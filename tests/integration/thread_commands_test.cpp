// `svc thread` and `svc environment` with a server, its own machine, and an agent that plays a script.
#include <csignal>
#include <fstream>

#include "harness/hosts.h"

namespace svc::test {
namespace {

using common::Json;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

namespace fs = std::filesystem;

class ThreadCommandsTest : public ::testing::Test {
 protected:
  /// Starts the server with an agent that plays these turns, and a project with a repository.
  void begin(const std::string& turns) {
    fs::create_directories(repository());
    std::ofstream(folders.path() / "script.json") << R"({"turns":)" << turns << "}";
    std::ofstream(repository() / "a.txt") << "one\n";
    git(repository(), {"init", "-q", "-b", "main"});
    git(repository(), {"config", "user.email", "ada@example.org"});
    git(repository(), {"config", "user.name", "Ada"});
    git(repository(), {"add", "."});
    git(repository(), {"commit", "-q", "-m", "first"});
    const auto agents = Json::object().set(
        "scripted",
        Json::object()
            .set("command", "node")
            .set("args", Json(Json::Array{SVC_TEST_SOURCE_DIR
                                          "/tests/support/scripted_agent/scripted_agent.mjs",
                                          (folders.path() / "script.json").string()})));
    server.emplace(kDefaultModules,
                   std::vector<std::string>{"--hosts.local=true", "--log.level=warn",
                                            "--agents=" + agents.dump()});
    ASSERT_TRUE(awaitConnected(*server, ownHost(*server))) << server->process().errorText();
    const auto made = server->cli({"project", "create", "shop", repository().string()});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    // The machine says by and by which agents it has.
    ASSERT_TRUE(eventually([&] {
      return server->cli({"provider", "list"}).out.find("scripted\tscripted\tyes") !=
             std::string::npos;
    })) << server->cli({"provider", "list"}).out;
  }
  [[nodiscard]] fs::path repository() const { return folders.path() / "shop"; }

  static std::string git(const fs::path& folder, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"/usr/bin/env", "git", "-C", folder.string()});
    const auto done = runCommand({.argv = std::move(arguments)});
    EXPECT_EQ(done.exit_code, 0) << done.err;
    return done.out;
  }
  [[nodiscard]] Json json(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "--json");
    const auto done = server->cli(std::move(arguments));
    auto parsed = Json::parse(done.out);
    return parsed ? std::move(parsed).value() : Json();
  }
  /// A follower of its own; it finds a server that was started again by its data directory.
  [[nodiscard]] std::unique_ptr<Child> follows(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(),
                     {SVC_TEST_SVC, "--data-dir", server->dataDir().string(), "thread"});
    arguments.insert(arguments.end(), {"--project", "shop", "--follow"});
    return std::make_unique<Child>(Command{.argv = std::move(arguments)});
  }
  [[nodiscard]] std::string newestThread() const {
    std::string id;
    EXPECT_TRUE(eventually([&] {
      const auto listed = json({"thread", "list"});
      const auto& threads = listed["threads"].items();
      id = threads.empty() ? "" : threads.front()["id"].asString();
      return !id.empty();
    }));
    return id;
  }
  /// Reads lines of a follower until this one.
  static bool reads(Child& follower, const std::string& wanted) {
    for (auto line = follower.readLine(); line; line = follower.readLine()) {
      if (*line == wanted) {
        return true;
      }
    }
    return false;
  }

  TempDir folders;
  std::optional<Server> server;
};

constexpr auto kSays = R"([[{"text":"All is done.","split":4}]])";
constexpr auto kWaits = R"([[{"text":"I begin."},{"update":{"sessionUpdate":"tool_call",)"
                        R"("toolCallId":"c1","title":"make","kind":"execute",)"
                        R"("status":"in_progress","rawInput":{"command":"make"}}},)"
                        R"({"untilCancelled":true}]])";
constexpr auto kCommandAsks =
    R"([[{"request":{"method":"session/request_permission","params":{"sessionId":"scripted-session",)"
    R"("toolCall":{"toolCallId":"c1","title":"rm build","kind":"execute","rawInput":{"command":"rm build"}},)"
    R"("options":[{"optionId":"yes","name":"Allow","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}]}},"say":true}]])";

TEST_F(ThreadCommandsTest, ATurnIsFollowedAndItsWorktreeCommittedAndRemoved) {
  begin(kSays);
  const auto started = server->cli(
      {"thread", "start", "write", "b.txt", "--project", "shop", "--worktree", "--follow"});
  EXPECT_EQ(started.exit_code, 0) << started.err;
  EXPECT_EQ(started.out,
            "> write b.txt\n\u00b7 Creating the workspace\n\u00b7 Setting up\nAll is done.\n-- "
            "completed\n");
  EXPECT_THAT(started.err, HasSubstr(" with scripted in shop.\n"));
  const auto thread = newestThread();
  EXPECT_EQ(server->cli({"thread", "output", thread}).out, "All is done.\n");
  EXPECT_EQ(server->cli({"thread", "wait", thread}).exit_code, 0);

  const auto environments = json({"environment", "list", "--project", "shop"});
  ASSERT_EQ(environments["environments"].items().size(), 1U) << environments.dump();
  const auto& environment = environments["environments"].items().front();
  const auto id = environment["id"].asString();
  const fs::path worktree = environment["path"].asString();
  ASSERT_TRUE(fs::exists(worktree / "a.txt"));
  EXPECT_THAT(server->cli({"environment", "status", id}).out, HasSubstr("Nothing is changed."));
  std::ofstream(worktree / "b.txt") << "two\n";
  EXPECT_THAT(server->cli({"environment", "status", id}).out, HasSubstr("b.txt"));
  EXPECT_EQ(server->cli({"environment", "diff", id, "--stat"}).out, "added\tb.txt\t+1 -0\n");
  // A patch in a pipe is one that git takes.
  std::ofstream(folders.path() / "patch") << server->cli({"environment", "diff", id}).out;
  git(repository(), {"apply", "--check", (folders.path() / "patch").string()});
  // Or it is none: what is no text is told, and programs get nothing that they would apply.
  std::ofstream(worktree / "latin") << "caf\xE9\n";
  const auto partial = server->cli({"environment", "diff", id});
  EXPECT_EQ(partial.exit_code, 1);
  EXPECT_EQ(partial.out, "");
  EXPECT_THAT(partial.err, HasSubstr("no UTF-8 text: latin\n"));
  fs::remove(worktree / "latin");
  const auto committed = server->cli({"environment", "commit", id, "-m", "Write b"});
  EXPECT_EQ(committed.exit_code, 0) << committed.err;
  EXPECT_THAT(committed.out, EndsWith("  Write b\n"));
  EXPECT_THAT(server->cli({"environment", "diff", id, "--committed"}).out, HasSubstr("+two"));
  EXPECT_NE(server->cli({"environment", "commit", id}).exit_code, 0);
  std::ofstream(worktree / "b.txt") << "three\n";
  EXPECT_THAT(server->cli({"environment", "commit", id}).out, EndsWith("  write b.txt\n"));

  git(repository(), {"merge", "-q", environment["branchName"].asString()});
  EXPECT_EQ(server->cli({"thread", "archive", thread}).exit_code, 0);
  const auto removed = server->cli({"environment", "remove", id, "--yes"});
  EXPECT_EQ(removed.exit_code, 0) << removed.err;
  EXPECT_TRUE(eventually([&] {
    return json({"environment", "show", id})["environment"]["status"].asString() == "destroyed";
  }));
  EXPECT_FALSE(fs::exists(worktree));
  EXPECT_TRUE(fs::exists(repository() / "b.txt"));
}

TEST_F(ThreadCommandsTest, WhatIsAskedIsAnsweredFromAnotherTerminal) {
  begin(kCommandAsks);
  const auto follower = follows({"start", "clean up"});
  std::string thread;
  std::string interaction;
  ASSERT_TRUE(eventually([&] {
    thread = newestThread();
    const auto asked = json({"thread", "interactions", thread});
    const auto& open = asked["interactions"].items();
    interaction = open.empty() ? "" : open.front()["id"].asString();
    return !interaction.empty();
  }));
  EXPECT_EQ(server->cli({"thread", "answer", thread, interaction, "perhaps"}).exit_code, 2);
  const auto answered = server->cli({"thread", "answer", thread, interaction, "yes"});
  EXPECT_EQ(answered.exit_code, 0) << answered.err;
  const auto done = follower->wait();
  ASSERT_TRUE(done);
  EXPECT_EQ(done->exit_code, 0) << done->err;
  EXPECT_THAT(done->err, HasSubstr("The agent wants to run\n  $ rm build\n"));
  EXPECT_THAT(done->err, HasSubstr(interaction + " yes|"));
  EXPECT_THAT(done->out, HasSubstr("\nallowed\n"));
  EXPECT_THAT(done->out, HasSubstr(R"("optionId":"yes")"));
  EXPECT_THAT(server->cli({"thread", "answer", thread, interaction, "yes"}).err,
              HasSubstr("already"));
}

TEST_F(ThreadCommandsTest, AStoppedTurnEndsItsFollowerAndIsTriedAgain) {
  begin(kWaits);
  const auto follower = follows({"start", "build it"});
  ASSERT_TRUE(reads(*follower, "$ make"));
  const auto thread = newestThread();
  const auto queued = server->cli({"thread", "queue", "add", thread, "and the docs"});
  EXPECT_EQ(queued.exit_code, 0) << queued.err;
  EXPECT_THAT(server->cli({"thread", "queue", "list", thread}).out, HasSubstr("and the docs"));
  const auto waiting = json({"thread", "queue", "list", thread});
  EXPECT_EQ(server
                ->cli({"thread", "queue", "delete", thread,
                       waiting["queuedMessages"].items().at(0)["id"].asString()})
                .exit_code,
            0);
  EXPECT_EQ(server->cli({"thread", "stop", thread}).exit_code, 0);
  const auto done = follower->wait();
  ASSERT_TRUE(done);
  EXPECT_EQ(done->exit_code, 1) << done->err;
  EXPECT_THAT(done->out, HasSubstr("-- interrupted"));
  EXPECT_THAT(done->err, HasSubstr("svc thread retry " + thread));
  EXPECT_EQ(server->cli({"thread", "follow", thread}).exit_code, 1);
  EXPECT_EQ(server->cli({"thread", "retry", thread}).out, "It is tried again (attempt 2).\n");
}

TEST_F(ThreadCommandsTest, CtrlCLeavesTheTurnAlone) {
  begin(kWaits);
  const auto follower = follows({"start", "build it"});
  ASSERT_TRUE(reads(*follower, "$ make"));
  follower->signal(SIGINT);
  const auto left = follower->wait();
  ASSERT_TRUE(left);
  EXPECT_EQ(left->exit_code, 130);
  const auto thread = newestThread();
  EXPECT_THAT(left->err, HasSubstr("`svc thread stop " + thread + "` stops it"));
  EXPECT_EQ(json({"thread", "show", thread})["thread"]["status"].asString(), "active");
}

TEST_F(ThreadCommandsTest, AFollowerComesBackToAServerThatWasStartedAgain) {
  begin(kWaits);
  const auto follower = follows({"start", "build it"});
  ASSERT_TRUE(reads(*follower, "$ make"));
  server->restart();
  const auto done = follower->wait();
  ASSERT_TRUE(done);
  EXPECT_EQ(done->exit_code, 1) << done->err;
  EXPECT_THAT(done->err, HasSubstr("the connection to the server is lost; trying again"));
  EXPECT_THAT(done->out, Not(HasSubstr("I begin.")));  // it was read before
  EXPECT_THAT(done->out, HasSubstr("interrupted"));
}

TEST_F(ThreadCommandsTest, AnAgentThatIsNotThereIsNamed) {
  begin(kSays);
  EXPECT_THAT(server->cli({"provider", "models", "scripted"}).out, HasSubstr("default"));
  const auto refused = server->cli(
      {"thread", "start", "x", "--project", "shop", "--provider", "nobody", "--follow"});
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_THAT(refused.err, HasSubstr("nobody"));
  EXPECT_THAT(server->cli({"thread", "show", "thr_none"}).err, HasSubstr("thr_none"));
  EXPECT_EQ(server->cli({"thread", "follow", "thr_none"}).exit_code, 3);
}

TEST_F(ThreadCommandsTest, AFormThatWaitsWhenTheServerStopsEndsAsRestarted) {
  begin(kSays);
  const PluginDir asker{"asker", R"(export default function (svc: any) {
    svc.events.on("thread.idle", ({ thread }: any) => {
      void svc.ui.requestInput({ threadId: thread.id, rendererId: "sure", title: "Sure?", payload: null });
    });
  })"};
  ASSERT_EQ(server->install(asker.path())["status"].asString(), "running");
  EXPECT_EQ(server->cli({"thread", "start", "write", "--project", "shop", "--follow"}).exit_code,
            0);
  const auto thread = newestThread();
  ASSERT_TRUE(eventually([&] {
    return json({"thread", "interactions", thread})["interactions"].items().size() == 1;
  }));
  server->restart();
  const auto told =
      json({"thread", "events", thread, "--type", "system/pluginInteraction/lifecycle"});
  const auto& end = told["events"].items().back()["data"];
  EXPECT_EQ(end["status"].asString(), "interrupted") << told.dump();
  EXPECT_EQ(end["statusReason"].asString(), "server-restarted") << told.dump();
}

TEST_F(ThreadCommandsTest, APluginHearsOnceOfATurnThatARestartHasInterrupted) {
  begin(R"([[{"text":"I begin."},{"untilCancelled":true}]])");
  const PluginDir listener{"listener", R"(export default function (svc: any) {
    svc.events.on("thread.active", () => svc.log.info("active"));
    svc.events.on("thread.idle", ({ thread }: any) => svc.log.info(`ended ${thread.id} ${thread.status}`));
  })"};
  ASSERT_EQ(server->install(listener.path())["status"].asString(), "running");
  const auto told = [this](const std::string& line) {
    std::size_t count = 0;
    const auto log = server->cli({"plugin", "logs", "listener"}).out;
    for (auto at = log.find(line); at != std::string::npos; at = log.find(line, at + 1)) {
      ++count;
    }
    return count;
  };
  std::size_t turns = 0;
  for (const bool killed : {true, false}) {
    SCOPED_TRACE(killed ? "killed" : "stopped");
    EXPECT_EQ(server->cli({"thread", "start", "write", "--project", "shop"}).exit_code, 0);
    const auto ended = "ended " + newestThread() + " idle";
    ++turns;
    ASSERT_TRUE(eventually([&] { return told("active") == turns; }));
    if (killed) {
      server->kill();
      server->start();
    } else {
      server->restart();
    }
    EXPECT_TRUE(eventually([&] { return told(ended) == 1; }));
    server->restart();
    EXPECT_EQ(told(ended), 1U);
  }
}

TEST_F(ThreadCommandsTest, AFormOfAThreadThatIsStoppedHearsSo) {
  begin(R"([[{"text":"I begin."},{"untilCancelled":true}]])");
  const PluginDir asker{"asker", R"(export default function (svc: any) {
    svc.events.on("thread.active", ({ thread }: any) => {
      const form = { threadId: thread.id, rendererId: "sure", title: "Sure?", payload: null };
      void svc.ui.requestInput(form).then(({ reason }: any) => svc.log.info(`ended by ${reason}`));
    });
  })"};
  ASSERT_EQ(server->install(asker.path())["status"].asString(), "running");
  EXPECT_EQ(server->cli({"thread", "start", "write", "--project", "shop"}).exit_code, 0);
  const auto thread = newestThread();
  ASSERT_TRUE(eventually([&] {
    return json({"thread", "interactions", thread})["interactions"].items().size() == 1;
  }));
  EXPECT_EQ(server->cli({"thread", "stop", thread}).exit_code, 0);
  EXPECT_TRUE(eventually([&] {
    return server->cli({"plugin", "logs", "asker"}).out.find("ended by thread-stopped") !=
           std::string::npos;
  })) << server->cli({"plugin", "logs", "asker"}).out;
}

/// The example has a review done of what a turn has changed, and of nothing else.
TEST_F(ThreadCommandsTest, APluginTakesPart) {
  begin(
      R"([[{"update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Edit","kind":"edit","status":"completed",)"
      R"("content":[{"type":"diff","path":"a.txt","oldText":"one\n","newText":"two\n"}]}},{"text":"Changed."}],)"
      R"([{"text":"Reviewed."}],[{"text":"Never."}]])");
  const auto plugin = server->install(example("reviewer"));
  ASSERT_EQ(plugin["status"].asString(), "running") << plugin.dump();
  const auto started =
      server->cli({"thread", "start", "change a.txt", "--project", "shop", "--follow"});
  EXPECT_EQ(started.exit_code, 0) << started.err;
  EXPECT_EQ(started.out,
            "> change a.txt\nM a.txt\n  --- a/a.txt\n  +++ b/a.txt\n  @@ -1,1 +1,1 @@\n  -one\n  "
            "+two\nChanged.\n-- completed\n");
  const auto thread = newestThread();
  ASSERT_TRUE(eventually([&] {
    return server->cli({"thread", "output", thread}).out == "Reviewed.\n";
  }));
  const auto requests = json({"thread", "events", thread, "--type", "client/turn/requested"});
  EXPECT_EQ(requests["events"].items().size(), 2U) << requests.dump();
}

}  // namespace
}  // namespace svc::test
