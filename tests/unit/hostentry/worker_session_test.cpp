#include "worker_session.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <optional>

#include <gmock/gmock.h>

#include "svc/common/limits/hosts.h"
#include "svc/hostworkers/worker_protocol.h"

#include "fakes/fake_script_runtime.h"

namespace svc::hostentry {
namespace {

using namespace std::chrono_literals;
using script::FakeScriptEnvironment;
using script::FakeScriptRuntime;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr auto kTooLong = 30s;

/// The daemon's end of the socket is read and written by hand; the io_context runs when the test waits.
class WorkerSessionTest : public ::testing::Test {
 protected:
  WorkerSessionTest() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    daemon_ = ends[0];
    session_ = std::make_shared<WorkerSession>(
        WorkerOptions{ends[1], "todo", "g1", "/cache/host.mjs", "/data", "/temp", 64},
        WorkerSession::Surroundings{runtime_, io_,
                                    [this](bool error, std::string_view line) {
                                      printed_.push_back((error ? "err: " : "out: ") +
                                                         std::string(line));
                                    },
                                    [this](WorkerEnd end) { end_ = end; }});
  }
  ~WorkerSessionTest() override {
    hangUp();
    session_.reset();
    // The channel, which holds the session, hears that nobody is there.
    io_.restart();
    io_.poll();
    // What the script owes and observes holds the session, which holds the script.
    for (const auto& environment : runtime_.environments) {
      environment->options.observer.reset();
      const auto owed = std::exchange(environment->pending, {});
    }
  }

  void begin() {
    runtime_.respond("start", [](const std::string&, const std::string&) {
      return Result<std::string>(std::string());
    });
    session_->start();
    EXPECT_EQ(nextLine(),
              R"({"type":"ready","protocolVersion":2,"pluginId":"todo","generation":"g1"})");
  }
  [[nodiscard]] FakeScriptEnvironment& script() { return runtime_.latest(); }
  void hangUp() {
    if (daemon_ >= 0) {
      ::close(std::exchange(daemon_, -1));
    }
  }
  void send(const std::string& line) {
    const auto text = line + "\n";
    ASSERT_EQ(::send(daemon_, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  }
  template <class Done>
  bool runUntil(Done done) {
    const auto until = std::chrono::steady_clock::now() + kTooLong;
    io_.restart();
    while (!done() && std::chrono::steady_clock::now() < until) {
      io_.run_one_for(10ms);
    }
    return done();
  }
  std::string nextLine() {
    const bool came = runUntil([this] {
      std::array<char, 4096> chunk{};
      const auto count = ::recv(daemon_, chunk.data(), chunk.size(), MSG_DONTWAIT);
      if (count > 0) {
        received_.append(chunk.data(), static_cast<std::size_t>(count));
      }
      return received_.find('\n') != std::string::npos;
    });
    if (!came) {
      return "nothing";
    }
    const auto line = received_.substr(0, received_.find('\n'));
    received_.erase(0, line.size() + 1);
    return line;
  }
  bool invoked(std::size_t count) {
    return runUntil([&] { return script().invocations.size() >= count; });
  }

  boost::asio::io_context io_{1};
  FakeScriptRuntime runtime_;
  int daemon_ = -1;
  std::string received_;
  std::vector<std::string> printed_;
  std::optional<WorkerEnd> end_;
  std::shared_ptr<WorkerSession> session_;
};

TEST_F(WorkerSessionTest, LoadsTheEntryAndIsReady) {
  begin();
  EXPECT_EQ(script().options.limits.heap_bytes, 64U);
  ASSERT_EQ(script().invocations.size(), 1U);
  EXPECT_EQ(script().invocations[0].body,
            R"({"module":"/cache/host.mjs","dataDir":"/data","tempDir":"/temp"})");
}

TEST_F(WorkerSessionTest, TellsWhyItCannotStart) {
  runtime_.respond("start", [](const std::string&, const std::string&) {
    return Result<std::string>(Error{errc::kWorkerStartFailed, "SyntaxError:\n at x"});
  });
  session_->start();
  EXPECT_EQ(nextLine(), R"({"type":"startup-error","error":{"message":"SyntaxError:\n at x"}})");
  ASSERT_TRUE(runUntil([&] { return end_.has_value(); }));
  EXPECT_EQ(end_->code, 1);
}

TEST_F(WorkerSessionTest, PassesCallsAndAnswersAsText) {
  begin();
  send(R"({"type":"call","callId":"7","method":"echo","input":{"a": [1]}})");
  ASSERT_TRUE(invoked(2));
  EXPECT_EQ(script().invocations[1].function, "call");
  EXPECT_EQ(script().invocations[1].meta, "echo");
  EXPECT_EQ(script().invocations[1].body, R"({"a": [1]})");
  script().answer("call", std::string(R"({"b":2})"));
  EXPECT_EQ(nextLine(), R"({"type":"result","callId":"7","ok":true,"output":{"b":2}})");
  send(R"({"type":"call","callId":"8","method":"echo"})");
  ASSERT_TRUE(invoked(3));
  EXPECT_EQ(script().invocations[2].body, "");
  script().answer("call", std::string());
  EXPECT_EQ(nextLine(), R"({"type":"result","callId":"8","ok":true})");
}

TEST_F(WorkerSessionTest, ErrorsKeepCodeAndDetails) {
  begin();
  send(R"({"type":"call","callId":"7","method":"echo"})");
  ASSERT_TRUE(invoked(2));
  script().answer("call", Error{errc::kInvalidInput, "n\"o", R"({"issues":[]})"});
  EXPECT_EQ(
      nextLine(),
      R"({"type":"result","callId":"7","ok":false,"error":{"code":"invalid_input","message":"n\"o","details":{"issues":[]}}})");
}

TEST_F(WorkerSessionTest, CancelsOneCall) {
  begin();
  send(R"({"type":"call","callId":"7","method":"a"})");
  send(R"({"type":"call","callId":"8","method":"b"})");
  send(R"({"type":"cancel","callId":"8"})");
  send(R"({"type":"cancel","callId":"unknown"})");
  ASSERT_TRUE(invoked(3));
  ASSERT_TRUE(runUntil([&] { return script().invocations[2].stop.stop_requested(); }));
  EXPECT_FALSE(script().invocations[1].stop.stop_requested());
}

TEST_F(WorkerSessionTest, DisposesAndEnds) {
  begin();
  send(R"({"type":"dispose"})");
  ASSERT_TRUE(invoked(2));
  EXPECT_EQ(script().invocations[1].function, "dispose");
  EXPECT_FALSE(end_.has_value());
  script().answer("dispose", std::string());
  ASSERT_TRUE(runUntil([&] { return end_.has_value(); }));
  EXPECT_EQ(end_->code, 0);
  EXPECT_FALSE(end_->group);
}

TEST_F(WorkerSessionTest, WithoutTheDaemonItCleansUpAndTakesItsGroupAlong) {
  begin();
  hangUp();
  ASSERT_TRUE(invoked(2));
  EXPECT_EQ(script().invocations[1].function, "dispose");
  script().answer("dispose", std::string());
  ASSERT_TRUE(runUntil([&] { return end_.has_value(); }));
  EXPECT_TRUE(end_->group);
}

TEST_F(WorkerSessionTest, WithoutTheDaemonAndAnEntryItEndsAtOnce) {
  runtime_.create_at_once = false;
  session_->start();
  hangUp();
  ASSERT_TRUE(runUntil([&] { return end_.has_value(); }));
  EXPECT_TRUE(end_->group);
}

TEST_F(WorkerSessionTest, TheEndOfTheEnvironmentIsTheEndOfTheProcess) {
  begin();
  send(R"({"type":"call","callId":"7","method":"echo"})");
  ASSERT_TRUE(invoked(2));
  script().end({script::TerminationReason::kProcessExit, 3, "process.exit(3)", ""});
  ASSERT_TRUE(runUntil([&] { return end_.has_value(); }));
  EXPECT_EQ(end_->code, 3);
  EXPECT_EQ(received_, "");  // the daemon tells the caller how the process ended
}

TEST_F(WorkerSessionTest, TheHeapLimitHasAnExitCode) {
  begin();
  script().end({script::TerminationReason::kHeapLimit, 0, "out of memory", "at x"});
  ASSERT_TRUE(runUntil([&] { return end_.has_value(); }));
  EXPECT_EQ(end_->code, hostworkers::kHeapLimitExit);
  EXPECT_THAT(printed_, ElementsAre("err: \x1eout of memory\n\x1e"
                                    "at x"));
}

TEST_F(WorkerSessionTest, ASignalToItselfIsItsEnd) {
  begin();
  script().end({script::TerminationReason::kSignal, 137, "", ""});
  ASSERT_TRUE(runUntil([&] { return end_.has_value(); }));
  EXPECT_EQ(end_->signal, 9);
}

TEST_F(WorkerSessionTest, SendsWhatTheScriptSays) {
  begin();
  ASSERT_TRUE(script().hostSync("worker.send", R"({"type":"lease-acquire","leaseId":"1"})").ok());
  EXPECT_EQ(nextLine(), R"({"type":"lease-acquire","leaseId":"1"})");
  bool sent = false;
  script().hostCall("worker.signal", R"({"type":"signal","signal":"s"})",
                    [&sent](const Result<std::string>& result) { sent = result.ok(); });
  EXPECT_TRUE(sent);
  EXPECT_EQ(nextLine(), R"({"type":"signal","signal":"s"})");
}

TEST_F(WorkerSessionTest, SignalsWaitForASlowDaemonAndAreRefusedWhenTooMany) {
  begin();
  const std::string large(limits::kHostOutput, 'x');
  std::vector<std::string> outcomes;
  // The system takes a part of the first.
  for (int count = 0; count < 7; ++count) {
    script().hostCall("worker.signal", large, [&outcomes](const Result<std::string>& result) {
      outcomes.push_back(result ? "sent" : std::string(result.error().code.name()));
    });
  }
  EXPECT_THAT(outcomes, ElementsAre("sent", "overloaded", "overloaded"));
  std::size_t received = 0;
  ASSERT_TRUE(runUntil([&] {
    std::array<char, 65536> chunk{};
    const auto count = ::recv(daemon_, chunk.data(), chunk.size(), MSG_DONTWAIT);
    received += count > 0 ? static_cast<std::size_t>(count) : 0;
    return outcomes.size() == 7;
  }));
  EXPECT_THAT(outcomes,
              ElementsAre("sent", "overloaded", "overloaded", "sent", "sent", "sent", "sent"));
}

TEST_F(WorkerSessionTest, PrintsConsoleAndFailures) {
  begin();
  script().observer().onConsole("info", "a");
  script().observer().onConsole("warn", "w");
  script().observer().onConsole("error", "b");
  script().observer().onUncaughtError(
      {.name = "Error", .message = "m", .stack = "Error: m\n at x", .code = {}, .details = {}},
      "timer");
  script().observer().onUncaughtError(
      {.name = "Error", .message = "m", .stack = {}, .code = {}, .details = {}}, "rejection");
  script().observer().onHandlerError(
      {.name = "Error", .message = "m", .stack = "Error: m", .code = {}, .details = {}}, "call",
      "echo");
  EXPECT_THAT(printed_, ElementsAre("out: a", "err: w",
                                    "err: \x1e"
                                    "b",
                                    "err: \x1eUncaught: Error: m\n\x1e at x",
                                    "err: \x1eUnhandled rejection: m",
                                    "err: \x1e"
                                    "echo failed: Error: m"));
}

TEST_F(WorkerSessionTest, NonsenseFromTheDaemonIsTheEnd) {
  begin();
  send("nonsense");
  ASSERT_TRUE(runUntil([&] { return end_.has_value(); }));
  EXPECT_EQ(end_->code, 1);
}

TEST_F(WorkerSessionTest, SoIsACallWithoutItsMembers) {
  begin();
  send(R"({"type":"call","callId":"7"})");
  ASSERT_TRUE(runUntil([&] { return end_.has_value(); }));
  EXPECT_EQ(end_->code, 1);
}

TEST_F(WorkerSessionTest, WatchMessagesReachTheScript) {
  begin();
  send(R"({"type":"watch-ready","watchId":"1"})");
  ASSERT_TRUE(invoked(2));
  EXPECT_EQ(script().invocations[1].function, "watch");
  EXPECT_EQ(script().invocations[1].body, R"({"type":"watch-ready","watchId":"1"})");
}

}  // namespace
}  // namespace svc::hostentry
