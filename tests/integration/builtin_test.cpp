// Plugins that ship with the service, on a real server.
#include <set>
#include <sstream>

#include "harness/hosts.h"
#include "harness/server.h"

namespace svc::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

class BuiltinTest : public ::testing::Test {
 protected:
  Server server{kDefaultModules, {"--plugins.builtin=[\"plugin-author\"]"}};

  common::Json running() {
    return server.awaitRecord("plugin-author", [](const common::Json& record) {
      return record["status"].asString() == "running";
    });
  }
};

TEST_F(BuiltinTest, TheAuthorsPluginIsThereAndSaysHowPluginsAreWritten) {
  const auto record = running();
  EXPECT_EQ(record["provenance"].asString(), "builtin");
  EXPECT_EQ(record["source"].asString(), "builtin:plugin-author");
  EXPECT_TRUE(record["problems"].items().empty()) << record["problems"].dump();
  EXPECT_EQ(record["capabilities"].items().at(0)["id"].asString(), "plugin-author");

  const auto topics = server.cli({"plugin-author", "guide"});
  EXPECT_EQ(topics.exit_code, 0) << topics.err;
  EXPECT_NE(topics.out.find("agents-tools"), std::string::npos) << topics.out;
  const auto page = server.cli({"plugin-author", "guide", "agents-tools"});
  EXPECT_EQ(page.out.find("# Agent tools"), 0U) << page.out.substr(0, 200);
  const auto examples = std::filesystem::path(record["rootDir"].asString()) / "examples";
  EXPECT_NE(page.out.find("](" + (examples / "survey/README.md").string() + ")"),
            std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(examples / "survey/server.ts"));
  EXPECT_EQ(server.cli({"plugin-author", "guide", "threads"}).out.find("# "), 0U);
  const auto types = server.cli({"plugin-author", "reference", "agents"});
  EXPECT_NE(types.out.find("interface PluginAgents"), std::string::npos);
  const auto commands = server.cli({"plugin-author", "reference", "commands"});
  EXPECT_EQ(commands.out.find("# Commands"), 0U) << commands.out.substr(0, 200);
  const auto list = server.cli({"plugin-author", "reference"}).out;
  std::set<std::string> seen;
  std::istringstream lines(list);
  for (std::string line; std::getline(lines, line) && !line.empty();) {
    EXPECT_TRUE(seen.insert(line.substr(0, line.find(' '))).second) << line;
  }
  EXPECT_NE(list.find("PluginCliContext"), std::string::npos) << list;
  const auto unknown = server.cli({"plugin-author", "guide", "../server"});
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_NE(unknown.err.find("there is no topic"), std::string::npos) << unknown.err;
}

TEST_F(BuiltinTest, ItChecksTheFolderOfAPlugin) {
  running();
  const PluginDir good("tea", "export default () => undefined;\n");
  const auto fine = server.cli({"plugin-author", "check", good.path().string()});
  EXPECT_EQ(fine.exit_code, 0) << fine.out << fine.err;
  EXPECT_NE(fine.out.find("tea can be installed: svc plugin install"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(good.path() / "dist"));
  const auto missing = server.cli({"plugin-author", "check", "/nowhere/at/all"});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_NE(missing.out.find("plugin directory not found"), std::string::npos) << missing.out;
}

TEST_F(BuiltinTest, ItFindsWhatKeepsAPluginFromRunning) {
  running();
  const PluginDir broken("coffee",
                         "import \"nonexistent-pkg\";\nexport default () => undefined;\n");
  const PluginDir reserved("reload", "export default function p( {\n");
  for (const auto& [plugin, problem] :
       {std::pair{&broken, "problem: server.ts:1:8: Could not resolve \"nonexistent-pkg\""},
        std::pair{&reserved, "problem: the id \"reload\" is reserved"},
        std::pair{&reserved, "problem: server.ts:2:1: Expected identifier"}}) {
    const auto checked = server.cli({"plugin-author", "check", plugin->path().string()});
    EXPECT_EQ(checked.exit_code, 1);
    EXPECT_NE(checked.out.find(problem), std::string::npos) << checked.out;
    EXPECT_EQ(checked.out.find("can be installed:"), std::string::npos) << checked.out;
  }
}

TEST_F(BuiltinTest, ItIsDisabledNotRemovedAndRunsInSafeMode) {
  running();
  const auto refused =
      server.http().send({.method = "DELETE", .target = "/api/v1/plugins/plugin-author"});
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(refused.code(), "builtin_plugin");
  EXPECT_EQ(server.cli({"plugin", "safe-mode", "on"}).exit_code, 0);
  running();
  EXPECT_EQ(server.cli({"plugin", "safe-mode", "off"}).exit_code, 0);
  EXPECT_EQ(server.cli({"plugin", "disable", "plugin-author"}).exit_code, 0);
  server.restart();
  EXPECT_EQ(server.record("plugin-author")["status"].asString(), "disabled");
}

TEST_F(BuiltinTest, ItIsLoadedAgainWhenItsFilesChange) {
  const auto generation = running()["generation"].asInteger();
  const std::filesystem::path source =
      std::filesystem::path(running()["rootDir"].asString()) / "server.ts";
  // The same text again, put there in one step: other servers of this build see nothing else.
  const auto copy = source.string() + "~";
  std::filesystem::copy_file(source, copy, std::filesystem::copy_options::overwrite_existing);
  std::filesystem::rename(copy, source);
  server.awaitRecord("plugin-author", [generation](const common::Json& record) {
    return record["generation"].asInteger() > generation &&
           record["status"].asString() == "running";
  });
}

/// The plugin `machines` on a server that has its own machine.
class BuiltinMachinesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(awaitConnected(server, ownHost(server))) << server.process().errorText();
    server.awaitRecord("machines", [](const common::Json& record) {
      return record["status"].asString() == "running";
    });
  }
  [[nodiscard]] Outcome call(const std::string& tool, const common::Json& arguments) const {
    return server.cli({"plugin", "tool", "call", "machines", tool, arguments.dump()});
  }
  [[nodiscard]] Outcome run(const std::string& command, int seconds = 60) const {
    return call("machine_run", common::Json::object()
                                   .set("command", command)
                                   .set("cwd", "/tmp")
                                   .set("timeoutSeconds", seconds));
  }

  Server server{kDefaultModules, {"--plugins.builtin=[\"machines\"]", "--hosts.local=true"}};
};

TEST_F(BuiltinMachinesTest, RunsCommandsAndAnswersHowTheyEnded) {
  const auto listed = call("machine_list", common::Json::object());
  EXPECT_THAT(listed.out, HasSubstr("the server's own machine, connected")) << listed.err;
  const auto fine = run("printf '\\033[32mten\\r\\n%s' \"$TERM\"; cat");
  EXPECT_EQ(fine.exit_code, 0) << fine.err;
  EXPECT_THAT(fine.out, MatchesRegex("exit code 0 after [0-9.]+ s on [^\n]+\n\nten\ndumb\n"));
  const auto failed = run("echo no >&2; exit 3");
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_THAT(failed.out, AllOf(StartsWith("exit code 3 after"), HasSubstr("\n\nno\n")));
  // Whatever it had said by then: how much that is depends on the machine.
  const auto late = run("exec cat /dev/zero > /dev/null", 1);
  EXPECT_EQ(late.exit_code, 1);
  EXPECT_THAT(late.out, HasSubstr("it was ended by force"));
  const auto sessions = server.http().get("/api/v1/terminals").json["sessions"];
  ASSERT_EQ(sessions.items().size(), 3U);
  for (const auto& session : sessions.items()) {
    EXPECT_EQ(session["status"].asString(), "exited") << session.dump();
  }
  const auto unknown =
      call("machine_run", common::Json::object().set("command", "true").set("machine", "nowhere"));
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_THAT(unknown.out, AllOf(HasSubstr("There is no machine \"nowhere\""),
                                 HasSubstr("the server's own machine")));
  const auto script =
      server.cli({"machines", "run", ownHost(server), "--cwd", "/tmp", "--", "pwd; exit 7"});
  EXPECT_EQ(script.exit_code, 7) << script.err;
  EXPECT_EQ(script.out, "/tmp\n");
}

TEST_F(BuiltinMachinesTest, ReplacesOnlyFilesThatWereRead) {
  const TempDir directory;
  const auto path = (directory.path() / "notes.txt").string();
  const auto text = [&](const std::string& content) {
    return common::Json::object().set("path", path).set("content", content);
  };
  const auto created = call("machine_write", text("tea\n"));
  EXPECT_EQ(created.exit_code, 0) << created.out << created.err;
  EXPECT_THAT(call("machine_write", text("milk\n")).out, HasSubstr("is there already"));
  const auto read = call("machine_read", common::Json::object().set("path", path)).out;
  EXPECT_THAT(read, HasSubstr("\ntea\n"));
  constexpr std::size_t kDigits = 64;
  const auto at = read.find("sha256 ");
  ASSERT_NE(at, std::string::npos) << read;
  const auto replaces = read.substr(at + std::string_view("sha256 ").size(), kDigits);
  EXPECT_EQ(call("machine_write", text("milk\n").set("replaces", replaces)).exit_code, 0);
  EXPECT_THAT(call("machine_write", text("beer\n").set("replaces", replaces)).out,
              HasSubstr("was changed since"));
  EXPECT_THAT(call("machine_read", common::Json::object().set("path", path)).out,
              HasSubstr("\nmilk\n"));
  const auto folder =
      call("machine_files", common::Json::object().set("path", directory.path().string()));
  EXPECT_THAT(folder.out, HasSubstr("1 entry\nnotes.txt  (5 B, "));
}

TEST(BuiltinOnRequestTest, NothingIsThereUntilItIsInstalled) {
  const Server server;
  EXPECT_EQ(server.http().get("/api/v1/plugins").json["plugins"].dump(), "[]");
  EXPECT_EQ(server.cli({"plugin", "list"}).out, "No plugins installed.\n");
  const auto installed = server.cli({"plugin", "install", "builtin:plugin-author", "--yes"});
  EXPECT_EQ(installed.exit_code, 0) << installed.err;
  EXPECT_NE(installed.out.find("plugin-author@0.43.0  running"), std::string::npos)
      << installed.out;
}

}  // namespace
}  // namespace svc::test
