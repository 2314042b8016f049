#include "dispatch.h"

#include "svc/common/limits/cli.h"

#include "client_fixture.h"
#include "temp_tree.h"

namespace svc::client {
namespace {

constexpr auto kProbePath = "/api/v1/plugins/contributions";
constexpr auto kListPath = "/api/v1/plugins";
constexpr auto kTodoPath = "/api/v1/plugins/todo/cli";

class DispatchTest : public ClientTest {
 protected:
  int dispatch(const std::string& name, std::vector<std::string> argv = {}) {
    auto made = context();
    made.console.json = json;
    return dispatchCommand(made, name, std::move(argv));
  }
  [[nodiscard]] common::Json sentBody() const {
    return common::Json::parse(requests.back().body).value();
  }
  bool json = false;
};

TEST_F(DispatchTest, PrintsBothStreamsWithALineEndAndPassesTheExitCodeOn) {
  expectGet(kProbePath, kContributions);
  expectPost(kTodoPath, R"({"ok":true,"exitCode":7,"stdout":"one\ntwo","stderr":"careful\n"})");
  EXPECT_EQ(dispatch("todo", {"list"}), 7);
  EXPECT_EQ(out.str(), "one\ntwo\n");
  EXPECT_EQ(err.str(), "careful\n");
}

TEST_F(DispatchTest, PrintsNothingForEmptyOutput) {
  expectGet(kProbePath, kContributions);
  expectPost(kTodoPath, R"({"ok":true,"exitCode":0,"stdout":"","stderr":""})");
  EXPECT_EQ(dispatch("todo"), 0);
  EXPECT_EQ(out.str() + err.str(), "");
}

TEST_F(DispatchTest, SendsArgumentsDirectoryAndThread) {
  variables["SVC_THREAD_ID"] = "thr_1";
  variables["SVC_PROJECT_ID"] = "proj_1";
  expectGet(kProbePath, kContributions);
  expectPost(kTodoPath, R"({"ok":true,"exitCode":0,"stdout":"","stderr":""})");
  EXPECT_EQ(dispatch("todo", {"add", "--x", "a b"}), 0);
  EXPECT_EQ(
      requests.back().body,
      R"({"argv":["add","--x","a b"],"cwd":"/work","threadId":"thr_1","projectId":"proj_1"})");
  EXPECT_EQ(requests.back().timeout, limits::kCliClientWait);
}

TEST_F(DispatchTest, AcceptsKeepAliveLinesBeforeTheAnswer) {
  expectGet(kProbePath, kContributions);
  expectPost(kTodoPath, "\n\n\n{\"ok\":true,\"exitCode\":0,\"stdout\":\"done\",\"stderr\":\"\"}");
  EXPECT_EQ(dispatch("todo"), 0);
  EXPECT_EQ(out.str(), "done\n");
}

TEST_F(DispatchTest, UsesThePluginIdOfTheCommand) {
  expectGet(kProbePath, kContributions);
  expectPost("/api/v1/plugins/notes-plugin/cli",
             R"({"ok":true,"exitCode":0,"stdout":"","stderr":""})");
  EXPECT_EQ(dispatch("notes"), 0);
}

TEST_F(DispatchTest, AnswersHelpFromMetadata) {
  expectGet(kProbePath, kContributions);
  EXPECT_EQ(dispatch("todo", {"--help"}), 0);
  EXPECT_EQ(out.str(),
            "svc todo — Manage todos\n\nUsage:\n  svc todo list         List todos\n  svc todo add "
            "<title>  Add a todo\n");
}

TEST_F(DispatchTest, ShowsOneCommandsHelpBehindIt) {
  expectGet(kProbePath, kContributions);
  EXPECT_EQ(dispatch("todo", {"add", "-h"}), 0);
  EXPECT_EQ(out.str(), "svc todo — Manage todos\n\nUsage:\n  svc todo add <title>  Add a todo\n");
}

TEST_F(DispatchTest, PassesHelpOnWhenThePluginRendersIt) {
  expectGet(kProbePath, kContributions);
  expectPost("/api/v1/plugins/notes-plugin/cli",
             R"({"ok":true,"exitCode":0,"stdout":"own help","stderr":""})");
  EXPECT_EQ(dispatch("notes", {"--help"}), 0);
  EXPECT_EQ(out.str(), "own help\n");
}

TEST_F(DispatchTest, PassesHelpOnBehindTheSeparator) {
  expectGet(kProbePath, kContributions);
  expectPost(kTodoPath, R"({"ok":true,"exitCode":0,"stdout":"","stderr":""})");
  EXPECT_EQ(dispatch("todo", {"add", "--", "--help"}), 0);
}

TEST_F(DispatchTest, RetriesTheLookupAfterTimeoutsWithItsPauses) {
  expect("GET", kProbePath, Error{errc::kTimeout, "late"});
  expect("GET", kProbePath, Error{errc::kAborted, "reset"});
  expectGet(kProbePath, kContributions);
  expectPost(kTodoPath, R"({"ok":true,"exitCode":0,"stdout":"","stderr":""})");
  EXPECT_EQ(dispatch("todo"), 0);
  EXPECT_EQ(pauses, (std::vector<std::int64_t>{150, 500}));
  EXPECT_EQ(requests[0].timeout, std::chrono::seconds(2));
  EXPECT_EQ(requests[1].timeout, std::chrono::seconds(4));
  EXPECT_EQ(requests[2].timeout, std::chrono::seconds(4));
}

TEST_F(DispatchTest, SaysThatTheCommandDidNotRunAfterThreeTimeouts) {
  for (int i = 0; i < 3; ++i) {
    expect("GET", kProbePath, Error{errc::kTimeout, "no answer"});
  }
  EXPECT_EQ(dispatch("todo"), 69);
  EXPECT_EQ(err.str(),
            "svc: no answer; the command did not run\nhint: `svc status` shows whether the server "
            "is well\n");
}

TEST_F(DispatchTest, DoesNotRetryARefusedConnection) {
  expect("GET", kProbePath, Error{errc::kUnavailable, "nothing answers at http://127.0.0.1:4700"});
  EXPECT_EQ(dispatch("todo"), 69);
  EXPECT_THAT(err.str(), ::testing::HasSubstr("svc server start"));
}

TEST_F(DispatchTest, SuggestsTheNearestCommand) {
  expectGet(kProbePath, kContributions);
  expectGet(kListPath, R"({"ok":true,"plugins":[{"id":"todo","status":"running"}]})");
  expectGet(kProbePath, kContributions);
  EXPECT_EQ(dispatch("todoo"), 2);
  EXPECT_EQ(err.str(), "svc: unknown command \"todoo\"\nhint: did you mean `svc todo`?\n");
}

TEST_F(DispatchTest, ACommandOfABundledPluginSaysHowItIsInstalled) {
  const TempTree tree;
  tree.write("share/svc/builtin/author/package.json", "{}");
  expectGet(kProbePath, kContributions);
  expectGet(kListPath, R"({"ok":true,"plugins":[]})");
  expectGet(kProbePath, kContributions);
  auto made = context();
  made.environment.program_dir = tree.path() / "bin";
  EXPECT_EQ(dispatchCommand(made, "author", {"guide"}), 2);
  EXPECT_EQ(
      err.str(),
      "svc: unknown command \"author\"\nhint: it is of a plugin that comes with svc and is not "
      "installed: `svc plugin install builtin:author`\n");
}

TEST_F(DispatchTest, NamesAPluginThatIsNotRunning) {
  expectGet(kProbePath, kContributions);
  expectGet(
      kListPath,
      R"({"ok":true,"plugins":[{"id":"broken","status":"error","statusDetail":"server.ts:3: boom"}]})");
  expectGet(kProbePath, kContributions);
  EXPECT_EQ(dispatch("broken"), 1);
  EXPECT_EQ(err.str(),
            "svc: plugin \"broken\" is error: server.ts:3: boom\nhint: `svc plugin show broken` "
            "shows its last error\n");
}

constexpr auto kNoCommands = R"({"ok":true,"cliCommands":[],"mentionProviders":[]})";
constexpr auto kTodoStarts =
    R"({"ok":true,"plugins":[{"id":"todo","status":"starting"},{"id":"a","status":"running"}]})";

TEST_F(DispatchTest, WaitsForACommandWhilePluginsStart) {
  expectGet(kProbePath, kNoCommands);
  expectGet(kListPath, kTodoStarts);
  expectGet(kProbePath, kNoCommands);
  // Asked for, it is loaded before the others.
  expectGet("/api/v1/plugins/todo", R"({"ok":true,"plugin":{}})");
  expectGet(kListPath, kTodoStarts);
  expectGet(kProbePath, kContributions);
  expectPost(kTodoPath, R"({"ok":true,"exitCode":0,"stdout":"milk","stderr":""})");
  EXPECT_EQ(dispatch("todo"), 0);
  EXPECT_EQ(out.str(), "milk\n");
  EXPECT_EQ(err.str(), "");
  EXPECT_EQ(pauses, (std::vector<std::int64_t>{25}));
}

TEST_F(DispatchTest, SaysOnATerminalThatItWaits) {
  expectGet(kProbePath, kNoCommands);
  expectGet(kListPath, kTodoStarts);
  expectGet(kProbePath, kNoCommands);
  expectGet("/api/v1/plugins/todo", R"({"ok":true,"plugin":{}})");
  expectGet(kListPath, kTodoStarts);
  expectGet(kProbePath, kContributions);
  expectPost(kTodoPath, R"({"ok":true,"exitCode":0,"stdout":"","stderr":""})");
  auto made = context();
  made.console.err_terminal = true;
  EXPECT_EQ(dispatchCommand(made, "todo", {}), 0);
  EXPECT_THAT(err.str(), ::testing::HasSubstr("waiting for 1 of 2 plugins to start"));
}

TEST_F(DispatchTest, WaitsForThePluginThatARunNames) {
  expectPost(kTodoPath,
             R"({"ok":false,"error":{"code":"plugin_not_running","message":"no",)"
             R"("details":{"pluginId":"todo","status":"starting"}}})",
             503);
  expectPost(kTodoPath, R"({"ok":true,"exitCode":0,"stdout":"milk","stderr":""})");
  auto made = context();
  EXPECT_EQ(runPlugin(made, "todo", {"list"}), 0);
  EXPECT_EQ(out.str(), "milk\n");
}

TEST_F(DispatchTest, AChildOfAPluginDoesNotWaitForThatPlugin) {
  variables["SVC_PLUGIN_ID"] = "todo";
  const auto look = [this] {
    expectGet(kProbePath, kNoCommands);
    expectGet(kListPath, kTodoStarts);
    expectGet(kProbePath, kNoCommands);
  };
  look();
  EXPECT_EQ(dispatch("todo"), 1);
  EXPECT_EQ(err.str(),
            "svc: plugin \"todo\" is still loading; its own commands answer when its factory has "
            "returned\n");
  err.str("");
  look();
  EXPECT_EQ(dispatch("list"), 2);
  EXPECT_EQ(err.str(),
            "svc: unknown command \"list\"\nhint: plugin \"todo\" is still loading; its own "
            "commands answer when its factory has returned\n");
  expectPost(kTodoPath,
             R"({"ok":false,"error":{"code":"plugin_not_running","message":"still loading",)"
             R"("details":{"pluginId":"todo","status":"starting"}}})",
             503);
  auto made = context();
  EXPECT_EQ(runPlugin(made, "todo", {"list"}), 1);
  EXPECT_TRUE(pauses.empty());
  EXPECT_THAT(requests.back().body, ::testing::HasSubstr(R"("callerPluginId":"todo")"));
}

TEST_F(DispatchTest, DoesNotWaitForPluginsThatNeverStart) {
  constexpr int kLooks = 240;
  expectGet(kProbePath, kNoCommands);
  for (int look = 0; look <= kLooks; ++look) {
    expectGet(kListPath, kTodoStarts);
    expectGet(kProbePath, kNoCommands);
    if (look == 0) {
      expectGet("/api/v1/plugins/todo", R"({"ok":true,"plugin":{}})");
    }
  }
  EXPECT_EQ(dispatch("todo"), 1);
  EXPECT_EQ(pauses.size(), static_cast<std::size_t>(kLooks));
  EXPECT_EQ(err.str(),
            "svc: plugin \"todo\" is starting\n"
            "hint: it has been starting for a minute; `svc plugin logs todo` shows what it does\n");
}

TEST_F(DispatchTest, PrintsTheMessageOfAFailedCall) {
  expectGet(kProbePath, kContributions);
  expectPost(kTodoPath,
             R"({"ok":false,"error":{"code":"handler_error","message":"svc todo failed: boom"}})",
             500);
  EXPECT_EQ(dispatch("todo", {"add"}), 1);
  EXPECT_EQ(out.str(), "");
  EXPECT_EQ(err.str(), "svc: svc todo failed: boom\n");
}

TEST_F(DispatchTest, PrintsTheEnvelopeOfAFailedCallWhenTheArgumentsAskForJson) {
  const std::string envelope = R"({"ok":false,"error":{"code":"handler_error","message":"boom"}})";
  expectGet(kProbePath, kContributions);
  expectPost(kTodoPath, envelope, 500);
  EXPECT_EQ(dispatch("todo", {"add", "--json"}), 1);
  EXPECT_EQ(out.str(), envelope + "\n");
}

TEST_F(DispatchTest, WhatFailsBeforeThePluginIsJsonToo) {
  const auto failing = [this](const Error& error) {
    expect("GET", kProbePath, error);
    auto made = context();
    return dispatchCommand(made, "todo", {"list", "--json"});
  };
  EXPECT_EQ(failing({errc::kUnavailable, "nothing answers"}), 69);
  EXPECT_THAT(out.str(), ::testing::HasSubstr(R"({"ok":false,"error":{"code":"unreachable")"));
  out.str("");
  expectGet(kProbePath, kContributions);
  expectGet(kListPath, R"({"ok":true,"plugins":[{"id":"todoo","status":"disabled"}]})");
  expectGet(kProbePath, kContributions);
  auto made = context();
  EXPECT_EQ(dispatchCommand(made, "todoo", {"list", "--json"}), 1);
  EXPECT_THAT(out.str(), ::testing::HasSubstr(R"("code":"plugin_not_running")"));
  out.str("");
  expect("GET", kProbePath, Error{errc::kUnavailable, "nothing answers"});
  EXPECT_EQ(dispatch("todo", {"add", "--", "--json"}), 69);
  EXPECT_EQ(out.str(), "") << "behind the separator it is a text";
}

TEST_F(DispatchTest, MapsUnknownCommandToNotFound) {
  expectGet(kProbePath, kContributions);
  expectPost(kTodoPath, R"({"ok":false,"error":{"code":"unknown_command","message":"gone"}})", 404);
  EXPECT_EQ(dispatch("todo"), 3);
}

TEST_F(DispatchTest, PrintsTheEnvelopeWithGlobalJson) {
  json = true;
  expectGet(kProbePath, kContributions);
  expectPost(kTodoPath, "\n{\"ok\":true,\"exitCode\":3,\"stdout\":\"x\",\"stderr\":\"\"}");
  EXPECT_EQ(dispatch("todo"), 3);
  EXPECT_EQ(out.str(), "{\"ok\":true,\"exitCode\":3,\"stdout\":\"x\",\"stderr\":\"\"}\n");
}

TEST_F(DispatchTest, ReadsAnOptionFromStandardInput) {
  in.str("secret\n");
  expectGet(kProbePath, kContributions);
  expectPost(kTodoPath, R"({"ok":true,"exitCode":0,"stdout":"","stderr":""})");
  EXPECT_EQ(dispatch("todo", {"login", "--token-stdin"}), 0);
  EXPECT_EQ(sentBody()["argv"].dump(), R"(["login","--token","secret"])");
}

TEST_F(DispatchTest, LeavesPluginOutputUntouched) {
  expectGet(kProbePath, kContributions);
  expectPost(kTodoPath,
             R"({"ok":true,"exitCode":0,"stdout":"\u001b[31mred\u001b[0m\n","stderr":""})");
  EXPECT_EQ(dispatch("todo"), 0);
  EXPECT_EQ(out.str(), "\x1b[31mred\x1b[0m\n");
}

TEST_F(DispatchTest, RunsByPluginIdWithoutALookup) {
  expectPost("/api/v1/plugins/my%20plugin/cli",
             R"({"ok":true,"exitCode":0,"stdout":"","stderr":""})");
  auto made = context();
  EXPECT_EQ(runPlugin(made, "my plugin", {"a"}), 0);
}

TEST_F(DispatchTest, RefusesAnAnswerThatIsNoEnvelope) {
  expectGet(kProbePath, "<html></html>", 404);
  EXPECT_EQ(dispatch("todo"), 1);
  EXPECT_THAT(err.str(), ::testing::HasSubstr("is not a svc server"));
}

}  // namespace
}  // namespace svc::client
