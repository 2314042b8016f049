#include "svc/base/run.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <csignal>
#include <stop_token>
#include <thread>

#include <gmock/gmock.h>

#include "svc/base/stop_event.h"

namespace svc::base {
namespace {

using namespace std::chrono_literals;

constexpr auto kRunDeadline = 20s;

RunOptions shell(const std::string& text) {
  RunOptions options;
  options.program.argv = {"/bin/sh", "-c", text};
  options.time_limit = kRunDeadline;
  return options;
}

RunOutcome outcomeOf(const RunOptions& options) {
  auto outcome = run(options);
  EXPECT_TRUE(outcome.ok()) << outcome.error().message;
  return std::move(outcome).value();
}

TEST(RunTest, CollectsBothStreamsAndTheStatus) {
  const auto outcome = outcomeOf(shell("echo out; echo err >&2; exit 7"));
  EXPECT_EQ(outcome.end, RunEnd::kExited);
  EXPECT_EQ(outcome.status.code, 7);
  EXPECT_EQ(outcome.out, "out\n");
  EXPECT_EQ(outcome.err, "err\n");
}

TEST(RunTest, StreamsMayBeJoinedOrDropped) {
  auto options = shell("echo out; echo err >&2; echo more");
  options.capture = Capture::kJoined;
  EXPECT_EQ(outcomeOf(options).out, "out\nerr\nmore\n");
  options.capture = Capture::kOutput;
  EXPECT_EQ(outcomeOf(options).out, "out\nmore\n");
}

TEST(RunTest, ThereIsNothingToRead) { EXPECT_EQ(outcomeOf(shell("cat; echo done")).out, "done\n"); }

TEST(RunTest, TooMuchOutputEndsIt) {
  auto options = shell("yes");
  options.output_limit = 1000;
  const auto outcome = outcomeOf(options);
  EXPECT_EQ(outcome.end, RunEnd::kOverflow);
  EXPECT_EQ(outcome.out.size(), 1000U);
}

TEST(RunTest, AsMuchOutputAsIsAllowedIsFine) {
  auto options = shell("printf 12345");
  options.output_limit = 5;
  EXPECT_EQ(outcomeOf(options).end, RunEnd::kExited);
}

TEST(RunTest, OneEndOfALongOutputMayBeKept) {
  auto options = shell("seq 1 100000");
  options.output_limit = 6;
  options.overflow = Overflow::kKeepFirst;
  EXPECT_EQ(outcomeOf(options).out, "1\n2\n3\n");
  options.overflow = Overflow::kKeepLast;
  EXPECT_EQ(outcomeOf(options).out, "00000\n");
}

TEST(RunTest, TheTimeIsLimited) {
  auto options = shell("sleep 600");
  options.time_limit = 1ms;
  const auto outcome = outcomeOf(options);
  EXPECT_EQ(outcome.end, RunEnd::kTimeout);
  EXPECT_EQ(outcome.status.signal, SIGKILL);
}

TEST(RunTest, AnInterruptedProgramMayEndByItself) {
  auto options =
      shell("trap 'echo cleaned; exit 3' TERM; echo ready; echo >&9; while :; do sleep 0.01; done");
  auto ready = makePipe();
  options.program.passed = {{ready.value().write.get(), 9}};
  options.interrupt = ready.value().read.get();
  options.grace = kRunDeadline;
  const auto outcome = outcomeOf(options);
  EXPECT_EQ(outcome.end, RunEnd::kInterrupted);
  EXPECT_EQ(outcome.status.code, 3);
  EXPECT_EQ(outcome.out, "ready\ncleaned\n");
}

TEST(RunTest, AStopTokenInterrupts) {
  std::stop_source source;
  const StopEvent stopped(source.get_token());
  auto options = shell("sleep 600");
  options.interrupt = stopped.descriptor();
  std::thread stopper([&] { source.request_stop(); });
  const auto outcome = outcomeOf(options);
  stopper.join();
  EXPECT_EQ(outcome.end, RunEnd::kInterrupted);
}

TEST(RunTest, EndsWithTheProgramAndNotWithWhoKeepsItsStreams) {
  auto options = shell("sleep 600 & echo $!");
  const auto ended = outcomeOf(options);
  EXPECT_EQ(ended.end, RunEnd::kExited);
  options.descendants = Descendants::kLeave;
  const auto left = outcomeOf(options);
  const auto pid = std::stoi(left.out);
  EXPECT_EQ(::kill(pid, SIGKILL), 0);
}

TEST(RunTest, TellsThatItGoesOn) {
  const Fd interrupt(::eventfd(0, EFD_CLOEXEC));
  auto options = shell("sleep 600");
  options.interrupt = interrupt.get();
  options.tick = [&](auto /*elapsed*/) { ::eventfd_write(interrupt.get(), 1); };
  EXPECT_EQ(outcomeOf(options).end, RunEnd::kInterrupted);
}

TEST(RunTest, WhatCannotBeStartedIsAnError) {
  RunOptions options;
  options.program.argv = {"/does/not/exist"};
  EXPECT_EQ(run(options).error().code, errc::kNotFound);
}

}  // namespace
}  // namespace svc::base
