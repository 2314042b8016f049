// `svc` against a real server: what it prints, where, and how it ends.
#include <pwd.h>
#include <unistd.h>

#include "harness/server.h"

namespace svc::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class CliTest : public ServerTest {
 protected:
  [[nodiscard]] static std::string todoBlock(const std::string& handlers) {
    return "todo@0.1.0  running\n  source: path:" + example("todo").string() +
           "\n  handlers: " + handlers + "\n  command: svc todo — Keep a todo list\n";
  }
};

TEST_P(CliTest, InstallsListsAndRemoves) {
  EXPECT_EQ(server.cli({"plugin", "list"}).out, "No plugins installed.\n");
  const auto installed = server.cli({"plugin", "install", example("todo").string(), "--yes"});
  EXPECT_EQ(installed.exit_code, 0) << installed.err;
  EXPECT_EQ(installed.err,
            "Installing svc-plugin-todo@0.1.0 from " + example("todo").string() + "\n");
  EXPECT_EQ(installed.out, "Installed:\n" + todoBlock("0 calls / 0 ms / 0 ms"));
  EXPECT_EQ(server.cli({"plugin", "list"}).out, todoBlock("0 calls / 0 ms / 0 ms"));
  ASSERT_EQ(server.cli({"todo", "add", "x"}).exit_code, 0);
  const auto removed = server.cli({"plugin", "remove", "todo", "--yes"});
  EXPECT_EQ(removed.exit_code, 0) << removed.err;
  EXPECT_THAT(removed.out, StartsWith("Removed todo.\nKept: kv: 1 key"));
  EXPECT_EQ(server.cli({"plugin", "list"}).out, "No plugins installed.\n");
}

TEST_P(CliTest, RefusesToInstallWithoutConsent) {
  const auto refused = server.cli({"plugin", "install", example("todo").string()});
  EXPECT_EQ(refused.exit_code, 4);
  EXPECT_THAT(refused.err, HasSubstr("not sandboxed"));
  EXPECT_EQ(server.cli({"plugin", "list"}).out, "No plugins installed.\n");
}

TEST_P(CliTest, ExitsWithTheStateOfTheInstalledPlugin) {
  EXPECT_EQ(
      server.cli({"plugin", "install", fixture("throwing_factory").string(), "--yes"}).exit_code,
      1);
  EXPECT_EQ(server.cli({"plugin", "install", fixture("wrong_engine").string(), "--yes"}).exit_code,
            5);
  EXPECT_EQ(server.cli({"status"}).exit_code, 1);
}

TEST_P(CliTest, APluginThatIsLoadingDoesNotWaitForItself) {
  const PluginDir plugin("asks-itself", R"(
import { spawnSync } from "node:child_process";
const svc = (...args) => spawnSync(process.env.SVC_CLI, args, { encoding: "utf8" }).stderr.trim();
export default (api) => {
  api.cli.register({ name: "asks-itself", commands: [], run: () => ({ exitCode: 0, stdout: "runs" }) });
  api.log.info(`by name: ${svc("asks-itself")}`);
  api.log.info(`by id: ${svc("plugin", "run", "asks-itself")}`);
};
)");
  ASSERT_EQ(server.install(plugin.path())["status"].asString(), "running");
  const auto logs = server.cli({"plugin", "logs", "asks-itself"}).out;
  for (const std::string how : {"by name", "by id"}) {
    EXPECT_THAT(logs, HasSubstr(how + R"(: svc: plugin \"asks-itself\" is still loading; its own )"
                                      "commands answer when its factory has returned"));
  }
  EXPECT_EQ(server.cli({"asks-itself"}).out, "runs\n");
}

TEST_P(CliTest, PrintsEnvelopesWithJson) {
  server.install(example("todo"));
  const auto list = server.cli({"plugin", "list", "--json"});
  EXPECT_EQ(list.exit_code, 0);
  const auto envelope = common::Json::parse(list.out);
  ASSERT_TRUE(envelope) << list.out;
  const auto route = server.http().get("/api/v1/plugins").json;
  // What a plugin uses at the moment differs from one question to the next.
  const auto lasting = [](const common::Json& all) {
    auto plugin = all["plugins"].items().at(0);
    plugin.set("resources", common::Json());
    return plugin.dump();
  };
  EXPECT_TRUE(envelope.value()["ok"].asBool());
  EXPECT_EQ(lasting(envelope.value()), lasting(route));
  const auto failure = server.cli({"plugin", "show", "nobody", "--json"});
  EXPECT_EQ(failure.exit_code, 3);
  EXPECT_THAT(failure.out, StartsWith(R"({"ok":false,"error":{"code":"unknown_plugin")"));
  const auto command = server.cli({"--json", "todo", "list"});
  EXPECT_EQ(command.out, R"({"ok":true,"exitCode":0,"stdout":"No todos.","stderr":""})"
                         "\n");
}

TEST_P(CliTest, PassesExitCodeAndStreamsOfACommandOn) {
  server.install(fixture("probe"));
  const auto echo = server.cli({"probe", "echo", "a b", "--json", "-x"});
  EXPECT_EQ(echo.out, "a b --json -x\n");
  EXPECT_EQ(echo.exit_code, 0);
  const auto code = server.cli({"probe", "code", "42"});
  EXPECT_EQ(code.exit_code, 42);
  EXPECT_EQ(code.err, "as asked\n");
  EXPECT_EQ(code.out, "");
  EXPECT_EQ(server.cli({"plugin", "run", "probe", "echo", "--yes"}).out, "--yes\n");
}

TEST_P(CliTest, TellsTheCommandTheCallersDirectory) {
  server.install(fixture("probe"));
  const TempDir somewhere;
  const auto outcome = runCommand({.argv = {SVC_TEST_SVC, "--server", server.url(), "probe", "cwd"},
                                   .directory = somewhere.path()});
  EXPECT_EQ(outcome.out, std::filesystem::canonical(somewhere.path()).string() + "\n");
}

TEST_P(CliTest, ReadsAnOptionFromAPipe) {
  server.install(fixture("probe"));
  EXPECT_EQ(server.cli({"probe", "echo", "--token-stdin"}, "secret\n").out, "--token secret\n");
  EXPECT_EQ(server.cli({"probe", "echo", "--token-stdin"}, "").exit_code, 2);
}

TEST_P(CliTest, ReportsAThrowingCommand) {
  server.install(fixture("probe"));
  const auto outcome = server.cli({"probe", "throw"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.err, "svc: svc probe failed: cannot do it\n");
  EXPECT_EQ(outcome.out, "");
}

TEST_P(CliTest, NeverClipsOutput) {
  server.install(fixture("probe"));
  const std::string flood(1'048'576, 'x');
  EXPECT_EQ(server.cli({"probe", "flood", "1048576"}).out, flood + "\n");
  const auto over = server.cli({"probe", "flood", "1048577", "--json"});
  EXPECT_EQ(over.exit_code, 1);
  EXPECT_THAT(over.out, HasSubstr("plugin_cli_output_too_large"));
  EXPECT_THAT(over.out, HasSubstr("1048577"));
}

TEST_P(CliTest, ShowsHelpFromMetadata) {
  server.install(fixture("probe"));
  EXPECT_EQ(server.cli({"probe", "--help"}).out,
            "svc probe — Does what a test asks for\n\nUsage:\n  svc probe echo [words…]  Print the "
            "arguments\n");
}

TEST_P(CliTest, SuggestsWhatWasMeant) {
  server.install(fixture("probe"));
  const auto outcome = server.cli({"prob"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err, "svc: unknown command \"prob\"\nhint: did you mean `svc probe`?\n");
}

TEST_P(CliTest, NamesAPluginThatDoesNotRun) {
  server.install(fixture("probe"));
  EXPECT_EQ(server.cli({"plugin", "disable", "probe"}).exit_code, 0);
  const auto outcome = server.cli({"probe", "echo"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("plugin \"probe\" is disabled"));
  EXPECT_EQ(server.cli({"plugin", "run", "probe", "echo"}).exit_code, 1);
  EXPECT_EQ(server.cli({"plugin", "enable", "probe"}).exit_code, 0);
  EXPECT_EQ(server.cli({"probe", "echo", "x"}).out, "x\n");
}

TEST_P(CliTest, ReloadsAndSaysWhatWasKept) {
  const PluginDir plugin("changing", answering("1"));
  server.install(plugin.path());
  EXPECT_EQ(server.cli({"plugin", "reload", "changing"}).exit_code, 0);
  plugin.write("const = 1;");
  const auto failed = server.cli({"plugin", "reload", "changing"});
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_THAT(failed.out, StartsWith("changing@1.0.0  running  (reload failed: "));
  EXPECT_THAT(failed.err, HasSubstr("(the previous instance is still running)"));
  EXPECT_EQ(server.cli({"plugin", "reload", "nobody"}).exit_code, 3);
}

TEST_P(CliTest, PrintsLogLinesAsJsonInAPipe) {
  server.install(fixture("probe"));
  const auto logs = server.cli({"plugin", "logs", "probe", "-n", "1000"});
  EXPECT_EQ(logs.exit_code, 0) << logs.err;
  EXPECT_THAT(logs.out, StartsWith(R"({"seq":1,)"));
  EXPECT_THAT(logs.out, HasSubstr("loaded"));
  EXPECT_EQ(server.cli({"plugin", "logs", "nobody"}).exit_code, 3);
}

TEST_P(CliTest, ASourceThatIsNotThereIsNotFound) {
  for (const char* source : {"/there/is/nothing", "/there/is/nothing.tgz"}) {
    EXPECT_EQ(server.cli({"plugin", "install", "--yes", source}).exit_code, 3) << source;
  }
}

TEST_P(CliTest, ACommandOfAPluginInSafeModeNamesTheWayOut) {
  server.install(example("todo"));
  ASSERT_EQ(server.cli({"plugin", "safe-mode", "on"}).exit_code, 0);
  EXPECT_THAT(server.cli({"todo", "list"}).err, HasSubstr("hint: `svc plugin safe-mode off` "));
}

TEST_P(CliTest, ShowsTheStatusOfEverything) {
  server.install(example("todo"));
  const auto status = server.cli({"status"});
  EXPECT_EQ(status.exit_code, 0) << status.err;
  EXPECT_THAT(status.out, StartsWith("KIND\tNAME\tSTATE\tDETAIL\nserver\t" + server.url() +
                                     "\t0.43.0\tpid " + std::to_string(server.pid()) + "\n"));
  EXPECT_THAT(status.out, HasSubstr("module\thttp\t"));
  EXPECT_THAT(status.out, HasSubstr("plugin\ttodo@0.1.0\trunning\t"));
}

TEST_P(CliTest, FindsNoServerAfterItEnded) {
  EXPECT_EQ(server.stop().exit_code, 0);
  const auto gone = server.cli({"todo", "list"});
  EXPECT_EQ(gone.exit_code, 69);
  EXPECT_THAT(gone.err, HasSubstr("svc server start"));
  server.start();
  server.kill();
  const auto killed = server.cli({"plugin", "list"});
  EXPECT_EQ(killed.exit_code, 69);
  EXPECT_THAT(killed.err, HasSubstr("no server is running for"));
}

/// Commands are run so often that the libraries they load are most of what they cost.
TEST(ProgramOfCommandsTest, LoadsNoLibraryThatItCanDoWithout) {
  const auto loaded =
      runCommand({.argv = {SVC_TEST_SVC}, .environment = {{"LD_TRACE_LOADED_OBJECTS", "1"}}}).out;
  EXPECT_THAT(loaded, HasSubstr("libc.so"));
  EXPECT_THAT(loaded, Not(HasSubstr("libPoco")));
  EXPECT_THAT(loaded, Not(HasSubstr("libsvc_kernel")));
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_THAT(loaded, Not(HasSubstr("libstdc++")));
#endif
}

/// A unit of the system and `env -i` set no HOME; the server has the directory of the same user then.
TEST(ProgramOfCommandsTest, IsAtHomeWithoutTheVariable) {
  const auto* const user = ::getpwuid(::getuid());
  ASSERT_NE(user, nullptr);
  const auto outcome = runCommand({.argv = {SVC_TEST_SVC, "mcp", "setup", "claude"},
                                   .environment = {{"HOME", ""}, {"CLAUDE_CONFIG_DIR", ""}}});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err,
              HasSubstr((std::filesystem::path(user->pw_dir) / ".claude.json").string()));
}

SVC_WITH_STORAGE_ON_DISK(CliTest);

}  // namespace
}  // namespace svc::test
