#include "agents.h"

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "svc/base/marked_processes.h"
#include "svc/common/codes.h"
#include "svc/hostprotocol/agent_limits.h"

#include "agents_fixture.h"

namespace svc::agentd {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(AgentsTest, AnAgentRunsAsItsUserWouldStartIt) {
  const auto opened = open(
      "a",
      R"({"turns":[[{"env":["KEY","SVC_THREAD_ID","SVC_SERVER_URL","SECRET_OF_DAEMON"]},{"cwd":true}]]})");
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  EXPECT_EQ(Json::parse(opened.value()).value()["providerThreadId"].asString(), "scripted-session");
  EXPECT_EQ(marks(), 1U);
  ASSERT_TRUE(prompt("a", "t1").ok());
  EXPECT_EQ(untilTold("a", "turn/completed")["status"].asString(), "completed");
  EXPECT_EQ(said("a"),
            "KEY=value\nSVC_THREAD_ID=thr_a\nSVC_SERVER_URL=http://server\nSECRET_OF_DAEMON=" +
                std::filesystem::canonical(directory_.path()).string());
}

TEST_F(AgentsTest, CommandsForNobodyAndNonsenseAreRefused) {
  for (const auto command : {&Agents::prompt, &Agents::answer, &Agents::set}) {
    EXPECT_EQ(ask(command, of("none")).error().code, errc::kNotFound);
  }
  EXPECT_EQ(ask(&Agents::cancel, of("none")).value(), R"({"cancelled":false})");
  EXPECT_EQ(ask(&Agents::close, of("none")).value(), R"({"closed":false})");
  EXPECT_EQ(ask(&Agents::open, of("a")).error().code, errc::kInvalidInput);
  EXPECT_EQ(ask(&Agents::resume, Json::object()).error().code, errc::kInvalidInput);
  EXPECT_EQ(ask(&Agents::open, wanted("a", "{}").set("cwd", "/nonexistent/x")).error().code,
            errc::kUnknownPath);
  EXPECT_EQ(ask(&Agents::open,
                wanted("b", "{}").set("agent", Json::object().set("command", "no-such-agent")))
                .error()
                .code,
            errc::kConflict);
  const auto unknown = ask(&Agents::open, wanted("c", "{}").set("agent", nullptr));
  EXPECT_THAT(unknown.error().message, HasSubstr("agents.mine.command"));
  for (const auto* text : {"", "[]", "{", R"({"sessionId":1})", R"({"sessionId":"a","seq":-1})"}) {
    agents_->acknowledge(text);
  }
  EXPECT_EQ(marks(), 0U);
}

TEST_F(AgentsTest, ASessionIdIsUsedOnce) {
  ASSERT_TRUE(open("a", "{}").ok());
  EXPECT_EQ(open("a", "{}").error().code, errc::kConflict);
}

// Twice is worse than not at all: what an agent does has effects.
TEST_F(AgentsTest, AMessageThatOneSessionHasHadIsGivenToNoOther) {
  ASSERT_TRUE(open("a", R"({"turns":[[{"text":"one"}]]})").ok());
  ASSERT_TRUE(prompt("a", "t1").ok());
  untilTold("a", "turn/completed");
  ASSERT_TRUE(open("b", R"({"turns":[[{"text":"two"}]]})").ok());
  EXPECT_TRUE(prompt("a", "t1").ok()) << "the answer is said again";
  const auto refused = prompt("b", "t1");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, errc::kConflict);
  EXPECT_THAT(refused.error().message, HasSubstr("has had this message"));
  EXPECT_TRUE(prompt("b", "t2").ok());
  EXPECT_EQ(untilTold("b", "turn/completed")["turnId"].asString(), "t2");
}

TEST_F(AgentsTest, AServerThatStoresNothingMakesTheAgentWait) {
  const std::string text(1000, 'x');
  ASSERT_TRUE(
      open("a",
           fmt::format(
               R"({{"turns":[[{{"repeat":{{"times":20000,"steps":[{{"text":"{}"}}]}}}}]]}})", text))
          .ok());
  ASSERT_TRUE(prompt("a", "t1").ok());
  until([&] { return said("a").size() > limits::kAgentUnacknowledged / 2; });
  for (int turn = 0; turn < 20; ++turn) {
    io_->restart();
    io_->run_for(std::chrono::milliseconds(10));
  }
  const auto stuck = said("a").size();
  EXPECT_LT(stuck, 2 * limits::kAgentUnacknowledged);
  acknowledge("a", last("a"));
  until([&] { return said("a").size() > stuck; });
}

TEST_F(AgentsTest, ClosingWhileItStartsLeavesNothing) {
  std::optional<Result<std::string>> opened;
  agents_->open(wanted("a", "{}").dump(),
                [&](Result<std::string> result) { opened = std::move(result); });
  EXPECT_EQ(ask(&Agents::close, of("a")).value(), R"({"closed":true})");
  until([&] { return opened.has_value(); });
  EXPECT_EQ(opened->error().code, errc::kAborted);
  EXPECT_EQ(untilTold("a", "session/ended")["reason"].asString(), "closed");
  until([&] { return marks() == 0; });
}

TEST_F(AgentsTest, WhatIsSaidToADaemonThatStopsIsHadByNoAgent) {
  ASSERT_TRUE(open("a", R"({"turns":[[{"text":"one"}]]})").ok());
  std::optional<Result<std::string>> opening;
  agents_->open(
      wanted(
          "b",
          R"({"capabilities":{"loadSession":true},"on":{"session/load":[{"stderr":"loading\n"},{"silence":true}]}})")
          .set("resume", "old")
          .dump(),
      [&](Result<std::string> result) { opening = std::move(result); });
  until([&] {
    const auto all = heard();
    return !all.empty() && all.back()["method"].asString() == "session/load";
  });
  bool stopped = false;
  agents_->shutDown([&](const Status&) { stopped = true; });
  ASSERT_TRUE(opening.has_value());
  EXPECT_EQ(opening->error().code, errc::kHostUnavailable) << "the next daemon opens it";
  EXPECT_EQ(opening->error().details, "") << "its session may well go on";
  EXPECT_EQ(prompt("a", "t1").error().code, errc::kNotFound) << "also before its agent has gone";
  EXPECT_EQ(open("c", "{}").error().code, errc::kHostUnavailable);
  until([&] { return stopped; });
  EXPECT_EQ(prompt("a", "t2").error().code, errc::kNotFound);
  EXPECT_EQ(untilTold("a", "session/ended")["reason"].asString(), "closed");
  EXPECT_THAT(told("a", "turn/started"), IsEmpty());
}

TEST_F(AgentsTest, ABusyMachineStartsNone) {
  workers_.full = true;
  EXPECT_EQ(open("a", "{}").error().code, errc::kOverloaded);
  EXPECT_EQ(ask(&Agents::listProviders, Json::object()).error().code, errc::kOverloaded);
  workers_.full = false;
}

TEST_F(AgentsTest, WhatAKilledDaemonHasLeftIsEnded) {
  const auto mark = base::randomHex(16);
  const auto runs = directory_.write("runs/" + mark, "");
  directory_.write("runs/notes.txt", "");
  auto environment = base::currentEnvironment();
  environment[base::kProcessMark] = mark;
  auto left = base::spawn({.argv = {"sleep", "1000"}, .environment = environment});
  ASSERT_TRUE(left.ok());
  makeStarter()->endLeftovers();
  EXPECT_TRUE(left.value().awaitEnd(std::chrono::seconds(20)));
  EXPECT_FALSE(std::filesystem::exists(runs));
  EXPECT_TRUE(std::filesystem::exists(directory_.path() / "runs/notes.txt"));
}

}  // namespace
}  // namespace svc::agentd
