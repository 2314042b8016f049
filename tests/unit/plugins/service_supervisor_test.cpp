#include "service_supervisor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"
#include "svc/common/limits/plugins.h"

#include "backoff.h"
#include "fixture.h"

namespace svc::plugins {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

TEST(BackoffTest, DoublesFromASecondToAMinute) {
  std::vector<std::chrono::milliseconds> delays;
  for (unsigned attempt = 0; attempt < 8; ++attempt) {
    delays.push_back(backoffDelay(attempt, 0));
  }
  EXPECT_THAT(delays, ElementsAre(1s, 2s, 4s, 8s, 16s, 32s, 60s, 60s));
  EXPECT_EQ(backoffDelay(1'000'000, 0), 60s);
}

TEST(BackoffTest, IsShorterByUpToATenth) {
  EXPECT_EQ(backoffDelay(0, 0.5), 950ms);
  EXPECT_EQ(backoffDelay(9, 1), 54s);
}

/// The services of one generation; the test plays the environment.
class ServiceSupervisorTest : public ManagerFixture {
 protected:
  using Done = std::shared_ptr<Completion<std::string>>;

  std::shared_ptr<Meters> meters_ = std::make_shared<Meters>();
  std::shared_ptr<Generation> generation_ = std::make_shared<Generation>(
      "todo", 7, 3, meters_,
      GenerationContext{clock_, shared_logs_, shared_map_, [](const auto&) {}});
  std::shared_ptr<ServiceSupervisor> services_ = std::make_shared<ServiceSupervisor>(
      generation_,
      ServiceSupervisor::Context{main_, clock_, [this] { return share_; }, [this] { ++changes_; }});
  double share_ = 0;
  int changes_ = 0;
  std::vector<std::string> started_;
  std::vector<std::string> stopped_;
  std::map<std::string, Done> runs_;
  std::map<std::string, Done> stops_;
  /// False: a stop is answered by the test.
  bool stops_at_once_ = true;

  ServiceSupervisorTest() {
    loaded_.add("todo", meters_);
    logs_.attach("todo");
    script::InstanceOptions options;
    options.observer = generation_->observer();
    runtime_.create(std::move(options),
                    [this](Result<std::shared_ptr<script::IScriptInstance>> instance) {
                      generation_->attach(std::move(instance).value());
                    });
    auto& environment = runtime_.latest();
    environment.handle(
        "service.run", [this](const script::Invocation& call, Completion<std::string> done) {
          started_.push_back(call.meta);
          runs_[call.meta] = std::make_shared<Completion<std::string>>(std::move(done));
        });
    environment.handle(
        "service.stop", [this](const script::Invocation& call, Completion<std::string> done) {
          stopped_.push_back(call.meta);
          if (stops_at_once_) {
            done(std::string());
          } else {
            stops_[call.meta] = std::make_shared<Completion<std::string>>(std::move(done));
          }
        });
    environment.respond("service.turn", [](const std::string&, const std::string&) {
      return Result<std::string>(std::string());
    });
  }
  ~ServiceSupervisorTest() override {
    services_->close();
    runs_.clear();
    stops_.clear();
    settle();
  }

  void registerService(const std::string& name) { generation_->addService(name); }
  Answer<void> activate() {
    Answer<void> answer;
    services_->activate(answer.completion());
    settle();
    return answer;
  }
  /// Registers, activates, and leaves the service running.
  void activateOne(const std::string& name = "sync") {
    registerService(name);
    ASSERT_TRUE(activate().ok());
  }
  void end(const std::string& name = "sync") {
    (*runs_.at(name))(std::string("{}"));
    settle();
  }
  static std::string failureText(const std::string& message, bool out_of_band = false,
                                 const std::string& name = "") {
    return common::Json::object()
        .set("failed", true)
        .set("name", name)
        .set("message", message)
        .set("stack", "at server.ts:7")
        .set("outOfBand", out_of_band)
        .dump();
  }
  void fail(const std::string& name = "sync", const std::string& message = "boom") {
    (*runs_.at(name))(failureText(message));
    settle();
  }
  /// Activates services of which these fail before the turn is over.
  void activateFailing(const std::map<std::string, std::string>& failures) {
    runtime_.latest().handle(
        "service.turn", [this](const script::Invocation&, Completion<std::string> done) {
          runs_["turn"] = std::make_shared<Completion<std::string>>(std::move(done));
        });
    services_->activate({});
    for (const auto& [name, message] : failures) {
      fail(name, message);
    }
    end("turn");
  }
  ServiceInfo info(std::size_t index = 0) { return services_->records().at(index); }
};

TEST_F(ServiceSupervisorTest, NothingIsAskedOfAnEnvironmentWithoutServices) {
  EXPECT_TRUE(activate().ok());
  EXPECT_THAT(runtime_.latest().invocations, IsEmpty());
  EXPECT_THAT(services_->records(), IsEmpty());
}

TEST_F(ServiceSupervisorTest, ActivationStartsEveryServiceInOrderAndWaitsATurn) {
  runtime_.latest().handle(
      "service.turn", [this](const script::Invocation&, Completion<std::string> done) {
        runs_["turn"] = std::make_shared<Completion<std::string>>(std::move(done));
      });
  registerService("b");
  registerService("a");
  const auto activation = activate();
  EXPECT_THAT(started_, ElementsAre("b", "a"));
  EXPECT_THAT(calls(runtime_.latest()), ElementsAre("service.run", "service.run", "service.turn"));
  EXPECT_FALSE(activation.fired());
  EXPECT_FALSE(services_->activated());
  end("turn");
  EXPECT_TRUE(activation.ok());
  EXPECT_TRUE(services_->activated());
  EXPECT_EQ(info(0).name, "b");
  EXPECT_EQ(info(0).state, ServiceState::kRunning);
  EXPECT_EQ(info(1).state, ServiceState::kRunning);
}

TEST_F(ServiceSupervisorTest, AStartThatBlocksTheLoopDoesNotHoldTheLoad) {
  runtime_.latest().handle(
      "service.turn", [this](const script::Invocation&, Completion<std::string> done) {
        runs_["turn"] = std::make_shared<Completion<std::string>>(std::move(done));
      });
  registerService("sync");
  const auto activation = activate();
  advance(limits::kWatchdog - 1ms);
  EXPECT_FALSE(activation.fired());
  advance(1ms);
  EXPECT_TRUE(activation.ok());
  EXPECT_EQ(services_->activationFailure(), "");
}

TEST_F(ServiceSupervisorTest, AStartThatResolvesStopsTheServiceForGood) {
  activateOne();
  end();
  EXPECT_EQ(info().state, ServiceState::kStopped);
  EXPECT_FALSE(info().last_error);
  advance(2min);
  EXPECT_THAT(started_, SizeIs(1));
  EXPECT_THAT(stopped_, IsEmpty()) << "its signal is left alone until it is disposed";
}

TEST_F(ServiceSupervisorTest, AFailureGoesToBackoffAndStartsAgain) {
  activateOne();
  advance(10s);
  fail();
  EXPECT_EQ(info().state, ServiceState::kBackoff);
  EXPECT_EQ(info().last_error->message, "boom");
  EXPECT_EQ(info().last_error->at, clock_.nowMs());
  EXPECT_EQ(info().next_start_at, clock_.nowMs() + 1000);
  EXPECT_EQ(info().restarts, 0U);
  advance(999ms);
  EXPECT_THAT(started_, SizeIs(1));
  advance(1ms);
  EXPECT_THAT(started_, SizeIs(2));
  EXPECT_EQ(info().state, ServiceState::kRunning);
  EXPECT_EQ(info().restarts, 1U);
  EXPECT_FALSE(info().next_start_at);
  EXPECT_EQ(info().last_error->message, "boom") << "the last error stays for the reader";
}

TEST_F(ServiceSupervisorTest, DelaysGrowWithEveryFailureAndResetAfterHealth) {
  activateOne();
  for (const auto delay : {1s, 2s, 4s, 8s, 16s, 32s, 60s, 60s}) {
    fail();
    const auto starts = started_.size();
    advance(delay - 1ms);
    EXPECT_THAT(started_, SizeIs(starts)) << delay.count();
    advance(1ms);
    EXPECT_THAT(started_, SizeIs(starts + 1)) << delay.count();
  }
  advance(limits::kBackoffReset - 1ms);
  fail();
  EXPECT_EQ(info().next_start_at, clock_.nowMs() + 60'000) << "not quite healthy";
  advance(60s);
  advance(limits::kBackoffReset);
  fail();
  EXPECT_EQ(info().next_start_at, clock_.nowMs() + 1000);
  EXPECT_EQ(info().restarts, 9U);
}

TEST_F(ServiceSupervisorTest, DelaysHaveJitter) {
  share_ = 0.5;
  activateOne();
  fail();
  EXPECT_EQ(info().next_start_at, clock_.nowMs() + 950);
}

TEST_F(ServiceSupervisorTest, AFailureIsInTheLogAndInTheLastErrorWithItsService) {
  activateOne();
  fail();
  EXPECT_THAT(logMessages(), Contains(R"(service "sync" failed: boom)"));
  const auto meters = meters_->snapshot();
  EXPECT_EQ(meters.last_error->source, "service:sync");
  EXPECT_EQ(meters.last_error->message, "boom");
  EXPECT_EQ(meters.last_error->stack, "at server.ts:7");
  EXPECT_EQ(meters.counters.out_of_band_errors, 0U);
}

TEST_F(ServiceSupervisorTest, WhatEscapedFromACallbackIsCountedAsWell) {
  activateOne();
  (*runs_.at("sync"))(failureText("in a timer", true));
  settle();
  EXPECT_EQ(info().state, ServiceState::kBackoff);
  EXPECT_EQ(meters_->snapshot().counters.out_of_band_errors, 1U);
  EXPECT_EQ(meters_->snapshot().last_error->source, "service:sync");
}

TEST_F(ServiceSupervisorTest, AFailedRunHasTimeToStopBeforeTheRestartIsScheduled) {
  stops_at_once_ = false;
  activateOne();
  fail();
  EXPECT_THAT(stopped_, ElementsAre("sync"));
  EXPECT_EQ(info().state, ServiceState::kBackoff);
  EXPECT_FALSE(info().next_start_at);
  advance(3s);
  (*stops_.at("sync"))(std::string());
  settle();
  EXPECT_EQ(info().next_start_at, clock_.nowMs() + 1000);
  EXPECT_THAT(logMessages(), Not(Contains(HasSubstr("did not stop"))));
}

TEST_F(ServiceSupervisorTest, AFailedRunThatDoesNotStopIsNotWaitedForLongerThanItsLimit) {
  stops_at_once_ = false;
  activateOne();
  fail();
  advance(limits::kServiceStop - 1ms);
  EXPECT_FALSE(info().next_start_at);
  advance(1ms);
  EXPECT_EQ(info().next_start_at, clock_.nowMs() + 1000);
  EXPECT_THAT(
      logMessages(),
      Contains(HasSubstr(
          R"(service "sync" did not stop within 5000 ms after it failed (limit serviceStop))")));
  advance(1s);
  EXPECT_EQ(info().state, ServiceState::kRunning);
  (*stops_.at("sync"))(std::string());
  settle();
  EXPECT_EQ(info().state, ServiceState::kRunning) << "a late stop changes nothing";
}

TEST_F(ServiceSupervisorTest, TheTimeItTakesToStopIsNotHealth) {
  stops_at_once_ = false;
  activateOne();
  advance(limits::kBackoffReset - 1s);
  fail();
  advance(limits::kServiceStop);
  advance(1s);
  fail();
  advance(limits::kServiceStop);
  EXPECT_EQ(info().next_start_at, clock_.nowMs() + 2000);
}

TEST_F(ServiceSupervisorTest, NeedsConfigurationStopsTheServiceAndTellsThePlugin) {
  activateOne();
  (*runs_.at("sync"))(failureText("add a key", false, "NeedsConfigurationError"));
  settle();
  EXPECT_EQ(info().state, ServiceState::kStopped);
  EXPECT_EQ(info().last_error->message, "add a key");
  EXPECT_EQ(generation_->needsConfiguration(), "add a key");
  EXPECT_THAT(stopped_, ElementsAre("sync"));
  advance(2min);
  EXPECT_THAT(started_, SizeIs(1));
  EXPECT_FALSE(meters_->snapshot().last_error) << "a wish is not an error of the plugin";
}

TEST_F(ServiceSupervisorTest, AFailureDuringActivationIsNamed) {
  registerService("good");
  registerService("bad");
  runtime_.latest().handle(
      "service.turn", [this](const script::Invocation&, Completion<std::string> done) {
        runs_["turn"] = std::make_shared<Completion<std::string>>(std::move(done));
      });
  const auto activation = activate();
  fail("bad", "no network");
  end("turn");
  EXPECT_TRUE(activation.ok());
  EXPECT_EQ(services_->activationFailure(),
            R"(service "bad" failed during activation: no network)");
  EXPECT_EQ(info(1).state, ServiceState::kBackoff) << "like any other failure";
}

TEST_F(ServiceSupervisorTest, ARestartThatHoldsClearsTheFailedActivation) {
  registerService("sync");
  activateFailing({{"sync", "boom"}});
  advance(1s);
  EXPECT_EQ(info().state, ServiceState::kRunning);
  advance(limits::kBackoffSettle - 1ms);
  EXPECT_THAT(services_->activationFailure(), Not(IsEmpty()));
  const auto before = changes_;
  advance(1ms);
  EXPECT_THAT(services_->activationFailure(), IsEmpty());
  EXPECT_GT(changes_, before);
}

TEST_F(ServiceSupervisorTest, ARestartThatFailsKeepsTheFailedActivation) {
  registerService("sync");
  activateFailing({{"sync", "boom"}});
  advance(1s);
  advance(limits::kBackoffSettle - 1ms);
  fail("sync", "again");
  advance(1s);
  EXPECT_EQ(services_->activationFailure(), R"(service "sync" failed during activation: boom)");
  advance(1s);
  advance(limits::kBackoffSettle);
  EXPECT_THAT(services_->activationFailure(), IsEmpty());
}

TEST_F(ServiceSupervisorTest, EveryFailedServiceMustHoldForTheActivationToBeClear) {
  registerService("a");
  registerService("b");
  activateFailing({{"a", "one"}, {"b", "two"}});
  advance(1s);
  fail("b", "two again");
  advance(limits::kBackoffSettle);
  EXPECT_EQ(services_->activationFailure(), R"(service "b" failed during activation: two)");
}

TEST_F(ServiceSupervisorTest, ALaterFailureIsNoFailedActivation) {
  activateOne();
  fail();
  EXPECT_THAT(services_->activationFailure(), IsEmpty());
}

TEST_F(ServiceSupervisorTest, AServiceRegisteredLaterStartsAtOnce) {
  activateOne();
  registerService("late");
  services_->update();
  EXPECT_THAT(started_, ElementsAre("sync", "late"));
  fail("late");
  EXPECT_THAT(services_->activationFailure(), IsEmpty());
}

TEST_F(ServiceSupervisorTest, NothingStartsBeforeTheActivation) {
  registerService("sync");
  services_->update();
  EXPECT_THAT(started_, IsEmpty());
}

TEST_F(ServiceSupervisorTest, AnEnvironmentThatEndsStopsItsServices) {
  activateOne();
  runtime_.latest().end({script::TerminationReason::kProcessExit, 1, "", ""});
  (*runs_.at("sync"))(Error{errc::kPluginNotRunning, "the environment has ended"});
  settle();
  EXPECT_EQ(info().state, ServiceState::kStopped);
  EXPECT_FALSE(info().last_error);
  EXPECT_FALSE(meters_->snapshot().last_error);
}

TEST_F(ServiceSupervisorTest, ACallThatIsNotTakenIsAFailure) {
  activateOne();
  (*runs_.at("sync"))(Error{errc::kOverloaded, "too many calls"});
  settle();
  EXPECT_EQ(info().state, ServiceState::kBackoff);
  EXPECT_EQ(info().last_error->message, "too many calls");
}

TEST_F(ServiceSupervisorTest, ClosingCancelsRestartsAndIgnoresWhatStillAnswers) {
  registerService("waiting");
  activateOne("running");
  fail("waiting");
  services_->close();
  EXPECT_EQ(info(0).state, ServiceState::kStopped);
  EXPECT_EQ(info(1).state, ServiceState::kStopped);
  EXPECT_FALSE(info(0).next_start_at);
  fail("running");
  registerService("late");
  services_->update();
  advance(5min);
  EXPECT_THAT(started_, SizeIs(2));
  EXPECT_EQ(info(1).state, ServiceState::kStopped);
  EXPECT_FALSE(info(1).last_error);
}

TEST_F(ServiceSupervisorTest, AStopCompletesWhenTheRunHasSettledOrIsGone) {
  stops_at_once_ = false;
  activateOne();
  services_->close();
  Answer<void> stopped;
  services_->stop("sync", stopped.completion());
  settle();
  EXPECT_FALSE(stopped.fired());
  (*stops_.at("sync"))(std::string());
  settle();
  EXPECT_TRUE(stopped.ok());
  runtime_.latest().end({});
  Answer<void> after_end;
  services_->stop("sync", after_end.completion());
  settle();
  EXPECT_TRUE(after_end.ok());
}

}  // namespace
}  // namespace svc::plugins
