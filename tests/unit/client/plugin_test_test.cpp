#include "client_fixture.h"
#include "commands/authoring.h"
#include "mocks/mock_child_runner.h"
#include "mocks/mock_dev_ports.h"
#include "mocks/mock_trial_server.h"
#include "temp_tree.h"

namespace svc::client {
namespace {

using common::BuildTarget;
using common::Json;
using ::testing::_;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Return;

class PluginTestTest : public ClientTest {
 protected:
  void SetUp() override {
    working_dir = tree.path().string();
    tree.write("x/package.json",
               R"({"svc":{"server":"./server.ts"},"scripts":{"test":"vitest run"}})");
  }
  int test(const std::string& path = "x", bool as_json = false,
           const std::vector<TypedSetting>& settings = {}) {
    auto made = context();
    made.console.json = as_json;
    made.now = [this] { return now += 1500; };
    return testPlugin(made, {children, builder, server, tree.path() / "share"}, path, settings);
  }
  void typed() {
    tree.write("x/tsconfig.json", "{}");
    tree.write("node_modules/typescript/package.json", "{}");
  }
  void expectProgram(const std::vector<std::string>& begin, Result<ChildOutcome> answer) {
    EXPECT_CALL(children, run(AllOf(Field(&ChildCommand::directory, tree.path() / "x"),
                                    Field(&ChildCommand::argv, begin)),
                              _))
        .WillOnce(Return(std::move(answer)));
  }
  void expectTsc(Result<ChildOutcome> answer) {
    expectProgram({"node", (tree.path() / "node_modules/typescript/bin/tsc").string(), "--noEmit",
                   "--pretty", "false"},
                  std::move(answer));
  }
  void expectTests(Result<ChildOutcome> answer) {
    expectProgram({"npm", "test"}, std::move(answer));
  }
  void expectBuild(std::vector<common::BuildMessage> errors = {}) {
    EXPECT_CALL(builder, build(AllOf(Field(&common::BuildRequest::root, tree.path() / "x"),
                                     Field(&common::BuildRequest::minify, true))))
        .WillOnce([errors](const auto&) {
          common::TargetReport report;
          report.target = BuildTarget::kServer;
          report.errors = errors;
          if (errors.empty()) {
            report.files = {{"dist/server.js", 1}};
          }
          return common::BuildReport{{report}};
        });
  }
  void expectInstall(Result<Trial> answer) {
    EXPECT_CALL(server, install(tree.path() / "x", ::testing::IsEmpty()))
        .WillOnce(Return(std::move(answer)));
  }
  static Trial record(const std::string& status, const std::string& detail = {}) {
    return {Json::object().set("status", status).set("statusDetail", detail)};
  }

  TempTree tree;
  std::int64_t now = 0;
  ::testing::StrictMock<MockChildRunner> children;
  ::testing::StrictMock<MockDevBuilder> builder;
  ::testing::StrictMock<MockTrialServer> server;
};

TEST_F(PluginTestTest, ALineForEachStep) {
  typed();
  expectTsc(ChildOutcome{.output = "not shown"});
  expectTests(ChildOutcome{.output = "not shown"});
  expectBuild();
  expectInstall(record("running"));
  EXPECT_EQ(test(), 0);
  EXPECT_EQ(out.str(),
            "types    ok       1.5 s\n"
            "tests    ok       1.5 s\n"
            "build    ok       1.5 s\n"
            "install  ok       1.5 s\n");
}

TEST_F(PluginTestTest, LeavesOutWhatAPluginDoesNotHave) {
  for (const auto* const scripts :
       {"{}", R"({"test":"echo \"Error: no test specified\" && exit 1"})"}) {
    tree.write("x/package.json",
               std::string(R"({"svc":{"server":"./server.ts"},"scripts":)") + scripts + "}");
    out.str("");
    expectBuild();
    expectInstall(record("running"));
    EXPECT_EQ(test(), 0);
    EXPECT_THAT(out.str(), HasSubstr("types    skipped  there is no tsconfig.json\n"
                                     "tests    skipped  package.json has no test script\n"));
  }
}

TEST_F(PluginTestTest, SaysWhatFailedAndTriesTheRest) {
  typed();
  expectTsc(ChildOutcome{.exit_code = 2, .output = "server.ts(3,7): error TS2322: no\n"});
  expectTests(ChildOutcome{.exit_code = 1, .output = "1 failed"});
  expectBuild();
  expectInstall(record("error", "no time today (server.ts:2:9)\nat server.ts"));
  EXPECT_EQ(test(), 1);
  EXPECT_EQ(out.str(),
            "types    failed   tsc ended with exit code 2\n"
            "tests    failed   npm test ended with exit code 1\n"
            "build    ok       1.5 s\n"
            "install  failed   the plugin is error, not running: no time today (server.ts:2:9)\n");
  EXPECT_EQ(err.str(),
            "server.ts(3,7): error TS2322: no\n"
            "1 failed\n"
            "no time today (server.ts:2:9)\nat server.ts\n");
}

TEST_F(PluginTestTest, DoesNotInstallWhatCannotBeBuilt) {
  expectTests(ChildOutcome{});
  expectBuild({{.text = "Expected \")\"", .file = "server.ts", .line = 3, .column = 7}});
  EXPECT_EQ(test(), 1);
  EXPECT_THAT(out.str(), HasSubstr("build    failed   the server bundle could not be built\n"
                                   "install  skipped  it was not built\n"));
  EXPECT_THAT(err.str(), HasSubstr("server.ts:3:7: Expected \")\""));
}

TEST_F(PluginTestTest, OnlyAPluginThatRunsHasPassed) {
  for (const auto* const status : {"needs-configuration", "incompatible", "error", "degraded"}) {
    expectTests(ChildOutcome{});
    expectBuild();
    expectInstall(record(status));
    EXPECT_EQ(test(), 1) << status;
  }
}

TEST_F(PluginTestTest, NamesWhatIsMissingOnTheMachine) {
  tree.write("x/tsconfig.json", "{}");
  expectTests(Error{errc::kNotFound, "npm: no such file"});
  EXPECT_CALL(builder, build(_)).WillOnce([](const auto&) {
    return Error{errc::kUnavailable, "Node.js 20 or newer is needed"};
  });
  EXPECT_EQ(test(), 1);
  EXPECT_EQ(out.str(),
            "types    failed   TypeScript is not installed: npm install --include=dev\n"
            "tests    failed   npm is not on PATH: install Node.js 20 or newer\n"
            "build    failed   Node.js 20 or newer is needed\n"
            "install  skipped  it was not built\n");
}

TEST_F(PluginTestTest, EndsWhereItIsInterrupted) {
  expectTests(ChildOutcome{.exit_code = 130, .interrupted = true});
  EXPECT_EQ(test(), 130);
  EXPECT_THAT(out.str(), HasSubstr("tests    interrupted\n"));
  EXPECT_EQ(err.str(), "svc: interrupted\n");
  expectTests(ChildOutcome{});
  expectBuild();
  expectInstall(Error{errc::kAborted, "interrupted"});
  EXPECT_EQ(test(), 130);
}

TEST_F(PluginTestTest, AnInterruptedBuildEndsWithTheEnvelope) {
  expectTests(ChildOutcome{});
  EXPECT_CALL(builder, build(_)).WillOnce([](const auto&) {
    return Error{errc::kAborted, "the build was stopped"};
  });
  EXPECT_EQ(test("x", true), 130);
  EXPECT_THAT(out.str(), ::testing::StartsWith(
                             R"({"ok":false,"error":{"code":"aborted","message":"interrupted"},)"));
  EXPECT_THAT(out.str(), HasSubstr(R"({"name":"build","outcome":"interrupted")"));
}

TEST_F(PluginTestTest, HandsTheSettingsToTheServer) {
  expectTests(ChildOutcome{});
  expectBuild();
  EXPECT_CALL(server,
              install(tree.path() / "x", ElementsAre(AllOf(Field(&TypedSetting::key, "token"),
                                                           Field(&TypedSetting::value, "a=b")))))
      .WillOnce(Return(record("running")));
  EXPECT_EQ(test("x", false, {{.key = "token", .value = "a=b"}}), 0);
}

TEST_F(PluginTestTest, NamesTheSettingsThatAreMissing) {
  expectTests(ChildOutcome{});
  expectBuild();
  auto trial = record("needs-configuration", "add a token");
  trial.unset = {"token", "region"};
  expectInstall(trial);
  EXPECT_EQ(test(), 1);
  EXPECT_THAT(out.str(), HasSubstr("install  failed   the plugin is needs-configuration, not "
                                   "running: add a token; not set: --setting token=… --setting "
                                   "region=…\n"));
}

TEST_F(PluginTestTest, PrintsOneEnvelope) {
  expectTests(ChildOutcome{.exit_code = 1, .output = "1 failed"});
  expectBuild();
  expectInstall(record("running"));
  EXPECT_EQ(test("x", true), 1);
  EXPECT_EQ(
      out.str(),
      R"({"ok":false,"error":{"code":"test_failed","message":"failed: tests"},"steps":[)"
      R"({"name":"types","outcome":"skipped","durationMs":1500,"reason":"there is no tsconfig.json"},)"
      R"({"name":"tests","outcome":"failed","durationMs":1500,"reason":"npm test ended with exit code 1","output":"1 failed"},)"
      R"({"name":"build","outcome":"ok","durationMs":1500},)"
      R"({"name":"install","outcome":"ok","durationMs":1500}]})"
      "\n");
  EXPECT_EQ(err.str(), "");
  out.str("");
  expectTests(ChildOutcome{});
  expectBuild();
  expectInstall(record("running"));
  EXPECT_EQ(test("x", true), 0);
  EXPECT_THAT(out.str(), ::testing::StartsWith(R"({"ok":true,"steps":[)"));
}

TEST_F(PluginTestTest, NeedsAPlugin) {
  EXPECT_EQ(test("y"), 3);
  tree.write("z/package.json", "{}");
  EXPECT_EQ(test("z"), 3);
  EXPECT_THAT(err.str(),
              HasSubstr("svc.server is missing\nhint: name the directory of a plugin: svc plugin "
                        "test <path>"));
  tree.write("z/package.json", "{");
  EXPECT_EQ(test("z"), 1);
}

}  // namespace
}  // namespace svc::client
