#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"

#include "fixture.h"

namespace svc::plugins {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class ShutdownTest : public ManagerFixture {
 protected:
  Answer<void> shutdown() {
    Answer<void> answer;
    manager_->shutdown(answer.completion());
    settle();
    return answer;
  }
};

TEST_F(ShutdownTest, RunsHooksAndEndsEveryEnvironment) {
  installTodo();
  EXPECT_TRUE(shutdown().ok());
  EXPECT_THAT(calls(environment(0)), Contains("plugin.runHooks"));
  EXPECT_EQ(environment(0).invocations.at(1).meta, R"({"hookMs":1000})");
  EXPECT_TRUE(environment(0).ended());
}

TEST_F(ShutdownTest, AbortsRunningCallsFirst) {
  installTodo();
  Answer<std::string> call;
  acquire().value()->invoke("rpc:x", {"rpc", "x", "", {}}, call.completion());
  const auto answer = shutdown();
  EXPECT_TRUE(environment(0).pending.front().invocation.stop.stop_requested());
  EXPECT_FALSE(answer.fired());
  environment(0).answer("rpc", std::string("aborted in time"));
  settle();
  EXPECT_EQ(call.value(), "aborted in time");
  EXPECT_TRUE(answer.ok());
}

TEST_F(ShutdownTest, ACallThatIgnoresItsSignalIsCutOff) {
  installTodo();
  Answer<std::string> call;
  acquire().value()->invoke("rpc:x", {"rpc", "x", "", {}}, call.completion());
  const auto answer = shutdown();
  advance(1500ms);
  EXPECT_TRUE(answer.ok());
  EXPECT_EQ(call.error().code, errc::kPluginNotRunning);
}

TEST_F(ShutdownTest, AnEnvironmentThatDoesNotEndDoesNotHoldTheServer) {
  installTodo();
  environment(0).terminate_at_once = false;
  const auto answer = shutdown();
  advance(1500ms);
  EXPECT_TRUE(answer.ok());
}

TEST_F(ShutdownTest, ALoadUnderWayIsEnded) {
  holdFactories();
  Answer<PluginRecord> installing;
  manager_->install(writePlugin().string(), installing.completion());
  settle();
  const auto answer = shutdown();
  EXPECT_TRUE(environment(0).ended());
  (*held_factories_.at(0))(Error{errc::kPluginNotRunning, "ended"});
  settle();
  EXPECT_TRUE(answer.ok());
  EXPECT_THAT(installing.value().status_detail, HasSubstr("the server is shutting down"));
}

TEST_F(ShutdownTest, AnInstanceAboutToBePublishedIsDisposedToo) {
  installTodo();
  Answer<std::string> call;
  acquire().value()->invoke("rpc:x", {"rpc", "x", "", {}}, call.completion());
  Answer<std::vector<ReloadOutcome>> reloading;
  manager_->reload("todo", reloading.completion());
  settle();
  const auto answer = shutdown();
  environment(0).answer("rpc", std::string());
  settle();
  EXPECT_TRUE(environment(1).ended());
  EXPECT_TRUE(answer.ok());
}

TEST_F(ShutdownTest, LaterOperationsAndCallsAreRefused) {
  installTodo();
  static_cast<void>(shutdown());
  EXPECT_EQ(acquire().error().code, errc::kPluginNotRunning);
  Answer<PluginRecord> answer;
  manager_->install(writePlugin().string(), answer.completion());
  settle();
  EXPECT_EQ(answer.error().code, errc::kUnavailable);
}

TEST_F(ShutdownTest, NothingIsLoadedAgainAfterwards) {
  installTodo();
  runtime_.latest().end({script::TerminationReason::kHeapLimit, 0, "", ""});
  settle();
  static_cast<void>(shutdown());
  advance(2min);
  EXPECT_THAT(runtime_.environments, SizeIs(1));
}

}  // namespace
}  // namespace svc::plugins
