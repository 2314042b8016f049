// What services do to the status of their plugin, and what becomes of them at a disposal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"
#include "svc/common/limits/http.h"
#include "svc/common/limits/plugins.h"

#include "fixture.h"

namespace svc::plugins {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ServiceLifecycleTest : public ManagerFixture {
 protected:
  using Done = std::shared_ptr<Completion<std::string>>;
  /// Pending runs and stops, oldest first.
  std::vector<Done> runs_;
  std::vector<Done> stops_;
  /// What every start() answers; empty: it stays pending.
  std::string outcome_;
  bool stops_at_once_ = true;

  ServiceLifecycleTest() {
    runtime_.handle("plugin.load", [this](const script::Invocation&, Completion<std::string> done) {
      static_cast<void>(runtime_.latest().hostSync("service.register", "sync"));
      done(std::string());
    });
    runtime_.handle("service.run", [this](const script::Invocation&, Completion<std::string> done) {
      if (outcome_.empty()) {
        runs_.push_back(std::make_shared<Completion<std::string>>(std::move(done)));
      } else {
        done(outcome_);
      }
    });
    runtime_.handle(
        "service.stop", [this](const script::Invocation&, Completion<std::string> done) {
          if (stops_at_once_) {
            done(std::string());
          } else {
            stops_.push_back(std::make_shared<Completion<std::string>>(std::move(done)));
          }
        });
    runtime_.respond("service.turn", [](const std::string&, const std::string&) {
      return Result<std::string>(std::string());
    });
  }
  ~ServiceLifecycleTest() override {
    for (const auto& each : runtime_.environments) {
      each->end({});
    }
    runs_.clear();
    stops_.clear();
    settle();
  }
  PluginRecord disable() {
    Answer<PluginRecord> answer;
    manager_->setEnabled("todo", false, answer.completion());
    settle();
    return record();
  }
};

constexpr const char* kBoom = R"({"failed":true,"message":"boom","stack":"","outOfBand":false})";
constexpr const char* kWish =
    R"({"failed":true,"name":"NeedsConfigurationError","message":"add a key","stack":""})";

TEST_F(ServiceLifecycleTest, AServiceIsInTheRecord) {
  const auto shown = installTodo();
  EXPECT_EQ(shown.status, PluginStatus::kRunning);
  ASSERT_THAT(shown.services, SizeIs(1));
  EXPECT_EQ(shown.services.at(0).name, "sync");
  EXPECT_EQ(shown.services.at(0).state, ServiceState::kRunning);
  EXPECT_EQ(
      toJson(shown)["services"].dump(),
      R"([{"name":"sync","state":"running","restarts":0,"nextStartAt":null,"lastError":null}])");
}

TEST_F(ServiceLifecycleTest, ServicesStartAfterTheSwitch) {
  runtime_.handle("service.run", [this](const script::Invocation&, Completion<std::string> done) {
    EXPECT_TRUE(acquire().ok());
    runs_.push_back(std::make_shared<Completion<std::string>>(std::move(done)));
  });
  installTodo();
  EXPECT_THAT(calls(environment(0)), ElementsAre("plugin.load", "service.run", "service.turn"));
}

TEST_F(ServiceLifecycleTest, AFailedActivationIsAnErrorThatStaysLoadedAndHeals) {
  outcome_ = kBoom;
  const auto shown = installTodo();
  EXPECT_EQ(shown.status, PluginStatus::kError);
  EXPECT_EQ(shown.status_detail, R"(service "sync" failed during activation: boom)");
  EXPECT_EQ(shown.services.at(0).state, ServiceState::kBackoff);
  EXPECT_EQ(shown.last_error->source, "service:sync");
  EXPECT_EQ(shown.generation, 1U);
  EXPECT_TRUE(acquire().ok()) << "calls are answered whenever a generation is loaded";
  outcome_.clear();
  advance(1s);
  EXPECT_EQ(record().status, PluginStatus::kError);
  advance(limits::kBackoffSettle);
  EXPECT_EQ(record().status, PluginStatus::kRunning);
  EXPECT_EQ(record().status_detail, "");
  EXPECT_EQ(record().services.at(0).restarts, 1U);
}

TEST_F(ServiceLifecycleTest, ALaterFailureLeavesTheStatusAlone) {
  installTodo();
  (*runs_.at(0))(std::string(kBoom));
  settle();
  EXPECT_EQ(record().status, PluginStatus::kRunning);
  EXPECT_EQ(record().status_detail, "");
  EXPECT_EQ(record().services.at(0).state, ServiceState::kBackoff);
}

TEST_F(ServiceLifecycleTest, AServiceThatNeedsConfigurationSetsTheStatus) {
  installTodo();
  (*runs_.at(0))(std::string(kWish));
  settle();
  EXPECT_EQ(record().status, PluginStatus::kNeedsConfiguration);
  EXPECT_EQ(record().status_detail, "add a key");
  EXPECT_EQ(record().services.at(0).state, ServiceState::kStopped);
}

TEST_F(ServiceLifecycleTest, SavedSettingsReloadAPluginThatWaitsForThem) {
  outcome_ = kWish;
  EXPECT_EQ(installTodo().status, PluginStatus::kNeedsConfiguration);
  outcome_.clear();
  manager_->settingsSaved("todo");
  settle();
  EXPECT_EQ(record().status, PluginStatus::kRunning);
  EXPECT_EQ(record().generation, 2U);
}

TEST_F(ServiceLifecycleTest, SavedSettingsOnlyAnnounceAPluginThatRuns) {
  installTodo();
  int notices = 0;
  const auto listener = manager_->onChanged([&](const auto&) { ++notices; });
  manager_->settingsSaved("todo");
  manager_->settingsSaved("nobody");
  settle();
  EXPECT_EQ(record().generation, 1U);
  EXPECT_EQ(notices, 1);
}

TEST_F(ServiceLifecycleTest, AReloadStopsTheOldServiceBeforeTheNewOneStarts) {
  stops_at_once_ = false;
  installTodo();
  Answer<std::vector<ReloadOutcome>> reloaded;
  manager_->reload("todo", reloaded.completion());
  settle();
  EXPECT_THAT(calls(environment(0)),
              ElementsAre("plugin.load", "service.run", "service.turn", "service.stop"));
  EXPECT_THAT(calls(environment(1)), ElementsAre("plugin.load"));
  (*stops_.at(0))(std::string());
  settle();
  EXPECT_TRUE(reloaded.ok());
  EXPECT_THAT(calls(environment(0)),
              ElementsAre("plugin.load", "service.run", "service.turn", "service.stop",
                          "plugin.runHooks", "plugin.invalidate"));
  EXPECT_THAT(calls(environment(1)), ElementsAre("plugin.load", "service.run", "service.turn"));
}

TEST_F(ServiceLifecycleTest, AServiceThatDoesNotStopDegradesThePluginButHoldsNoLoad) {
  stops_at_once_ = false;
  installTodo();
  environment(0).terminate_at_once = false;
  Answer<std::vector<ReloadOutcome>> reloaded;
  manager_->reload("todo", reloaded.completion());
  advance(limits::kServiceStop);
  ASSERT_TRUE(reloaded.ok());
  EXPECT_FALSE(reloaded.value().at(0).failure);
  EXPECT_EQ(record().generation, 2U);
  EXPECT_EQ(record().status, PluginStatus::kDegraded);
  EXPECT_EQ(record().status_detail,
            R"(service "sync" did not finish within 5000 ms (limit serviceStop))");
  environment(0).end({});
  settle();
  EXPECT_EQ(record().status, PluginStatus::kRunning);
  EXPECT_EQ(record().status_detail, "");
}

TEST_F(ServiceLifecycleTest, AReloadAnswersWhenItIsKnownWhetherTheServicesStopped) {
  stops_at_once_ = false;
  std::vector<Completion<void>> sockets;
  const auto step = api_.addDisposeStep(
      DisposePhase::kCloseWebSockets,
      [&](const GenerationPtr&, Completion<void> done) { sockets.push_back(std::move(done)); });
  installTodo();
  environment(0).terminate_at_once = false;
  Answer<std::vector<ReloadOutcome>> reloaded;
  manager_->reload("todo", reloaded.completion());
  advance(limits::kHandover);
  EXPECT_EQ(record().generation, 2U) << "the switch does not wait";
  EXPECT_EQ(record().status, PluginStatus::kRunning);
  EXPECT_FALSE(reloaded.fired());
  advance(limits::kWsShutdown);
  ASSERT_TRUE(reloaded.ok());
  EXPECT_EQ(reloaded.value().at(0).record.status, PluginStatus::kDegraded);
}

TEST_F(ServiceLifecycleTest, ADisposalEndsTheBackoff) {
  outcome_ = kBoom;
  installTodo();
  EXPECT_EQ(disable().status, PluginStatus::kDisabled);
  EXPECT_THAT(record().services, IsEmpty());
  advance(2min);
  EXPECT_THAT(runtime_.environments, SizeIs(1));
  EXPECT_THAT(calls(environment(0)),
              ElementsAre("plugin.load", "service.run", "service.turn", "service.stop",
                          "service.stop", "plugin.runHooks", "plugin.invalidate"));
}

TEST_F(ServiceLifecycleTest, AServiceRegisteredLaterIsStarted) {
  installTodo();
  static_cast<void>(environment(0).hostSync("service.register", "late"));
  settle();
  ASSERT_THAT(record().services, SizeIs(2));
  EXPECT_EQ(record().services.at(1).name, "late");
  EXPECT_EQ(record().services.at(1).state, ServiceState::kRunning);
}

TEST_F(ServiceLifecycleTest, AFailedReloadKeepsTheServicesOfTheOldInstance) {
  installTodo();
  failFactories("broken");
  static_cast<void>(reload());
  EXPECT_EQ(record().status_detail, "reload failed: broken");
  EXPECT_EQ(record().services.at(0).state, ServiceState::kRunning);
  EXPECT_THAT(calls(environment(0)), ElementsAre("plugin.load", "service.run", "service.turn"));
}

TEST_F(ServiceLifecycleTest, AFailedReloadIsSaidBeforeWhatTheOldInstanceNeeds) {
  outcome_ = kWish;
  installTodo();
  failFactories("broken");
  static_cast<void>(reload());
  EXPECT_EQ(record().status, PluginStatus::kNeedsConfiguration);
  EXPECT_EQ(record().status_detail, "reload failed: broken");
}

TEST_F(ServiceLifecycleTest, AnEnvironmentThatEndsWhileItsServicesStartIsNoticed) {
  runtime_.handle("service.run", [this](const script::Invocation&, Completion<std::string> done) {
    runs_.push_back(std::make_shared<Completion<std::string>>(std::move(done)));
    runtime_.latest().end({script::TerminationReason::kProcessExit, 3, "", ""});
    (*runs_.back())(Error{errc::kPluginNotRunning, ""});
  });
  const auto shown = installTodo();
  EXPECT_EQ(shown.status, PluginStatus::kError);
  EXPECT_THAT(shown.status_detail, HasSubstr("process.exit(3)"));
  EXPECT_THAT(shown.services, IsEmpty());
}

}  // namespace
}  // namespace svc::plugins
