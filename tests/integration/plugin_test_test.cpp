// `svc plugin test`: a plugin is tried on a server of its own, of which nothing stays.
#include <poll.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include "harness/child.h"
#include "harness/plugin_dir.h"
#include "harness/server.h"

namespace svc::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr const char* kRuns = "export default function (): void {}\n";
constexpr const char* kFails =
    "export default function (): void { throw new Error(\"no time today\"); }\n";
/// Says where it runs, and never ends its start.
constexpr const char* kHangs = R"ts(
import { writeFileSync, renameSync } from "node:fs";
export default async function (): Promise<void> {
  writeFileSync("PLACE.new", String(process.pid));
  renameSync("PLACE.new", "PLACE");
  await new Promise(() => undefined);
}
)ts";

constexpr const char* kNeedsSettings = R"ts(
export default async function (svc: any): Promise<void> {
  const settings = svc.settings.define({
    token: { type: "string", secret: true },
    retries: { type: "number" },
    region: { type: "select", options: ["eu", "us"], default: "eu" },
  });
  const { token, retries, region } = await settings.get();
  if (token === undefined) svc.status.needsConfiguration("add a token");
  else if (token !== "s3cret" || retries !== 3 || region !== "us") throw new Error("wrong values");
}
)ts";

class PluginTestCommandTest : public ::testing::Test {
 protected:
  [[nodiscard]] Command command(const PluginDir& plugin) const {
    return {.argv = {SVC_TEST_SVC, "plugin", "test", plugin.path().string()},
            .directory = files.path(),
            .environment = {{"TMPDIR", files.path().string()},
                            {"SVC_SERVER_URL", "http://127.0.0.1:1"},
                            {"SVC_LOG_LEVEL", "loud"}}};
  }
  [[nodiscard]] bool nothingIsLeft() const {
    return fs::directory_iterator(files.path()) == fs::directory_iterator();
  }
  TempDir files;
};

TEST_F(PluginTestCommandTest, APluginThatRunsHasPassedAndNothingIsLeft) {
  const PluginDir plugin("tried", kRuns);
  const auto outcome = runCommand(command(plugin));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("build    ok"));
  EXPECT_THAT(outcome.out, HasSubstr("install  ok"));
  EXPECT_TRUE(nothingIsLeft());
}

TEST_F(PluginTestCommandTest, APluginThatDoesNotLoadSaysWhy) {
  const PluginDir plugin("tried", kFails);
  const auto outcome = runCommand(command(plugin));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.out, ::testing::ContainsRegex("install  failed .*no time today"));
  EXPECT_TRUE(nothingIsLeft());
}

TEST_F(PluginTestCommandTest, SettingsLetAPluginRunThatNeedsThem) {
  const PluginDir plugin("tried", kNeedsSettings);
  auto without = command(plugin);
  auto outcome = runCommand(without);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.out,
              HasSubstr("add a token; not set: --setting token=… --setting retries=…"));
  auto with = command(plugin);
  with.argv.insert(with.argv.end(),
                   {"--setting", "token=-", "--setting", "retries=3", "--setting", "region=us"});
  with.input = "s3cret\n";
  outcome = runCommand(with);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("install  ok"));
  EXPECT_TRUE(nothingIsLeft());
}

TEST_F(PluginTestCommandTest, SaysWhichSettingIsWrong) {
  const PluginDir plugin("tried", kNeedsSettings);
  const std::map<std::string, std::string> wrong{
      {"zzz=1", "there is no setting \"zzz\": its settings are token, retries, region"},
      {"retries=many", "retries: expected a number, got \"many\""},
      {"region=mars", "region"}};
  for (const auto& [setting, message] : wrong) {
    auto line = command(plugin);
    line.argv.insert(line.argv.end(), {"--setting", setting});
    const auto outcome = runCommand(line);
    EXPECT_EQ(outcome.exit_code, 1) << setting;
    EXPECT_THAT(outcome.out, ::testing::ContainsRegex("install  failed .*" + message));
  }
  EXPECT_TRUE(nothingIsLeft());
}

TEST_F(PluginTestCommandTest, AnInterruptDuringTheBuildEndsWithTheEnvelope) {
  const PluginDir plugin("tried", kRuns);
  const TempDir programs;
  const auto node = programs.path() / "node";
  std::ofstream(node) << "#!/bin/sh\nkill -INT $PPID\nexec sleep 300\n";
  fs::permissions(node, fs::perms::owner_all);
  auto line = command(plugin);
  line.argv.emplace_back("--json");
  line.environment["SVC_BUILD_NODE"] = node.string();
  const auto outcome = runCommand(line);
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_THAT(outcome.out, ::testing::StartsWith(R"({"ok":false,"error":{"code":"aborted")"));
  EXPECT_THAT(outcome.out, HasSubstr(R"({"name":"build","outcome":"interrupted")"));
  EXPECT_TRUE(nothingIsLeft());
}

TEST_F(PluginTestCommandTest, AnInterruptEndsTheServerToo) {
  auto source = std::string(kHangs);
  const auto place = (files.path() / "PLACE").string();
  for (auto at = source.find("PLACE"); at != std::string::npos;
       at = source.find("PLACE", at + place.size())) {
    source.replace(at, 5, place);
  }
  const PluginDir plugin("tried", source);
  Child child(command(plugin));
  while (const auto line = child.readLine()) {
    if (line->starts_with("build")) {
      break;
    }
  }
  ASSERT_TRUE(eventually([&] {
    ::poll(nullptr, 0, 5);
    return fs::exists(place);
  }));
  int server = 0;
  std::ifstream(place) >> server;
  ASSERT_GT(server, 0);
  child.signal(SIGINT);
  const auto outcome = child.wait();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->exit_code, 130);
  EXPECT_EQ(::kill(server, 0), -1);
  fs::remove(place);
  EXPECT_TRUE(nothingIsLeft());
}

}  // namespace
}  // namespace svc::test
