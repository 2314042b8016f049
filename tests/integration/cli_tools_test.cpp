// What `svc` offers beside the life of plugins, against a real server: settings, doctor, completions, profilers.
#include <fstream>
#include <iterator>
#include <regex>

#include <Poco/Exception.h>

#include "harness/child.h"
#include "harness/server.h"

namespace svc::test {
namespace {

using common::Json;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kBusy = R"ts(
export default function (svc: any): void {
  const timer = setInterval(burn, 1);
  svc.onDispose(() => clearInterval(timer));
}

class KeptInMemory {
  values = new Array(1000).fill(7);
}
const kept = [new KeptInMemory()];

function burn(): void {
  const end = Date.now() + 20;
  while (Date.now() < end) kept.length;
}
)ts";

class CliToolsTest : public ServerTest {
 protected:
  [[nodiscard]] static std::string read(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  TempDir files;
};

TEST_P(CliToolsTest, ProfilesNameThePlacesOfTheAuthorsSource) {
  const PluginDir busy("busy", kBusy);
  server.install(busy.path());
  const auto file = files.path() / "p.cpuprofile";
  const auto outcome =
      server.cli({"plugin", "profile", "busy", "--seconds", "1", "-o", file.string()});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto profile = Json::parse(read(file));
  ASSERT_TRUE(profile);
  bool found = false;
  for (const auto& node : profile.value()["nodes"].items()) {
    const auto& frame = node["callFrame"];
    if (frame["functionName"].asString() == "burn") {
      found = true;
      EXPECT_THAT(frame["url"].asString(), ::testing::EndsWith("/server.ts"));
      constexpr int kLineOfBurn = 11;  // from 0
      EXPECT_EQ(frame["lineNumber"].asInteger(), kLineOfBurn);
    }
  }
  EXPECT_TRUE(found);
}

TEST_P(CliToolsTest, WritesWhatAPluginKeepsInMemory) {
  const PluginDir busy("busy", kBusy);
  server.install(busy.path());
  const auto file = files.path() / "h.heapsnapshot";
  const auto outcome = server.cli({"plugin", "heap", "busy", "-o", file.string()});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto text = read(file);
  EXPECT_THAT(text, ::testing::StartsWith("{\"snapshot\":"));
  EXPECT_NE(text.find("\"KeptInMemory\""), std::string::npos);
  EXPECT_TRUE(common::isValidJson(text));
  EXPECT_EQ(server.record("busy")["status"].asString(), "running");
  EXPECT_EQ(server.cli({"plugin", "heap", "nobody", "-o", file.string()}).exit_code, 3);
}

TEST_P(CliToolsTest, InspectorOpensOnceAndClosesWithTheInstance) {
  const PluginDir plugin("quiet", answering("1"));
  server.install(plugin.path());
  const auto first = server.cli({"plugin", "inspect", "quiet"});
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_THAT(first.out,
              HasSubstr("devtools://devtools/bundled/js_app.html?v8only=true&ws=127.0.0.1:"));
  EXPECT_EQ(server.cli({"plugin", "inspect", "quiet"}).out, first.out);
  ASSERT_EQ(server.reload("quiet").status, 200U);
  EXPECT_EQ(server.cli({"plugin", "inspect", "quiet", "--close"}).out, "It was not open.\n");
}

/// What DevTools and editors ask the port of an inspector for.
// Who finds the port does not have the plugin: the path of the address is the secret.
TEST_P(CliToolsTest, ThePortOfAnInspectorTellsNobodyItsAddress) {
  const PluginDir plugin("quiet", answering("1"));
  server.install(plugin.path());
  const auto shown = server.cli({"plugin", "inspect", "quiet"}).out;
  std::smatch address;
  ASSERT_TRUE(std::regex_search(shown, address, std::regex("ws=127.0.0.1:([0-9]+)/([0-9a-f-]+)")))
      << shown;
  const auto port = static_cast<std::uint16_t>(std::stoi(address[1]));
  for (const char* target : {"/json/list", "/json", "/json/version", "/"}) {
    EXPECT_THAT(Http(port).get(target).body, Not(HasSubstr(address[2].str()))) << target;
  }
  ASSERT_EQ(server.cli({"plugin", "inspect", "quiet", "--close"}).exit_code, 0);
  EXPECT_THROW(static_cast<void>(Http(port).get("/json/list")), Poco::Exception);
}

TEST_P(CliToolsTest, SettingsShowWhatTheRunningServerUses) {
  const auto listed =
      server.cli({"--data-dir", server.dataDir().string(), "settings", "list", "--origin"});
  EXPECT_EQ(listed.exit_code, 0) << listed.err;
  EXPECT_THAT(listed.out, HasSubstr("listen.port\t0\tflag\n"));
  EXPECT_THAT(listed.out, HasSubstr("log.level\t"));
  const auto value =
      server.cli({"--data-dir", server.dataDir().string(), "settings", "get", "listen.host"});
  EXPECT_EQ(value.out, "127.0.0.1\n");
}

TEST_P(CliToolsTest, DoctorFindsAPluginThatDoesNotRun) {
  server.install(fixture("throwing_factory"));
  const auto outcome = server.cli({"--data-dir", server.dataDir().string(), "doctor", "--json"});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
  const auto report = Json::parse(outcome.out);
  ASSERT_TRUE(report);
  EXPECT_FALSE(report.value()["healthy"].asBool(true));
  std::map<std::string, std::string> states;
  for (const auto& finding : report.value()["findings"].items()) {
    states[finding["check"].asString()] = finding["state"].asString();
  }
  EXPECT_EQ(states["program"], "ok");
  EXPECT_EQ(states["server"], "ok");
  EXPECT_EQ(states["lock"], "ok");
  EXPECT_EQ(states["data directory"], "ok");
  EXPECT_THAT(states, ::testing::Contains(::testing::Pair(HasSubstr("plugin "), "problem")));
}

TEST_P(CliToolsTest, CompletesCommandsOfPlugins) {
  server.install(example("todo"));
  EXPECT_EQ(server.cli({"__complete", "--server", server.url(), "tod"}).out,
            "todo\tKeep a todo list\n");
  EXPECT_THAT(server.cli({"__complete", "--server", server.url(), "plugin", "show", ""}).out,
              ::testing::StartsWith("todo\t"));
}

/// What bash offers behind a line that it has parted at these words.
std::string offeredByBash(const std::string& url, const std::string& line,
                          const std::vector<std::string>& words) {
  constexpr auto kScript = R"sh(
source <("$1" completion bash)
COMP_LINE="$1 $2" COMP_WORDS=("$1" "${@:3}")
COMP_POINT=${#COMP_LINE} COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_svc 2>/dev/null
printf '%s\n' "${COMPREPLY[@]}"
)sh";
  Command command{.argv = {"/bin/bash", "-c", kScript, "bash", SVC_TEST_SVC, line},
                  .environment = {{"SVC_SERVER_URL", url}}};
  command.argv.insert(command.argv.end(), words.begin(), words.end());
  return runCommand(command).out;
}

TEST_P(CliToolsTest, BashTakesWhatStandsTogetherForOneWord) {
  EXPECT_EQ(offeredByBash(server.url(), "plugin install todo@ex",
                          {"plugin", "install", "todo", "@", "ex"}),
            "@examples\n");
  EXPECT_EQ(offeredByBash(server.url(), "plugin install todo@", {"plugin", "install", "todo", "@"}),
            "@examples\n");
  EXPECT_EQ(offeredByBash(server.url(), "plugin logs x --level=e",
                          {"plugin", "logs", "x", "--level", "=", "e"}),
            "error\n");
  EXPECT_EQ(offeredByBash(server.url(), "plugin safe-mode ", {"plugin", "safe-mode", ""}),
            "on\noff\n");
}

SVC_WITH_STORAGE_ON_DISK(CliToolsTest);

}  // namespace
}  // namespace svc::test
