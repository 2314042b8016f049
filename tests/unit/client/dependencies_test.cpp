#include "dependencies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mocks/mock_child_runner.h"
#include "temp_tree.h"

namespace svc::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Words = std::vector<std::string>;
using Outcome = InstallReport::Outcome;

class DependenciesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    writeShare(tree);
    sdk = readCarriedSdk(tree.path() / "share").value();
  }
  /// The next run of npm; what it was called with ends in `runs`.
  void expectRun(
      Result<ChildOutcome> answer, std::function<void()> effect = [] {}) {
    EXPECT_CALL(children, run)
        .InSequence(order)
        .WillOnce([this, answer = std::move(answer), effect = std::move(effect)](
                      const ChildCommand& command, const IChildRunner::Tick& /*tick*/) {
          EXPECT_EQ(command.directory, tree.path());
          std::string line;
          for (const auto& word : command.argv) {
            line += (line.empty() ? "" : " ") + word;
          }
          runs.push_back(line);
          effect();
          return answer;
        });
  }
  InstallReport install() {
    Dependencies dependencies(children, sdk, tree.path());
    return dependencies.install(dependencies.askRegistry(), {});
  }
  static ChildOutcome ended(int code, std::string output = "") {
    return {.exit_code = code, .output = std::move(output)};
  }

  TempTree tree;
  CarriedSdk sdk;
  ::testing::StrictMock<MockChildRunner> children;
  ::testing::Sequence order;
  Words runs;
};

TEST_F(DependenciesTest, InstallsFromTheRegistryThatHasTheSdk) {
  expectRun(ended(0, "\"0.4.84\"\n"));
  expectRun(ended(0, "added 3 packages"));
  const auto report = install();
  EXPECT_EQ(report.outcome, Outcome::kInstalled);
  EXPECT_EQ(report.registry, Registry::kHasSdk);
  EXPECT_THAT(runs, ElementsAre("npm view @get-svc/plugin-sdk@0.4.84 version --json "
                                "--fetch-retries=0 --fetch-timeout=5000",
                                "npm install --include=dev --no-fund --no-audit --prefer-offline"));
}

TEST_F(DependenciesTest, InstallsTheCarriedSdkWhereTheRegistryDoesNotHaveIt) {
  for (const auto& answer :
       {ended(1, "npm error code E404"), ended(0, ""), ended(0, "\"0.4.83\"")}) {
    runs.clear();
    expectRun(answer);
    expectRun(ended(0));
    expectRun(ended(0));
    const auto report = install();
    EXPECT_EQ(report.outcome, Outcome::kInstalled);
    EXPECT_EQ(report.registry, Registry::kLacksSdk);
    ASSERT_EQ(runs.size(), 3U);
    EXPECT_EQ(runs[1],
              "npm install --include=dev --no-fund --no-audit --prefer-offline --no-save " +
                  sdk.tarball.string());
    EXPECT_EQ(runs[2],
              "npm install --package-lock-only --offline --include=dev --ignore-scripts --no-fund "
              "--no-audit");
  }
}

TEST_F(DependenciesTest, TakesEverythingFromTheCacheWithoutARegistry) {
  expectRun(ended(1, "npm error code ENOTFOUND"));
  expectRun(ended(0));
  expectRun(ended(0));
  EXPECT_EQ(install().registry, Registry::kUnreachable);
  EXPECT_EQ(runs[1],
            "npm install --include=dev --no-fund --no-audit --prefer-offline --offline --no-save " +
                sdk.tarball.string());
  expectRun(ended(1, "npm error code ECONNREFUSED"));
  expectRun(ended(1, "npm error code ENOTCACHED"));
  EXPECT_EQ(install().problem,
            "npm ended with exit code 1; the registry cannot be reached, and npm's cache may not "
            "hold every package");
}

TEST_F(DependenciesTest, NamesTheCommandThatDoesTheSame) {
  EXPECT_EQ(installCommand(Registry::kHasSdk, sdk), "npm install --include=dev");
  EXPECT_EQ(installCommand(Registry::kLacksSdk, sdk),
            "npm install --include=dev --no-save " + sdk.tarball.string());
  EXPECT_EQ(carriedNote(Registry::kHasSdk, sdk), "");
  EXPECT_EQ(carriedNote(Registry::kUnreachable, sdk),
            "@get-svc/plugin-sdk 0.4.84 is the copy that comes with this svc; the registry cannot "
            "be reached.");
}

TEST_F(DependenciesTest, PutsTheCarriedSdkIntoAnOldLock) {
  tree.write("package-lock.json",
             R"({"packages":{"":{},"node_modules/@get-svc/plugin-sdk":{"version":"0.4.80"}}})");
  expectRun(ended(1));
  expectRun(ended(0), [this] {
    tree.write(
        "node_modules/.package-lock.json",
        R"({"packages":{"node_modules/@get-svc/plugin-sdk":{"version":"0.4.84","resolved":"file:x"}}})");
  });
  expectRun(ended(0));
  static_cast<void>(install());
  const auto lock = common::Json::parse(tree.read("package-lock.json")).value();
  const auto& entry = lock["packages"]["node_modules/@get-svc/plugin-sdk"];
  EXPECT_EQ(entry.dump(), R"({"version":"0.4.84","resolved":"file:x"})");
}

TEST_F(DependenciesTest, AsksAgainWhenTheCachedVersionsAreOld) {
  expectRun(ended(0, "\"0.4.84\""));
  expectRun(ended(1, "npm error code ETARGET\nnpm error notarget No matching version"));
  expectRun(ended(0));
  EXPECT_EQ(install().outcome, Outcome::kInstalled);
  EXPECT_EQ(runs.back(), "npm install --include=dev --no-fund --no-audit");
}

TEST_F(DependenciesTest, ReportsTheEndOfWhatNpmSaid) {
  expectRun(ended(0, "\"0.4.84\""));
  std::string output;
  for (int i = 1; i <= 12; ++i) {
    output += "npm error line " + std::to_string(i) + "\x1b[0m\r\n\n";
  }
  expectRun(ended(217, output));
  const auto report = install();
  EXPECT_EQ(report.outcome, Outcome::kFailed);
  EXPECT_EQ(report.problem, "npm ended with exit code 217");
  ASSERT_EQ(report.tail.size(), 8U);
  EXPECT_EQ(report.tail.front(), "npm error line 5[0m");
  EXPECT_EQ(report.tail.back(), "npm error line 12[0m");
}

TEST_F(DependenciesTest, SaysThatThereIsNoNpm) {
  expectRun(Error{errc::kNotFound, "\"npm\" cannot be started"});
  expectRun(Error{errc::kNotFound, "\"npm\" cannot be started"});
  const auto report = install();
  EXPECT_EQ(report.outcome, Outcome::kFailed);
  EXPECT_EQ(report.problem, "npm is not on PATH: install Node.js 20 or newer");
}

TEST_F(DependenciesTest, StopsWhenInterrupted) {
  expectRun(ended(0, "\"0.4.84\""));
  expectRun(ChildOutcome{.exit_code = 143, .output = "ETARGET", .interrupted = true});
  EXPECT_EQ(install().outcome, Outcome::kInterrupted);
}

TEST_F(DependenciesTest, ResolvesAsNodeDoes) {
  tree.write("node_modules/hoisted/package.json", "{}");
  tree.write("plugins/x/node_modules/@scope/own/package.json", "{}");
  tree.write("plugins/x/node_modules/empty/readme", "");
  tree.write("plugins/x/node_modules/@get-svc/plugin-sdk/package.json", R"({"version":"0.4.80"})");
  const Dependencies dependencies(children, sdk, tree.path() / "plugins/x");
  EXPECT_THAT(
      dependencies.missing(
          common::Json::parse(
              R"({"dependencies":{"hoisted":"1","empty":"1"},)"
              R"("devDependencies":{"@scope/own":"1","@scope/none":"1"},"peerDependencies":{"p":"1"}})")
              .value()),
      ElementsAre("@scope/none", "empty"));
  EXPECT_EQ(dependencies.installedSdk(), "0.4.80");
  EXPECT_EQ(Dependencies(children, sdk, tree.path()).installedSdk(), "");
}

}  // namespace
}  // namespace svc::client
