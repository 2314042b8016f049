#include "complete.h"

#include "app.h"
#include "client_fixture.h"
#include "temp_tree.h"

namespace svc::client {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class CompleteTest : public ClientTest {
 protected:
  /// The candidates without their help.
  std::vector<std::string> complete(std::vector<std::string> words) {
    words.insert(words.begin(), "__complete");
    out.str("");
    auto made = context();
    made.execute = [this](const ProcessRequest&) -> Result<ProcessOutcome> {
      return ProcessOutcome{.exit_code = 0, .out = program_config, .err = ""};
    };
    EXPECT_EQ(run(made, std::move(words)), 0);
    EXPECT_EQ(err.str(), "");
    std::vector<std::string> result;
    std::istringstream lines(out.str());
    for (std::string line; std::getline(lines, line);) {
      result.push_back(line.substr(0, line.find('\t')));
    }
    return result;
  }
  using Words = std::vector<std::string>;
  /// What `svcd --print-config` says.
  std::string program_config;
};

TEST_F(CompleteTest, OffersGroupsAndCommandsOfPlugins) {
  expectGet("/api/v1/plugins/contributions", kContributions);
  EXPECT_EQ(complete({"to"}), Words{"todo"});
  expectGet("/api/v1/plugins/contributions", kContributions);
  EXPECT_EQ(complete({"mark"}), Words{"marketplace"});
}

TEST_F(CompleteTest, ShowsWhatACandidateDoes) {
  EXPECT_EQ(complete({"plugin", "lis"}), Words{"list"});
  EXPECT_EQ(out.str(), "list\tShow every plugin\n");
}

TEST_F(CompleteTest, OffersThreadsEnvironmentsAndAgents) {
  expectGet(
      "/api/v1/threads?archived=false",
      R"({"ok":true,"threads":[{"id":"thr_1","title":"Fix it"},{"id":"thr_2","title":null}]})");
  EXPECT_EQ(complete({"thread", "follow", ""}), (Words{"thr_1", "thr_2"}));
  EXPECT_THAT(out.str(), HasSubstr("thr_1\tFix it\n"));
  expectGet("/api/v1/environments", R"({"ok":true,"environments":[{"id":"env_1","path":"/a"}]})");
  EXPECT_EQ(complete({"environment", "diff", ""}), Words{"env_1"});
  expectGet("/api/v1/providers", R"({"ok":true,"providers":[{"id":"claude"}]})");
  EXPECT_EQ(complete({"thread", "start", "--provider", "c"}), Words{"claude"});
}

TEST_F(CompleteTest, OffersIdsOfPlugins) {
  expectGet("/api/v1/plugins", R"({"ok":true,"plugins":[{"id":"todo"},{"id":"notes"}]})");
  EXPECT_EQ(complete({"plugin", "logs", "n"}), Words{"notes"});
  expectGet("/api/v1/plugins", R"({"ok":true,"plugins":[{"id":"todo"},{"id":"notes"}]})");
  EXPECT_EQ(complete({"plugin", "run", ""}), (Words{"todo", "notes"}));
}

TEST_F(CompleteTest, OffersTheExamples) {
  const TempTree tree;
  writeExample(tree, "notes", "Notes in SQL.", "share/svc");
  writeExample(tree, "stock", "Commands.", "share/svc");
  program_dir = tree.path() / "bin";
  EXPECT_EQ(complete({"plugin", "new", "mine", "--from", ""}), (Words{"notes", "stock"}));
  EXPECT_EQ(complete({"plugin", "examples", "s"}), Words{"stock"});
  EXPECT_EQ(out.str(), "stock\tCommands.\n");
}

TEST_F(CompleteTest, OffersTheComponents) {
  const TempTree tree;
  writeRegistry(tree, "share/svc");
  program_dir = tree.path() / "bin";
  EXPECT_EQ(complete({"plugin", "add", ""}), (Words{"table", "utils"}));
}

TEST_F(CompleteTest, OffersNamesOfMachines) {
  constexpr auto kHosts =
      R"({"ok":true,"hosts":[{"name":"home","state":"available"},{"name":"mac","state":"unavailable"}]})";
  expectGet("/api/v1/hosts", kHosts);
  EXPECT_EQ(complete({"machine", "show", ""}), (Words{"home", "mac"}));
  expectGet("/api/v1/hosts", kHosts);
  EXPECT_EQ(complete({"machine", "enroll", "--host", "m"}), Words{"mac"});
  EXPECT_EQ(out.str(), "mac\tunavailable\n");
}

TEST_F(CompleteTest, AsksTheServerThatTheLineNames) {
  expectGet("/api/v1/plugins", R"({"ok":true,"plugins":[]})");
  static_cast<void>(complete({"--server", "http://127.0.0.1:9", "plugin", "show", ""}));
  EXPECT_EQ(connected_to.back(), "http://127.0.0.1:9");
}

TEST_F(CompleteTest, AsksOnlyBriefly) {
  expectGet("/api/v1/plugins", R"({"ok":true,"plugins":[]})");
  static_cast<void>(complete({"plugin", "show", ""}));
  EXPECT_LE(requests.back().timeout, std::chrono::seconds(1));
}

TEST_F(CompleteTest, SaysNothingWithoutAServer) {
  variables = {{"SVC_DATA_DIR", "/none"}};
  EXPECT_EQ(complete({"plugin", "show", ""}), Words{});
  EXPECT_EQ(complete({"plugi"}), Words{"plugin"});
}

TEST_F(CompleteTest, SaysNothingWhenTheServerDoesNotAnswer) {
  expect("GET", "/api/v1/plugins", Error{errc::kTimeout, "late"});
  EXPECT_EQ(complete({"plugin", "show", ""}), Words{});
}

TEST_F(CompleteTest, OffersOptionsOfTheCommandAndOfAll) {
  const auto words = complete({"plugin", "remove", "todo", "--"});
  EXPECT_THAT(words, ::testing::IsSupersetOf({"--purge", "--yes", "--json", "--help"}));
  EXPECT_THAT(words, Not(::testing::Contains("--lines")));
}

TEST_F(CompleteTest, OffersTheWordsOfAnOption) {
  EXPECT_EQ(complete({"plugin", "logs", "todo", "--level", "e"}), Words{"error"});
  EXPECT_EQ(complete({"plugin", "safe-mode", ""}), (Words{"on", "off"}));
}

TEST_F(CompleteTest, LeavesFilesToTheShell) {
  EXPECT_EQ(complete({"plugin", "build", ""}), Words{":directories"});
  EXPECT_EQ(complete({"plugin", "rpc", "call", "a", "b", "--input-file", ""}), Words{":files"});
}

TEST_F(CompleteTest, OffersEntriesOfMarketplacesAndDirectories) {
  constexpr auto kEntries =
      R"({"ok":true,"results":[{"entryId":"todo","marketplace":"examples","description":"A list."},)"
      R"({"entryId":"timer","marketplace":"acme","description":""}]})";
  expectGet("/api/v1/plugin-catalog/search?q=", kEntries);
  EXPECT_EQ(complete({"plugin", "install", ""}),
            (Words{":directories", "todo@examples", "timer@acme"}));
  expectGet("/api/v1/plugin-catalog/search?q=", kEntries);
  EXPECT_EQ(complete({"plugin", "install", "--yes", "todo@e"}),
            (Words{":directories", "todo@examples"}));
  EXPECT_THAT(out.str(), HasSubstr("todo@examples\tA list.\n"));
}

TEST_F(CompleteTest, OffersSettingsOfAPluginAndTheirValues) {
  constexpr auto kPath = "/api/v1/plugins/weather/settings";
  constexpr auto kView =
      R"({"ok":true,"schema":{"region":{"type":"select","label":"Region","options":["eu","us"]},)"
      R"("quiet":{"type":"boolean","label":"Quiet"}}})";
  expectGet(kPath, kView);
  EXPECT_EQ(complete({"plugin", "config", "weather", "set", ""}), (Words{"region", "quiet"}));
  EXPECT_THAT(out.str(), HasSubstr("region\tRegion\n"));
  expectGet(kPath, kView);
  EXPECT_EQ(complete({"plugin", "config", "weather", "unset", "q"}), Words{"quiet"});
  expectGet(kPath, kView);
  EXPECT_EQ(complete({"plugin", "config", "weather", "set", "region", ""}), (Words{"eu", "us"}));
  expectGet(kPath, kView);
  EXPECT_EQ(complete({"plugin", "config", "weather", "set", "quiet", "t"}), Words{"true"});
}

TEST_F(CompleteTest, OffersSettingsOfTheServerAndTheirValues) {
  constexpr auto kSettings =
      R"({"settings":[{"key":"log.level","type":"string","help":"how much"},)"
      R"({"key":"hosts.local","type":"boolean","help":"start a daemon"}]})";
  program_config = kSettings;
  EXPECT_EQ(complete({"settings", "set", ""}), (Words{"log.level", "hosts.local"}));
  EXPECT_THAT(out.str(), HasSubstr("log.level\thow much\n"));
  EXPECT_EQ(complete({"settings", "get", "ho"}), Words{"hosts.local"});
  EXPECT_EQ(complete({"settings", "set", "hosts.local", ""}), (Words{"true", "false"}));
  EXPECT_EQ(complete({"settings", "set", "log.level", ""}), Words{});
}

TEST_F(CompleteTest, OffersMethodsAndToolsOfAPlugin) {
  constexpr auto kMethods = R"({"ok":true,"methods":[{"method":"todos.list"},{"method":"add"}]})";
  expectGet("/api/v1/plugins/rpc?all=true&pluginId=todo", kMethods);
  EXPECT_EQ(complete({"plugin", "rpc", "call", "todo", ""}), (Words{"todos.list", "add"}));
  expectGet("/api/v1/plugins/rpc?all=true&pluginId=todo", kMethods);
  EXPECT_EQ(complete({"plugin", "rpc", "inspect", "todo", "a"}), Words{"add"});
  expectGet("/api/v1/plugins/todo/tools", R"({"ok":true,"tools":[{"name":"todo_add"}]})");
  EXPECT_EQ(complete({"plugin", "tool", "call", "todo", ""}), Words{"todo_add"});
}

TEST_F(CompleteTest, OffersTheValueOfAnOptionInTheSameWord) {
  EXPECT_EQ(complete({"plugin", "logs", "todo", "--level=e"}), Words{"--level=error"});
}

TEST_F(CompleteTest, OffersTheCommandsOfAPlugin) {
  expectGet("/api/v1/plugins/contributions", kContributions);
  EXPECT_EQ(complete({"todo", ""}), (Words{"list", "add"}));
  EXPECT_EQ(complete({"todo", "add", ""}), Words{});
}

TEST_F(CompleteTest, MakesNamesFromPluginsHarmless) {
  expectGet("/api/v1/plugins",
            R"({"ok":true,"plugins":[{"id":"a\u001b[2J","description":"x\ny\tz"}]})");
  EXPECT_EQ(complete({"plugin", "show", ""}), Words{"a[2J"});
  EXPECT_EQ(out.str(), "a[2J\tx y z\n");
}

TEST_F(CompleteTest, EveryShellScriptAsksHere) {
  for (const char* const shell : {"bash", "zsh", "fish"}) {
    out.str("");
    auto made = context();
    EXPECT_EQ(run(made, {"completion", shell}), 0);
    EXPECT_THAT(out.str(), HasSubstr(" __complete "));
    EXPECT_THAT(out.str(), StartsWith("#"));
  }
  auto made = context();
  EXPECT_EQ(run(made, {"completion", "tcsh"}), 2);
}

}  // namespace
}  // namespace svc::client
