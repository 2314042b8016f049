#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"
#include "svc/common/limits/plugins.h"

#include "fixture.h"

namespace svc::plugins {
namespace {

using namespace std::chrono_literals;
using script::TerminationReason;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class LifecycleTest : public ManagerFixture {
 protected:
  void needConfiguration(const std::string& message) {
    static_cast<void>(
        runtime_.latest().hostSync("core.needsConfiguration", common::jsonString(message)));
    settle();
  }
};

TEST_F(LifecycleTest, NeedsConfigurationInTheFactoryIsPublishedAtCommit) {
  runtime_.handle("plugin.load", [this](script::Invocation, Completion<std::string> done) {
    static_cast<void>(runtime_.latest().hostSync("core.needsConfiguration", R"("add a key")"));
    done(std::string());
  });
  const auto record = installTodo();
  EXPECT_EQ(record.status, PluginStatus::kNeedsConfiguration);
  EXPECT_EQ(record.status_detail, "add a key");
  EXPECT_TRUE(acquire().ok()) << "calls are answered whenever a generation is loaded";
}

TEST_F(LifecycleTest, NeedsConfigurationLaterTakesEffectAtOnceAndResetsOnTheNextLoad) {
  installTodo();
  needConfiguration("");
  EXPECT_EQ(record().status, PluginStatus::kNeedsConfiguration);
  EXPECT_EQ(record().status_detail, "the plugin needs configuration");
  static_cast<void>(reload());
  EXPECT_EQ(record().status, PluginStatus::kRunning);
  EXPECT_EQ(record().status_detail, "");
}

TEST_F(LifecycleTest, WarningsOfTheManifestStayBesideWhatElseTheDetailSays) {
  const std::string warning = "package.json: svc.colour: unknown key";
  install(writePlugin("todo", R"({"name":"svc-plugin-todo","version":"1.2.3",
    "svc":{"server":"server.ts","colour":"red"}})"));
  EXPECT_EQ(record().status_detail, warning);
  needConfiguration("add a key");
  EXPECT_EQ(record().status, PluginStatus::kNeedsConfiguration);
  EXPECT_EQ(record().status_detail, "add a key; " + warning);
  failFactories("oops");
  static_cast<void>(reload());
  EXPECT_EQ(record().status_detail, "reload failed: oops; " + warning);
}

TEST_F(LifecycleTest, ALongTextOfNeedsConfigurationIsCut) {
  installTodo();
  needConfiguration(std::string(limits::kStatusText + 1, 'x'));
  EXPECT_EQ(record().status_detail, std::string(limits::kStatusText, 'x') +
                                        "… [cut: 16385 bytes, the limit statusText is 16384]");
}

TEST_F(LifecycleTest, ACommandThatTheServiceHasIsAWarningInTheDetail) {
  installTodo();
  const auto generation = acquire().value();
  generation->addProblem({"cli_command_shadowed", "belongs to plugin \"a\""});
  generation->addProblem({"cli_command_reserved", "belongs to the service"});
  settle();
  EXPECT_EQ(record().status, PluginStatus::kRunning);
  EXPECT_EQ(record().status_detail, "belongs to the service");
  EXPECT_THAT(record().problems, SizeIs(2));
}

TEST_F(LifecycleTest, APageThatFailsInTheWindowIsInTheDetailUntilItIsTakenBackOrTheNextLoad) {
  installTodo();
  const auto fail = [this] {
    acquire().value()->addProblem({"ui_failed", "UI failed: oops"});
    settle();
  };
  fail();
  EXPECT_EQ(record().status, PluginStatus::kRunning);
  EXPECT_EQ(record().status_detail, "UI failed: oops");
  acquire().value()->removeProblem("other");
  acquire().value()->removeProblem("ui_failed");
  settle();
  EXPECT_EQ(record().status_detail, "");
  EXPECT_THAT(record().problems, SizeIs(0));
  fail();
  EXPECT_EQ(record().status_detail, "UI failed: oops");
  static_cast<void>(reload());
  EXPECT_EQ(record().status_detail, "");
}

TEST_F(LifecycleTest, ProcessExitIsAnErrorUntilTheNextReload) {
  installTodo();
  runtime_.latest().end({TerminationReason::kProcessExit, 3, "", ""});
  settle();
  EXPECT_EQ(record().status, PluginStatus::kError);
  EXPECT_THAT(record().status_detail, HasSubstr("process.exit(3)"));
  EXPECT_EQ(acquire().error().code, errc::kPluginNotRunning);
  EXPECT_EQ(record().counters.terminations, 1U);
  advance(5min);
  EXPECT_EQ(record().status, PluginStatus::kError);
  EXPECT_THAT(runtime_.environments, SizeIs(1));
  static_cast<void>(reload());
  EXPECT_EQ(record().status, PluginStatus::kRunning);
}

TEST_F(LifecycleTest, ProcessAbortIsNamed) {
  installTodo();
  runtime_.latest().end({TerminationReason::kProcessAbort, 0, "", ""});
  settle();
  EXPECT_THAT(record().status_detail, HasSubstr("process.abort()"));
}

TEST_F(LifecycleTest, AWatchdogEndFailsCallsAndReloadsAfterTheBackoff) {
  installTodo();
  const auto generation = acquire().value();
  Answer<std::string> call;
  generation->invoke("rpc:x", {"rpc", "x", "", {}}, call.completion());
  runtime_.latest().end(
      {TerminationReason::kWatchdog, 0, "the event loop was blocked for 30 s", "at server.ts:7"});
  settle();
  EXPECT_EQ(call.error().code, errc::kPluginNotRunning);
  EXPECT_EQ(record().status, PluginStatus::kError);
  EXPECT_THAT(
      record().status_detail,
      HasSubstr("blocked for 30 s; it was blocked at server.ts:7; it is loaded again in 1 s"));
  EXPECT_EQ(record().last_error->stack, "at server.ts:7");
  EXPECT_EQ(record().last_error->source, "environment");
  advance(999ms);
  EXPECT_THAT(runtime_.environments, SizeIs(1));
  advance(1ms);
  EXPECT_EQ(record().status, PluginStatus::kRunning);
  EXPECT_EQ(record().generation, 2U);
}

TEST_F(LifecycleTest, TheBackoffDoublesToAMinuteAndResetsAfterHealth) {
  installTodo();
  for (const auto delay : {1s, 2s, 4s, 8s, 16s, 32s, 60s, 60s}) {
    runtime_.latest().end({TerminationReason::kHeapLimit, 0, "", ""});
    settle();
    const auto environments = runtime_.environments.size();
    advance(delay - 1ms);
    EXPECT_THAT(runtime_.environments, SizeIs(environments)) << delay.count();
    advance(1ms);
    EXPECT_THAT(runtime_.environments, SizeIs(environments + 1)) << delay.count();
  }
  advance(5min);
  runtime_.latest().end({TerminationReason::kHeapLimit, 0, "", ""});
  settle();
  EXPECT_THAT(record().status_detail, HasSubstr("heap limit; it is loaded again in 1 s"));
}

TEST_F(LifecycleTest, AReloadByHandReplacesTheAutomaticOne) {
  installTodo();
  runtime_.latest().end({TerminationReason::kHeapLimit, 0, "", ""});
  static_cast<void>(reload());
  EXPECT_EQ(record().status, PluginStatus::kRunning);
  advance(2min);
  EXPECT_THAT(runtime_.environments, SizeIs(2));
}

TEST_F(LifecycleTest, ADisabledPluginIsNotReloadedAutomatically) {
  installTodo();
  runtime_.latest().end({TerminationReason::kHeapLimit, 0, "", ""});
  settle();
  Answer<PluginRecord> answer;
  manager_->setEnabled("todo", false, answer.completion());
  advance(2min);
  EXPECT_EQ(record().status, PluginStatus::kDisabled);
  EXPECT_THAT(runtime_.environments, SizeIs(1));
}

TEST_F(LifecycleTest, AnEndedEnvironmentStillRunsTheStepsOfChannels) {
  std::vector<std::uint64_t> closed;
  const auto step = api_.addDisposeStep(
      DisposePhase::kCloseWebSockets, [&](const GenerationPtr& generation, Completion<void> done) {
        closed.push_back(generation->loadId());
        done({});
      });
  installTodo();
  const auto load_id = acquire().value()->loadId();
  runtime_.latest().end({TerminationReason::kWatchdog, 0, "", ""});
  settle();
  EXPECT_THAT(closed, ElementsAre(load_id));
}

TEST_F(LifecycleTest, AStallIsInTheDetailWhileItLasts) {
  installTodo();
  runtime_.latest().observer().onStall(10s, "");
  settle();
  EXPECT_EQ(record().status, PluginStatus::kRunning);
  EXPECT_THAT(record().status_detail, HasSubstr("has not answered for 10 s"));
}

TEST_F(LifecycleTest, OutOfBandErrorsLeaveTheStatusAlone) {
  installTodo();
  runtime_.latest().observer().onUncaughtError({"Error", "boom", "stack", "", ""}, "rejection");
  settle();
  const auto shown = record();
  EXPECT_EQ(shown.status, PluginStatus::kRunning);
  EXPECT_EQ(shown.status_detail, "");
  EXPECT_EQ(shown.counters.out_of_band_errors, 1U);
  EXPECT_EQ(shown.last_error->source, "rejection");
}

TEST_F(LifecycleTest, DisablingDisposesInOrderAndEnablingLoadsAgain) {
  installTodo();
  Answer<PluginRecord> disabled;
  manager_->setEnabled("todo", false, disabled.completion());
  settle();
  EXPECT_EQ(disabled.value().status, PluginStatus::kDisabled);
  EXPECT_FALSE(rows_.at("todo").enabled);
  EXPECT_THAT(calls(environment(0)),
              ElementsAre("plugin.load", "plugin.runHooks", "plugin.invalidate"));
  EXPECT_TRUE(environment(0).ended());
  EXPECT_EQ(acquire().error().code, errc::kPluginNotRunning);
  Answer<PluginRecord> enabled;
  manager_->setEnabled("todo", true, enabled.completion());
  settle();
  EXPECT_EQ(enabled.value().status, PluginStatus::kRunning);
  EXPECT_EQ(enabled.value().generation, 2U);
}

TEST_F(LifecycleTest, EnablingWhatRunsChangesNothing) {
  installTodo();
  Answer<PluginRecord> enabled;
  manager_->setEnabled("todo", true, enabled.completion());
  settle();
  EXPECT_EQ(enabled.value().status, PluginStatus::kRunning);
  EXPECT_THAT(runtime_.environments, SizeIs(1));
}

TEST_F(LifecycleTest, AnOverrunningServicePhaseIsDegradedUntilTheEnvironmentIsGone) {
  std::vector<Completion<void>> hung;
  const auto step = api_.addDisposeStep(
      DisposePhase::kStopServices,
      [&](const GenerationPtr&, Completion<void> done) { hung.push_back(std::move(done)); });
  installTodo();
  environment(0).terminate_at_once = false;
  Answer<PluginRecord> disabled;
  manager_->setEnabled("todo", false, disabled.completion());
  advance(limits::kServiceStop);
  EXPECT_EQ(record().status, PluginStatus::kDegraded);
  EXPECT_THAT(record().status_detail, HasSubstr("did not finish within 5000 ms"));
  environment(0).end({});
  settle();
  EXPECT_EQ(disabled.value().status, PluginStatus::kDisabled);
}

TEST_F(LifecycleTest, LoadsAtStartAreParallelButBounded) {
  for (const auto* id : {"a", "b", "c"}) {
    writePlugin(id, std::string(R"({"name":")") + id +
                        R"(","version":"1.0.0","svc":{"server":"server.ts"}})");
    addRow(id);
  }
  writePlugin("d");
  addRow("d", false);
  restart();
  holdFactories();
  Answer<void> ready;
  manager_->loadAll(2s, ready.completion());
  settle();
  EXPECT_THAT(held_factories_, SizeIs(2));
  (*held_factories_.at(0))(std::string());
  settle();
  EXPECT_THAT(held_factories_, SizeIs(3));
  (*held_factories_.at(1))(std::string());
  settle();
  EXPECT_FALSE(ready.fired());
  (*held_factories_.at(2))(std::string());
  settle();
  EXPECT_TRUE(ready.ok());
  Answer<std::vector<PluginRecord>> list;
  manager_->list(list.completion());
  settle();
  std::vector<std::pair<std::string, PluginStatus>> statuses;
  for (const auto& each : list.value()) {
    statuses.emplace_back(each.id, each.status);
  }
  EXPECT_THAT(statuses, ElementsAre(::testing::Pair("a", PluginStatus::kRunning),
                                    ::testing::Pair("b", PluginStatus::kRunning),
                                    ::testing::Pair("c", PluginStatus::kRunning),
                                    ::testing::Pair("d", PluginStatus::kDisabled)));
}

TEST_F(LifecycleTest, WhatIsCalledOrLookedAtIsLoadedBeforeTheOthers) {
  configure = [](ManagerSettings& settings) { settings.parallel_loads = 1; };
  for (const auto* id : {"a", "b", "c", "d"}) {
    writePlugin(id, std::string(R"({"name":")") + id +
                        R"(","version":"1.0.0","svc":{"server":"server.ts"}})");
    addRow(id);
  }
  restart();
  holdFactories();
  Answer<void> ready;
  manager_->loadAll(2s, ready.completion());
  settle();
  // `a` is being loaded. A call of `d` is refused, so that its caller asks again.
  EXPECT_EQ(acquire("d").error().code, errc::kPluginNotRunning);
  settle();
  static_cast<void>(record("c"));
  std::vector<std::string> order;
  for (std::size_t at = 0; at < 4; ++at) {
    (*held_factories_.at(at))(std::string());
    settle();
    for (const auto& generation : loaded_.all()) {
      if (std::find(order.begin(), order.end(), generation->pluginId()) == order.end()) {
        order.push_back(generation->pluginId());
      }
    }
  }
  EXPECT_THAT(order, ElementsAre("a", "c", "d", "b"));
  EXPECT_TRUE(ready.ok());
}

TEST_F(LifecycleTest, AHangingPluginDoesNotHoldTheStart) {
  writePlugin();
  addRow("todo");
  restart();
  holdFactories();
  Answer<void> ready;
  manager_->loadAll(2s, ready.completion());
  advance(2s);
  EXPECT_TRUE(ready.ok());
  EXPECT_EQ(record().status, PluginStatus::kStarting);
}

TEST_F(LifecycleTest, AnEmptyServerIsReadyAtOnce) {
  Answer<void> ready;
  manager_->loadAll(2s, ready.completion());
  EXPECT_TRUE(ready.ok());
}

TEST_F(LifecycleTest, ListenersHearMergedChanges) {
  int notices = 0;
  std::vector<PluginRecord> last;
  const auto handle = manager_->onChanged([&](const std::vector<PluginRecord>& records) {
    ++notices;
    last = records;
  });
  installTodo();
  ASSERT_THAT(last, SizeIs(1));
  EXPECT_EQ(last.at(0).status, PluginStatus::kRunning);
  const auto before = notices;
  runtime_.latest().observer().onStall(10s, "");
  runtime_.latest().observer().onStall(20s, "");
  needConfiguration("x");
  EXPECT_LE(notices, before + 2);
  EXPECT_EQ(last.at(0).status, PluginStatus::kNeedsConfiguration);
}

TEST_F(LifecycleTest, OperationsOnUnknownPluginsAreRefused) {
  Answer<PluginRecord> get;
  Answer<PluginRecord> enable;
  Answer<std::vector<std::string>> remove;
  manager_->get("nobody", get.completion());
  manager_->setEnabled("nobody", true, enable.completion());
  manager_->remove("nobody", false, remove.completion());
  const auto reloaded = reload("nobody");
  EXPECT_EQ(get.error().code, errc::kUnknownPlugin);
  EXPECT_EQ(enable.error().code, errc::kUnknownPlugin);
  EXPECT_EQ(remove.error().code, errc::kUnknownPlugin);
  EXPECT_EQ(reloaded.error().code, errc::kUnknownPlugin);
}

}  // namespace
}  // namespace svc::plugins
