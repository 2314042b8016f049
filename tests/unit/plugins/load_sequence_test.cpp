#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"
#include "svc/common/limits/builds.h"
#include "svc/common/limits/plugins.h"

#include "fixture.h"
#include "load_run.h"

namespace svc::plugins {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Pair;
using ::testing::SizeIs;

TEST(LoadStepsTest, AreTheElevenOfTheContract) {
  std::vector<std::string_view> names;
  for (const auto& step : LoadRun::steps()) {
    EXPECT_EQ(step.number, static_cast<int>(names.size()) + 1);
    names.push_back(step.name);
  }
  EXPECT_THAT(names,
              ElementsAre("hold, identity, enabled", "directory and manifest", "engines",
                          "artifacts", "branding", "svc object", "factory and prepare",
                          "dispose previous", "publish", "commit", "schedules and services"));
}

class LoadSequenceTest : public ManagerFixture {};

TEST_F(LoadSequenceTest, ALoadEndsInRunning) {
  const auto record = installTodo();
  EXPECT_EQ(record.status, PluginStatus::kRunning);
  EXPECT_EQ(record.status_detail, "");
  EXPECT_EQ(record.generation, 1U);
  EXPECT_EQ(record.version, "1.0.0");
  EXPECT_EQ(record.name, "Todo");
  EXPECT_TRUE(record.loaded_at);
  EXPECT_EQ(rows_.at("todo").generation, 1U);
  EXPECT_TRUE(acquire().ok());
  EXPECT_THAT(logMessages(), ElementsAre("loaded Todo 1.0.0 in 0 ms"));
}

TEST_F(LoadSequenceTest, TheEnvironmentGetsEntryLimitsAndVariables) {
  const auto root = writePlugin();
  static_cast<void>(install(root));
  const auto& options = runtime_.latest().options;
  EXPECT_EQ(options.name, "todo#1");
  EXPECT_EQ(options.root, root);
  EXPECT_EQ(options.cache_dir, directory_.path() / "data/plugins/todo/cache");
  EXPECT_EQ(options.limits.heap_bytes, 64UL * 1024 * 1024);
  EXPECT_EQ(options.limits.watchdog, limits::kWatchdog);
  EXPECT_EQ(options.limits.worker_threads, 3U);
  EXPECT_EQ(options.limits.descriptors, static_cast<std::size_t>(limits::kPluginDescriptors));
  EXPECT_EQ(options.limits.database_bytes, 16UL * 1024 * 1024);
  EXPECT_EQ(options.environment.at("SVC_DATA_DIR"), (directory_.path() / "data").string());
  EXPECT_EQ(options.environment.at("SVC_PLUGIN_ID"), "todo");
  EXPECT_EQ(options.environment.at("SVC_CLI"), (directory_.path() / "bin/svc").string());
  EXPECT_EQ(options.environment.contains("SVC_SERVER_URL"), false);
  EXPECT_THAT(options.environment.at("SVC_LOAD_ID"),
              MatchesRegex("[0-9a-f]+\\.[0-9a-f]+\\.[0-9a-f]{32}"));
  EXPECT_EQ(runtime_.latest().invocations.at(0).meta, (root / "server.ts").string());
  EXPECT_EQ(std::filesystem::status(directory_.path() / "data/plugins/todo").permissions(),
            std::filesystem::perms::owner_all);
}

TEST_F(LoadSequenceTest, PartsFollowTheCoreInTheOrderAdded) {
  std::vector<std::weak_ptr<IGeneration>> given;
  const auto part = [&given](std::string name) {
    return ApiPart{
        name, "text of a part", [&given, name](const std::weak_ptr<IGeneration>& generation) {
          given.push_back(generation);
          std::vector<script::HostFunction> out;
          out.push_back({.name = name + ".f",
                         .sync = [](std::string) { return Result<std::string>(std::string()); }});
          return out;
        }};
  };
  const auto rpc = api_.addPart(part("rpc"));
  auto gone = api_.addPart(part("gone"));
  const auto cli = api_.addPart(part("cli"));
  gone.reset();
  installTodo();
  std::vector<std::string> names;
  for (const auto& each : runtime_.latest().options.parts) {
    names.push_back(each.name);
  }
  EXPECT_THAT(names, ElementsAre("core", "rpc", "cli"));
  ASSERT_THAT(given, SizeIs(2));
  EXPECT_EQ(given.at(0).lock()->pluginId(), "todo");
  EXPECT_TRUE(runtime_.latest().hostSync("cli.f", ""));
}

TEST_F(LoadSequenceTest, EveryLoadGetsNativeExtensionsOfItsOwn) {
  std::vector<std::pair<std::string, std::size_t>> given;
  ApiPart part{.name = "native", .script = "text of a part", .functions = nullptr};
  part.natives = [&given](const std::weak_ptr<IGeneration>& generation,
                          const script::ScriptLimits& limits) {
    given.emplace_back(generation.lock()->pluginId(), limits.database_bytes);
    return std::vector<script::NativeExtension>{{"native", nullptr}};
  };
  const auto added = api_.addPart(std::move(part));
  installTodo();
  ASSERT_THAT(runtime_.latest().options.natives, SizeIs(1));
  EXPECT_EQ(runtime_.latest().options.natives.front().name, "native");
  EXPECT_THAT(given, ElementsAre(Pair("todo", 16UL * 1024 * 1024)));
}

TEST_F(LoadSequenceTest, RegistrationsBelongToTheGeneration) {
  runtime_.handle("plugin.load", [this](script::Invocation, Completion<std::string> done) {
    EXPECT_FALSE(acquire().ok()) << "provisional generations are not visible";
    done(std::string());
  });
  const auto part =
      api_.addPart({"cli", "", [](const std::weak_ptr<IGeneration>& generation) {
                      generation.lock()->setRegistration(
                          "cli", common::Json::parse(R"({"name":"todo","summary":"s","commands":[
                                          {"name":"add","summary":"a","usage":"add <x>"}]})")
                                     .value());
                      return std::vector<script::HostFunction>();
                    }});
  const auto record = installTodo();
  ASSERT_TRUE(record.cli);
  EXPECT_EQ(record.cli->name, "todo");
  ASSERT_THAT(record.cli->commands, SizeIs(1));
  EXPECT_EQ(record.cli->commands[0].usage, "add <x>");
}

TEST_F(LoadSequenceTest, StepOneADisabledPluginIsNotLoaded) {
  writePlugin();
  addRow("todo", false);
  restart();
  const auto outcome = reload();
  EXPECT_EQ(outcome.value().at(0).failure->code, errc::kLoadFailed);
  EXPECT_THAT(outcome.value().at(0).failure->message, HasSubstr("svc plugin enable todo"));
  EXPECT_EQ(record().status, PluginStatus::kDisabled);
  EXPECT_THAT(runtime_.environments, SizeIs(0));
}

TEST_F(LoadSequenceTest, StepTwoAMissingDirectoryIsMissing) {
  addRow("todo");
  restart();
  static_cast<void>(reload());
  EXPECT_EQ(record().status, PluginStatus::kMissing);
  EXPECT_THAT(record().status_detail, HasSubstr("plugin directory not found"));
  EXPECT_THAT(record().status_detail, HasSubstr("reinstall"));
  EXPECT_THAT(acquire().error().details, HasSubstr(R"("status":"missing")"));
}

TEST_F(LoadSequenceTest, StepTwoABrokenManifestIsAnError) {
  writePlugin("todo", "{");
  addRow("todo");
  restart();
  static_cast<void>(reload());
  EXPECT_EQ(record().status, PluginStatus::kError);
  EXPECT_THAT(record().status_detail, HasSubstr("package.json is not valid JSON"));
  EXPECT_EQ(record().last_error->source, "load");
}

TEST_F(LoadSequenceTest, StepTwoAnotherIdentityIsAnError) {
  writePlugin("todo",
              R"({"name":"svc-plugin-other","version":"1.0.0","svc":{"server":"server.ts"}})");
  addRow("todo");
  restart();
  static_cast<void>(reload());
  EXPECT_THAT(record().status_detail,
              HasSubstr(R"(now names plugin "other", installed is "todo")"));
}

TEST_F(LoadSequenceTest, StepThreeAnotherEngineIsIncompatible) {
  const auto record = install(writePlugin(
      "todo",
      R"({"name":"todo","version":"1.0.0","engines":{"svc":"^9.0.0"},"svc":{"server":"server.ts"}})"));
  EXPECT_EQ(record.status, PluginStatus::kIncompatible);
  EXPECT_THAT(record.status_detail, HasSubstr("needs svc ^9.0.0"));
}

TEST_F(LoadSequenceTest, StepFourArtifactStepsRunInTheOrderAddedBeforeAnyCode) {
  std::vector<std::string> order;
  std::vector<ArtifactRequest> requests;
  const auto step = [&](const std::string& name) {
    return [&, name](const ArtifactRequest& request, Completion<std::vector<DevProblem>> done) {
      EXPECT_THAT(runtime_.environments, SizeIs(0));
      order.push_back(name);
      requests.push_back(request);
      done(std::vector<DevProblem>{});
    };
  };
  const auto first = api_.addArtifactStep(step("first"));
  auto gone = api_.addArtifactStep(step("gone"));
  const auto second = api_.addArtifactStep(step("second"));
  gone.reset();
  directory_.write("todo/app.tsx", "");
  const auto root = writePlugin("todo", R"({"name":"svc-plugin-todo","version":"1.0.0",
                                            "svc":{"server":"server.ts","app":"./app.tsx"}})");
  static_cast<void>(install(root));
  EXPECT_THAT(order, ElementsAre("first", "second"));
  const auto& request = requests.at(0);
  EXPECT_EQ(request.load_id, acquire().value()->loadId());
  EXPECT_EQ(request.plugin_id, "todo");
  EXPECT_EQ(request.version, "1.0.0");
  EXPECT_EQ(request.root_dir, root.string());
  EXPECT_EQ(request.server_entry, "server.ts");
  EXPECT_EQ(request.app_entry, "app.tsx");
  EXPECT_EQ(request.host_entry, "");
}

TEST_F(LoadSequenceTest, StepFourARefusedArtifactIsAnErrorAndKeepsWhatRuns) {
  installTodo();
  const auto step =
      api_.addArtifactStep([](const ArtifactRequest&, Completion<std::vector<DevProblem>> done) {
        done(Error{errc::kLoadFailed, "dist/host.js does not match host.meta.json"});
      });
  const auto outcome = reload();
  EXPECT_THAT(outcome.value().at(0).failure->message,
              HasSubstr("dist/host.js does not match host.meta.json (the previous instance"));
  EXPECT_EQ(record().status, PluginStatus::kRunning);
  EXPECT_EQ(record().generation, 1U);
}

TEST_F(LoadSequenceTest, StepFourFailedBuildsAreInTheDetailUntilALoadWithoutThem) {
  std::vector<DevProblem> problems{{BundleTarget::kApp, "app.tsx:1:2: bad"}};
  const auto step = api_.addArtifactStep(
      [&problems](const ArtifactRequest&, Completion<std::vector<DevProblem>> done) {
        done(problems);
      });
  const auto record_with = installTodo();
  EXPECT_EQ(record_with.status, PluginStatus::kRunning);
  EXPECT_EQ(record_with.status_detail, "frontend bundle build failed: app.tsx:1:2: bad");
  Answer<void> set;
  manager_->setDevProblems("todo", problems, set.completion());
  settle();
  EXPECT_EQ(record().status_detail, "frontend bundle build failed: app.tsx:1:2: bad");
  manager_->setDevProblems("todo", {}, Answer<void>().completion());
  problems.clear();
  static_cast<void>(reload());
  EXPECT_EQ(record().status_detail, "");
}

TEST_F(LoadSequenceTest, WhatDevelopingSaidOfBuildsIsOverWithALoadWhoseBuildsSucceed) {
  installTodo();
  Answer<void> set;
  manager_->setDevProblems("todo", {{BundleTarget::kApp, "bad"}}, set.completion());
  settle();
  EXPECT_EQ(record().status_detail, "frontend bundle build failed: bad");
  static_cast<void>(reload());
  EXPECT_EQ(record().status_detail, "");
}

TEST_F(LoadSequenceTest, WhatDevelopingSaysDuringALoadStays) {
  installTodo();
  const auto step = api_.addArtifactStep([this](const ArtifactRequest&,
                                                Completion<std::vector<DevProblem>> done) {
    manager_->setDevProblems("todo", {{BundleTarget::kApp, "worse"}}, Answer<void>().completion());
    settle();
    done(std::vector<DevProblem>{});
  });
  static_cast<void>(reload());
  EXPECT_EQ(record().status_detail, "frontend bundle build failed: worse");
}

TEST_F(LoadSequenceTest, WhatWasInstalledFromElsewhereRunsItsBuiltServerEntry) {
  const auto root = writePlugin();
  const auto loadedFrom = [&] {
    static_cast<void>(reload());
    return std::filesystem::path(runtime_.latest().invocations.at(0).meta)
        .lexically_relative(root)
        .string();
  };
  const auto meta = [](int major) {
    return R"({"pluginId":"todo","artifactFormatVersion":1,"sdkMajor":)" + std::to_string(major) +
           "}";
  };
  addRow("todo");
  rows_["todo"].source_kind = "npm";
  restart();
  EXPECT_EQ(loadedFrom(), "server.ts");
  EXPECT_THAT(logMessages(), Contains(HasSubstr("the package has no dist/server.js")));
  const auto warnings = [&] {
    const auto all = logMessages();
    return std::count_if(all.begin(), all.end(), [](const std::string& message) {
      return message.find("no dist/server.js") != std::string::npos;
    });
  };
  const auto before = warnings();
  rows_["todo"].source_kind = "git";
  restart();
  EXPECT_EQ(loadedFrom(), "server.ts");
  EXPECT_EQ(warnings(), before) << "nothing of a repository has to be built";
  rows_["todo"].source_kind = "npm";
  restart();
  directory_.write("todo/dist/server.js", "export default () => {};");
  directory_.write("todo/dist/server.meta.json", meta(0));
  EXPECT_EQ(loadedFrom(), "dist/server.js");
  directory_.write("todo/dist/server.meta.json", meta(1));
  EXPECT_EQ(loadedFrom(), "server.ts");
  EXPECT_THAT(logMessages(), Contains(HasSubstr("dist/server.js was not built for SDK")));
  rows_["todo"].source_kind = "path";
  directory_.write("todo/dist/server.meta.json", meta(0));
  restart();
  EXPECT_EQ(loadedFrom(), "server.ts");
}

TEST_F(LoadSequenceTest, StepFourIsBounded) {
  std::vector<Completion<std::vector<DevProblem>>> open;
  const auto step = api_.addArtifactStep(
      [&open](const ArtifactRequest&, Completion<std::vector<DevProblem>> done) {
        open.push_back(std::move(done));
      });
  writePlugin();
  addRow("todo");
  restart();
  static_cast<void>(reload());
  EXPECT_EQ(record().status, PluginStatus::kStarting);
  advance(3 * limits::kBuild);
  EXPECT_EQ(record().status, PluginStatus::kError);
  EXPECT_THAT(record().status_detail, HasSubstr("limit build"));
}

TEST_F(LoadSequenceTest, StepFiveAMissingIconIsAnError) {
  const auto record = install(writePlugin(
      "todo",
      R"({"name":"todo","version":"1.0.0","svc":{"server":"server.ts","branding":{"icon":"./i.svg"}}})"));
  EXPECT_EQ(record.status, PluginStatus::kError);
  EXPECT_THAT(record.status_detail, HasSubstr("svc.branding.icon"));
}

TEST_F(LoadSequenceTest, StepSixAnEnvironmentThatCannotBeMadeIsAnError) {
  runtime_.create_at_once = false;
  Answer<PluginRecord> answer;
  manager_->install(writePlugin().string(), answer.completion());
  settle();
  runtime_.finishCreate(Error{errc::kUnavailable, "out of threads"});
  settle();
  EXPECT_EQ(answer.value().status, PluginStatus::kError);
  EXPECT_EQ(answer.value().status_detail, "out of threads");
}

TEST_F(LoadSequenceTest, StepSevenAThrowingFactoryIsAnErrorWithItsStack) {
  failFactories("TypeError: x is not a function (server.ts:3:9)",
                "TypeError: x\n at server.ts:3:9");
  const auto record = installTodo();
  EXPECT_EQ(record.status, PluginStatus::kError);
  EXPECT_EQ(record.status_detail, "TypeError: x is not a function (server.ts:3:9)");
  EXPECT_EQ(record.last_error->stack, "TypeError: x\n at server.ts:3:9");
  EXPECT_EQ(record.generation, 0U);
  EXPECT_TRUE(runtime_.latest().ended()) << "no code of a failed load keeps running";
  EXPECT_THAT(logMessages(), ElementsAre(HasSubstr("load failed: TypeError")));
}

TEST_F(LoadSequenceTest, StepSevenWhatFailsInAPackageMayBeTooNewForTheNodeInside) {
  runtime_.node_version = "18.20.4";
  const auto root = writePlugin(
      "todo",
      R"({"name":"todo","version":"1.0.0","svc":{"server":"server.ts"},"dependencies":{"yargs":"18"}})");
  std::filesystem::create_directories(root / "node_modules/yargs");
  std::ofstream(root / "node_modules/yargs/package.json")
      << R"({"version":"18.0.0","engines":{"node":">=20"}})";
  const auto failed = [&](const std::string& stack) {
    failFactories("x is not a function", stack);
    Answer<PluginRecord> answer;
    manager_->install(root.string(), answer.completion());
    settle();
    return record().status_detail;
  };
  EXPECT_EQ(failed("TypeError: x\n at /p/server.ts:3:9"), "x is not a function");
  EXPECT_EQ(failed("TypeError: x\n at /p/node_modules/yargs/index.js:3:9"),
            "x is not a function (yargs 18.0.0 asks for Node.js >=20, and plugins run on 18.20.4: "
            "an older release may do)");
}

TEST_F(LoadSequenceTest, StepSevenWhatAFactoryThrowsIsCut) {
  constexpr std::size_t kLarge = 4UL * 1024 * 1024;
  failFactories(std::string(kLarge, 'm'), std::string(kLarge, 's'));
  const auto record = installTodo();
  EXPECT_THAT(record.status_detail,
              HasSubstr("[cut: 4194304 bytes, the limit statusText is 16384]"));
  EXPECT_LT(record.status_detail.size(), 2 * limits::kStatusText);
  EXPECT_LT(record.last_error->message.size(), 2 * limits::kStatusText);
  EXPECT_LT(record.last_error->stack.size(), 2 * limits::kLogLine);
}

TEST_F(LoadSequenceTest, StepSevenAFactoryThatNeverEndsIsTerminatedAtTheTimeBox) {
  holdFactories();
  Answer<PluginRecord> answer;
  manager_->install(writePlugin().string(), answer.completion());
  settle();
  EXPECT_EQ(record().status, PluginStatus::kStarting);
  advance(limits::kFactory - 1ms);
  EXPECT_FALSE(answer.fired());
  advance(1ms);
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer.value().status, PluginStatus::kError);
  EXPECT_THAT(answer.value().status_detail,
              HasSubstr("did not finish within 30 s (limit factory)"));
  EXPECT_TRUE(runtime_.latest().ended());
  (*held_factories_.at(0))(std::string());
  settle();
  EXPECT_EQ(record().status, PluginStatus::kError);
}

TEST_F(LoadSequenceTest, StepSevenAnExitInTheFactoryIsNamed) {
  holdFactories();
  Answer<PluginRecord> answer;
  manager_->install(writePlugin().string(), answer.completion());
  settle();
  (*held_factories_.at(0))(Error{errc::kPluginNotRunning, "ended"});
  settle();
  EXPECT_FALSE(answer.fired());
  runtime_.latest().end({script::TerminationReason::kProcessExit, 3, "", ""});
  settle();
  EXPECT_EQ(answer.value().status, PluginStatus::kError);
  EXPECT_EQ(answer.value().status_detail, "the plugin called process.exit(3)");
  advance(2min);
  EXPECT_THAT(runtime_.environments, SizeIs(1)) << "a failed factory is not tried again";
}

TEST_F(LoadSequenceTest, AnEnvironmentThatTookTooLongIsTriedAgain) {
  runtime_.create_at_once = false;
  Answer<PluginRecord> answer;
  manager_->install(writePlugin().string(), answer.completion());
  settle();
  advance(30s);
  EXPECT_EQ(answer.value().status, PluginStatus::kError);
  EXPECT_EQ(answer.value().status_detail,
            "the environment was not ready after 30 s; it is loaded again in 1 s");
  runtime_.create_at_once = true;
  advance(1s);
  EXPECT_EQ(record().status, PluginStatus::kRunning);
  EXPECT_EQ(record().status_detail, "");
}

TEST_F(LoadSequenceTest, PrepareCanRefuseTheActivation) {
  const auto check =
      api_.addPrepareCheck([](const GenerationPtr& generation, Completion<void> done) {
        done(Error{errc::kConflict, generation->pluginId() + ": the command name is taken"});
      });
  const auto record = installTodo();
  EXPECT_EQ(record.status, PluginStatus::kError);
  EXPECT_EQ(record.status_detail, "todo: the command name is taken");
  EXPECT_THAT(logMessages(), ElementsAre(HasSubstr("load failed")));
}

TEST_F(LoadSequenceTest, PrepareIsBounded) {
  std::vector<Completion<void>> waiting;
  int second = 0;
  const auto slow = api_.addPrepareCheck(
      [&](const GenerationPtr&, Completion<void> done) { waiting.push_back(std::move(done)); });
  const auto after = api_.addPrepareCheck([&](const GenerationPtr&, Completion<void> done) {
    ++second;
    done({});
  });
  Answer<PluginRecord> answer;
  manager_->install(writePlugin().string(), answer.completion());
  advance(limits::kPrepare);
  EXPECT_THAT(answer.value().status_detail, HasSubstr("within 10 s (limit prepare)"));
  waiting.at(0)({});
  settle();
  EXPECT_EQ(second, 0);
  EXPECT_THAT(logMessages(), ::testing::Not(Contains(HasSubstr("loaded"))));
}

TEST_F(LoadSequenceTest, AFullDiskDoesNotStopAWorkingPlugin) {
  writePlugin();
  addRow("todo", true, 4);
  restart();
  ON_CALL(store_, put).WillByDefault([](const auto&) {
    return Status(Error{errc::kUnavailable, "disk full"});
  });
  static_cast<void>(reload());
  EXPECT_EQ(record().status, PluginStatus::kRunning);
  EXPECT_EQ(record().generation, 5U);
  EXPECT_THAT(logMessages(), Contains(HasSubstr("disk full")));
}

TEST_F(LoadSequenceTest, ManifestWarningsAreTheDetailOfARunningPlugin) {
  const auto record = install(writePlugin(
      "todo", R"({"name":"todo","version":"1.0.0","svc":{"server":"server.ts","colour":"red"}})"));
  EXPECT_EQ(record.status, PluginStatus::kRunning);
  EXPECT_EQ(record.status_detail, "package.json: svc.colour: unknown key");
}

}  // namespace
}  // namespace svc::plugins
