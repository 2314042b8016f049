#include "generation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"

#include "fixture.h"

namespace svc::plugins {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// One generation over a fake environment, without a manager in between.
class GenerationTest : public ManagerFixture {
 protected:
  std::shared_ptr<Meters> meters_ = std::make_shared<Meters>();
  int changes_ = 0;
  std::shared_ptr<Generation> generation_ = std::make_shared<Generation>(
      "todo", 7, 3, meters_,
      GenerationContext{clock_, shared_logs_, shared_map_, [this](const auto&) { ++changes_; }});

  GenerationTest() {
    loaded_.add("todo", meters_);
    logs_.attach("todo");
    script::InstanceOptions options;
    options.observer = generation_->observer();
    runtime_.create(std::move(options),
                    [this](Result<std::shared_ptr<script::IScriptInstance>> instance) {
                      generation_->attach(std::move(instance).value());
                    });
  }
  Answer<std::string> invoke(std::string source = "rpc:add", std::stop_token stop = {}) {
    Answer<std::string> answer;
    generation_->invoke(std::move(source), {"rpc", "add", "{}", std::move(stop)},
                        answer.completion());
    return answer;
  }
};

TEST_F(GenerationTest, KeepsRegistrationsAsValues) {
  EXPECT_TRUE(generation_->registration("cli").isNull());
  generation_->setRegistration("cli", common::Json::object().set("name", "todo"));
  EXPECT_EQ(generation_->registration("cli")["name"].asString(), "todo");
}

TEST_F(GenerationTest, CallsOfTheServiceItselfAreInNoStatistics) {
  const auto answered = invoke("");
  runtime_.latest().answer("rpc", std::string("1"));
  EXPECT_EQ(answered.value(), "1");
  const auto failed = invoke("");
  runtime_.latest().answer("rpc", Error{errc::kHandlerError, "no"});
  EXPECT_EQ(failed.error().message, "no");
  const auto lost = invoke("");
  EXPECT_EQ(generation_->inFlight(), 1U) << "a disposal waits for it";
  runtime_.latest().end({script::TerminationReason::kProcessExit, 0, "", ""});
  EXPECT_EQ(lost.error().code, errc::kPluginNotRunning);
  const auto seen = meters_->snapshot();
  EXPECT_EQ(seen.handlers.count, 0U);
  EXPECT_EQ(seen.handlers.error_count, 0U);
  EXPECT_FALSE(seen.last_error);
}

TEST_F(GenerationTest, CountsCallsAndTheirTime) {
  const auto answer = invoke();
  main_.advance(40ms);
  runtime_.latest().answer("rpc", std::string("1"));
  EXPECT_EQ(answer.value(), "1");
  const auto stats = meters_->snapshot().handlers;
  EXPECT_EQ(stats.count, 1U);
  EXPECT_DOUBLE_EQ(stats.total_ms, 40);
  EXPECT_DOUBLE_EQ(stats.max_ms, 40);
  EXPECT_EQ(stats.error_count, 0U);
}

TEST_F(GenerationTest, TheTimeOfAHandlerEndsWhenItReturnsNotWithItsStream) {
  std::stop_source returned;
  Answer<std::string> answer;
  generation_->invokeStreaming("http:GET /feed", {"http.request", "", "", {}}, returned.get_token(),
                               answer.completion());
  main_.advance(5ms);
  returned.request_stop();
  EXPECT_EQ(meters_->snapshot().handlers.count, 1U);
  main_.advance(std::chrono::hours(1));
  EXPECT_EQ(generation_->inFlight(), 1U);
  runtime_.latest().answer("http.request", std::string());
  EXPECT_TRUE(answer.fired());
  const auto stats = meters_->snapshot().handlers;
  EXPECT_EQ(stats.count, 1U);
  EXPECT_DOUBLE_EQ(stats.total_ms, 5);
  EXPECT_EQ(stats.error_count, 0U);
}

TEST_F(GenerationTest, AStreamThatFailsIsAnErrorOfACallThatWasCounted) {
  std::stop_source returned;
  generation_->invokeStreaming("http:GET /feed", {"http.request", "", "", {}}, returned.get_token(),
                               {});
  returned.request_stop();
  runtime_.latest().answer("http.request", Error{errc::kHandlerError, "broke"});
  const auto meters = meters_->snapshot();
  EXPECT_EQ(meters.handlers.count, 1U);
  EXPECT_EQ(meters.handlers.error_count, 1U);
  EXPECT_EQ(meters.last_error->source, "http:GET /feed");
}

TEST_F(GenerationTest, AFailureOfThePluginIsItsLastError) {
  const auto answer = invoke("rpc:todos_add");
  runtime_.latest().answer("rpc", Error{errc::kHandlerError, "boom", R"({"hint":1})"});
  EXPECT_EQ(answer.error().code, errc::kHandlerError);
  EXPECT_EQ(answer.error().details, R"({"hint":1,"pluginId":"todo"})");
  const auto meters = meters_->snapshot();
  EXPECT_EQ(meters.handlers.error_count, 1U);
  EXPECT_EQ(meters.last_error->message, "boom");
  EXPECT_EQ(meters.last_error->source, "rpc:todos_add");
}

TEST_F(GenerationTest, AFailureOfTheCallerIsNot) {
  static_cast<void>(invoke());
  runtime_.latest().answer("rpc", Error{errc::kInvalidInput, "no title"});
  EXPECT_EQ(meters_->snapshot().handlers.error_count, 0U);
  EXPECT_FALSE(meters_->snapshot().last_error);
}

TEST_F(GenerationTest, ACallIsInFlightUntilItsAnswerWasDelivered) {
  std::size_t during = 0;
  generation_->invoke("rpc:x", {"rpc", "x", "", {}},
                      [&](const Result<std::string>&) { during = generation_->inFlight(); });
  Answer<void> idle;
  generation_->whenIdle(idle.completion());
  EXPECT_FALSE(idle.fired());
  runtime_.latest().answer("rpc", std::string());
  EXPECT_EQ(during, 1U);
  EXPECT_EQ(generation_->inFlight(), 0U);
  EXPECT_TRUE(idle.ok());
}

TEST_F(GenerationTest, ALeaseIsInFlightUntilItIsGivenBack) {
  auto lease = generation_->lease();
  Answer<void> idle;
  generation_->whenIdle(idle.completion());
  EXPECT_FALSE(idle.fired());
  lease.reset();
  EXPECT_TRUE(idle.fired());
}

TEST_F(GenerationTest, TheStackOfAThrownErrorIsKeptAndLogged) {
  const auto answer = invoke();
  generation_->noteHandlerError({"Error", "no tea", "at server.ts:4", "", ""});
  runtime_.latest().answer("rpc", Error{errc::kHandlerError, "no tea"});
  const auto error = meters_->snapshot().last_error;
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->stack, "at server.ts:4");
  EXPECT_EQ(error->source, "rpc:add");
  EXPECT_THAT(logMessages(), Contains("rpc:add failed: no tea"));
}

TEST_F(GenerationTest, WhatFailedIsNamedOnceInTheLog) {
  const auto fails = [this](const char* source, const char* message) {
    const auto answer = invoke(source);
    runtime_.latest().answer("rpc", Error{errc::kHandlerError, message});
    return logMessages().back();
  };
  EXPECT_EQ(fails("tool:throws", "Tool throws failed: broken"), "tool:throws failed: broken");
  EXPECT_EQ(fails("agents.configure", "agents.configure failed: broken"),
            "agents.configure failed: broken");
  EXPECT_EQ(fails("agents.configure", "agents.configure returned a number"),
            "agents.configure returned a number");
  EXPECT_EQ(fails("rpc:add", "rpc broken"), "rpc:add failed: rpc broken");
}

TEST_F(GenerationTest, ServiceCallsAreNotCounted) {
  generation_->call("plugin.custom", "", {});
  EXPECT_EQ(generation_->inFlight(), 0U);
  EXPECT_EQ(meters_->snapshot().handlers.count, 0U);
}

TEST_F(GenerationTest, TheSignalFollowsTheCaller) {
  std::stop_source caller;
  static_cast<void>(invoke("rpc:x", caller.get_token()));
  const auto stop = runtime_.latest().pending.front().invocation.stop;
  EXPECT_FALSE(stop.stop_requested());
  caller.request_stop();
  EXPECT_TRUE(stop.stop_requested());
}

TEST_F(GenerationTest, TheSignalFollowsTheGeneration) {
  static_cast<void>(invoke());
  const auto stop = runtime_.latest().pending.front().invocation.stop;
  generation_->abortCalls();
  EXPECT_TRUE(stop.stop_requested());
}

TEST_F(GenerationTest, CallsAfterTheEndAreRefused) {
  Answer<void> gone;
  generation_->terminate("test", gone.completion());
  EXPECT_TRUE(gone.ok());
  EXPECT_EQ(invoke().error().code, errc::kPluginNotRunning);
  EXPECT_EQ(generation_->inFlight(), 0U);
}

TEST_F(GenerationTest, ACallThatDiesOfALimitNamesIt) {
  // An environment answers its calls before it tells of its end; one that is given up does not answer them at all.
  const auto answer = invoke();
  const auto given_up = invoke();
  runtime_.latest().answer("rpc", Error{errc::kPluginNotRunning, script::kEnvironmentEnded});
  EXPECT_FALSE(answer.fired());
  EXPECT_EQ(generation_->inFlight(), 2U);
  runtime_.latest().observer().onEnded(
      {script::TerminationReason::kHeapLimit, 0, "the heap reached its limit", ""});
  for (const auto& each : {answer, given_up}) {
    EXPECT_THAT(each.error().message,
                HasSubstr("stopped before the call was answered: the heap reached its limit"));
  }
  EXPECT_EQ(generation_->inFlight(), 0U);
}

TEST_F(GenerationTest, OneThatIsEndedForItsMemorySaysThatWhateverTheEnvironmentTells) {
  const auto answer = invoke();
  EXPECT_TRUE(generation_->endForMemory("it held most"));
  EXPECT_THAT(answer.error().message,
              HasSubstr("stopped before the call was answered: it held most"));
  EXPECT_EQ(changes_, 1);
  runtime_.latest().end({script::TerminationReason::kRequested, 0, "", ""});
  ASSERT_TRUE(generation_->termination());
  EXPECT_EQ(generation_->termination()->reason, script::TerminationReason::kHeapLimit);
  EXPECT_EQ(generation_->termination()->message, "it held most");
  EXPECT_EQ(changes_, 1);
  EXPECT_FALSE(generation_->endForMemory("again"));
}

TEST_F(GenerationTest, TheEndOfTheEnvironmentFailsCallsAndIsKept) {
  const auto answer = invoke();
  runtime_.latest().end({script::TerminationReason::kProcessExit, 3, "", ""});
  EXPECT_EQ(answer.error().code, errc::kPluginNotRunning);
  EXPECT_THAT(answer.error().message, HasSubstr("stopped before the call was answered"));
  EXPECT_THAT(answer.error().details, HasSubstr(R"("status":"error")"));
  ASSERT_TRUE(generation_->termination());
  EXPECT_EQ(generation_->termination()->exit_code, 3);
  EXPECT_EQ(changes_, 1);
}

TEST_F(GenerationTest, OutOfBandErrorsAreLoggedCountedAndKept) {
  runtime_.latest().observer().onUncaughtError(
      {"TypeError", "x is null", "TypeError: x is null\n at server.ts:4", "", ""}, "timer");
  const auto meters = meters_->snapshot();
  EXPECT_EQ(meters.counters.out_of_band_errors, 1U);
  EXPECT_EQ(meters.last_error->source, "timer");
  EXPECT_THAT(meters.last_error->stack, HasSubstr("server.ts:4"));
  EXPECT_THAT(logMessages(), ElementsAre("uncaught timer error: TypeError: x is null"));
}

TEST_F(GenerationTest, AStallLastsUntilACallIsAnswered) {
  runtime_.latest().observer().onStall(10s, "at server.ts:9");
  EXPECT_EQ(generation_->stall(),
            "the event loop has not answered for 10 s; it is blocked at server.ts:9");
  EXPECT_EQ(meters_->snapshot().counters.watchdog_stalls, 1U);
  static_cast<void>(invoke());
  runtime_.latest().answer("rpc", std::string());
  EXPECT_EQ(generation_->stall(), "");
  EXPECT_EQ(changes_, 2);
}

TEST_F(GenerationTest, AStallEndsWhenTheLoopTurnsAgain) {
  runtime_.latest().observer().onStall(10s, "    at node:fs:1:1\n    at spin (/x/server.ts:7:3)");
  EXPECT_THAT(generation_->stall(), HasSubstr("it is blocked at spin (/x/server.ts:7:3)"));
  runtime_.latest().answer("plugin.answering", Error{errc::kUnknownFunction, "nobody"});
  EXPECT_EQ(generation_->stall(), "");
}

TEST_F(GenerationTest, ConsoleLinesKeepWarnAndError) {
  auto& observer = runtime_.latest().observer();
  observer.onConsole("debug", "quiet");
  observer.onConsole("warn", "loud");
  Answer<LogPage> page;
  logs_.read("todo", {.tail = 10, .after = {}, .level = "warn"}, page.completion());
  settle();
  ASSERT_EQ(page.value().lines.size(), 1U);
  EXPECT_THAT(page.value().lines[0],
              HasSubstr(R"("level":"warn","generation":3,"source":"server","message":"loud")"));
}

TEST_F(GenerationTest, ProblemsAreLoggedAndListed) {
  generation_->addProblem({"unknown_field", "settings.define: unknown field"});
  EXPECT_EQ(generation_->problems().at(0).code, "unknown_field");
  EXPECT_THAT(logMessages(), Contains("settings.define: unknown field"));
}

TEST_F(GenerationTest, AnEnvironmentThatWasGivenUpLeavesNoCallBehind) {
  const auto answer = invoke();
  Answer<void> idle;
  generation_->whenIdle(idle.completion());
  runtime_.latest().observer().onEnded({script::TerminationReason::kWatchdog, 0, "stuck", ""});
  EXPECT_EQ(answer.error().code, errc::kPluginNotRunning);
  EXPECT_TRUE(idle.ok());
  // Its thread comes back after all.
  runtime_.latest().answer("rpc", std::string("1"));
  EXPECT_EQ(answer.error().code, errc::kPluginNotRunning);
  EXPECT_EQ(generation_->inFlight(), 0U);
  EXPECT_EQ(meters_->snapshot().handlers.count, 1U);
  EXPECT_EQ(meters_->snapshot().handlers.error_count, 1U);
}

TEST_F(GenerationTest, ACallThatEndsWithItsEnvironmentIsAnError) {
  const auto answer = invoke();
  runtime_.latest().end({script::TerminationReason::kProcessExit, 3, "", ""});
  EXPECT_EQ(answer.error().code, errc::kPluginNotRunning);
  const auto seen = meters_->snapshot();
  EXPECT_EQ(seen.handlers.count, 1U);
  EXPECT_EQ(seen.handlers.error_count, 1U);
  // What ended it is told by its end.
  EXPECT_FALSE(seen.last_error.has_value());
}

TEST_F(GenerationTest, AShortStallIsNotZeroSeconds) {
  runtime_.latest().observer().onStall(500ms, "");
  EXPECT_EQ(generation_->stall(), "the event loop has not answered for 0.5 s");
}

TEST_F(GenerationTest, TheObserverDoesNotKeepItAlive) {
  const std::weak_ptr<Generation> weak = generation_;
  const auto observer = generation_->observer();
  generation_.reset();
  EXPECT_TRUE(weak.expired());
  observer->onEnded({});
}

}  // namespace
}  // namespace svc::plugins
