#include "terminals.h"

#include <poll.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "svc/base/marked_processes.h"
#include "svc/common/codes.h"
#include "svc/common/json.h"
#include "svc/common/limits/terminals.h"
#include "svc/hostprotocol/base64.h"

#include "fakes/bulk_threads.h"
#include "session_processes.h"
#include "unit/hostworkers/temp_directory.h"

namespace svc::pty {
namespace {

using common::Json;
using ::testing::HasSubstr;

/// Keeps a bulk job until the test takes it.
class HeldWorkers final : public IBulkWorkers {
 public:
  bool submit(Job job) override {
    held = std::move(job);
    return true;
  }
  Job held;
};

class TerminalsTest : public ::testing::Test {
 protected:
  void TearDown() override {
    bool stopped = false;
    terminals_->shutDown([&](const Status&) { stopped = true; });
    until([&] { return stopped; });
  }

  /// Runs the io thread's work here until it is so.
  void until(const std::function<bool()>& done) {
    const auto work = boost::asio::make_work_guard(*io_);
    while (!done()) {
      io_->restart();
      ASSERT_GT(io_->run_one_for(std::chrono::seconds(20)), 0U) << "nothing happens any more";
    }
  }
  Result<std::string> ask(void (Terminals::*command)(const std::string&, Completion<std::string>),
                          const Json& text) {
    std::optional<Result<std::string>> answer;
    (terminals_.get()->*command)(text.dump(),
                                 [&](Result<std::string> result) { answer = std::move(result); });
    until([&] { return answer.has_value(); });
    return *answer;
  }
  Result<std::string> open(const std::string& id, const std::string& command = {}) {
    return ask(
        &Terminals::open,
        Json::object()
            .set("terminalId", id)
            .set("cwd", cwd_)
            .set("cols", 80)
            .set("rows", 24)
            .set("start", command.empty()
                              ? Json::object().set("mode", "shell")
                              : Json::object().set("mode", "command").set("command", command))
            .set("env", Json::object().set("SVC_THREAD_ID", "thr_1")));
  }
  Result<std::string> close(const std::string& id, const std::string& mode) {
    return ask(&Terminals::close, Json::object().set("terminalId", id).set("mode", mode));
  }
  void type(const std::string& id, const std::string& keys) {
    terminals_->input(Json::object()
                          .set("terminalId", id)
                          .set("dataBase64", hostprotocol::encodeBase64(keys))
                          .dump());
  }
  void acknowledge(const std::string& id, std::uint64_t seq, bool ended = false) {
    terminals_->acknowledge(
        Json::object().set("terminalId", id).set("seq", seq).set("ended", ended).dump());
  }
  void heard(const std::string& text) {
    auto message = Json::parse(text).value();
    const auto& id = message["terminalId"].asString();
    const auto& type = message["type"].asString();
    if (type == "terminal.output") {
      const auto seq = static_cast<std::uint64_t>(message["seq"].asInteger());
      output_[id] += hostprotocol::decodeBase64(message["dataBase64"].asString()).value();
      seqs_[id].push_back(seq);
      if (acknowledging_) {
        boost::asio::post(*io_, [this, id, seq] { acknowledge(id, seq + 1); });
      }
    } else if (type == "terminal.exit") {
      exits_[id].push_back(static_cast<int>(message["exitCode"].asInteger()));
    } else if (type == "terminal.taken") {
      taken_[id] += message["bytes"].asInteger();
    }
  }
  void untilShown(const std::string& id, const std::string& text) {
    until([&] { return output_[id].find(text) != std::string::npos; });
  }
  pid_t pidOf(const Result<std::string>& opened) {
    return static_cast<pid_t>(Json::parse(opened.value()).value()["pid"].asInteger());
  }
  static std::string nameOf(pid_t pid) {
    std::ifstream file(fmt::format("/proc/{}/comm", pid));
    std::string name;
    std::getline(file, name);
    return name;
  }
  static bool alive(pid_t pid) { return std::filesystem::exists(fmt::format("/proc/{}", pid)); }

  std::shared_ptr<Starter> makeStarter() const {
    return std::make_shared<Starter>(
        base::Environment{{"HOME", "/tmp"}, {"SHELL", "/bin/sh"}, {"PATH", "/usr/bin:/bin"}},
        "/nonexistent", runs());
  }
  [[nodiscard]] std::filesystem::path runs() const { return directory_.path() / "runs"; }
  [[nodiscard]] std::vector<std::string> marks() const {
    std::vector<std::string> out;
    std::error_code ignored;
    for (const auto& each : std::filesystem::directory_iterator(runs(), ignored)) {
      out.push_back(each.path().filename().string());
    }
    return out;
  }

  svc::test::TempDirectory directory_;
  std::string cwd_ = "/tmp";
  bool acknowledging_ = true;
  std::map<std::string, std::string> output_;
  std::map<std::string, std::vector<std::uint64_t>> seqs_;
  std::map<std::string, std::vector<int>> exits_;
  std::map<std::string, std::int64_t> taken_;
  const std::shared_ptr<boost::asio::io_context> io_ = std::make_shared<boost::asio::io_context>();
  std::shared_ptr<Terminals> terminals_ = std::make_shared<Terminals>(
      Terminals::Surroundings{.io = io_,
                              .workers = workers_,
                              .starter = makeStarter(),
                              .send = [this](const std::string& text) { heard(text); },
                              .server_url = [] { return std::string("http://server"); }});
  svc::test::BulkThreads workers_;
};

TEST_F(TerminalsTest, ACommandShowsItsOutputThenItsEnd) {
  const auto opened = open("t", "echo one; echo $SVC_THREAD_ID $SVC_SERVER_URL $TERM; pwd; exit 7");
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  EXPECT_EQ(Json::parse(opened.value()).value()["initialCwd"].asString(), "/tmp");
  until([&] { return !exits_["t"].empty(); });
  EXPECT_EQ(output_["t"], "one\r\nthr_1 http://server xterm-256color\r\n/tmp\r\n");
  EXPECT_THAT(exits_["t"], ::testing::ElementsAre(7));
}

TEST_F(TerminalsTest, AProgramThatIsBeingStartedDoesNotOutliveTheTerminals) {
  HeldWorkers workers;
  std::optional<Result<std::string>> answer;
  std::make_shared<Terminals>(
      Terminals::Surroundings{.io = std::make_shared<boost::asio::io_context>(),
                              .workers = workers,
                              .starter = makeStarter(),
                              .send = [](const std::string&) {},
                              .server_url = [] { return std::string("http://server"); }})
      ->open(R"({"terminalId":"t","cwd":"/tmp","cols":80,"rows":24,"start":{"mode":"shell"}})",
             [&](Result<std::string> result) { answer = std::move(result); });
  ASSERT_TRUE(workers.held);
  workers.held({});
  EXPECT_FALSE(answer.has_value());
  workers.held = nullptr;
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->error().code, errc::kAborted);
}

TEST_F(TerminalsTest, WhatAKilledDaemonHasLeftIsEndedByTheNext) {
  // Neither hears the end of its terminal, and one has left its session.
  ASSERT_TRUE(open("t",
                   "trap '' HUP; setsid sh -c 'echo one up; exec sleep 1000' & sh -c 'echo two up; "
                   "exec sleep 1000'")
                  .ok());
  untilShown("t", "one up");
  untilShown("t", "two up");
  const auto mark = marks();
  ASSERT_EQ(mark.size(), 1U);
  const auto left = base::processesMarked(mark[0]);
  EXPECT_EQ(left.size(), 3U) << "the shell and both";
  // The daemon that is killed forgets nothing; the next one has the same directory.
  makeStarter()->endLeftovers();
  for (const auto& process : left) {
    pollfd ended{.fd = process.descriptor.get(), .events = POLLIN, .revents = 0};
    EXPECT_EQ(::poll(&ended, 1, 20'000), 1);
  }
  EXPECT_THAT(marks(), ::testing::IsEmpty());
}

TEST_F(TerminalsTest, WhatHasLeftATerminalThatEndsWellStays) {
  ASSERT_TRUE(open("t", "setsid sh -c 'echo it is up; exec sleep 1000' & read -r line").ok());
  untilShown("t", "it is up");
  ASSERT_EQ(marks().size(), 1U);
  const auto mark = marks()[0];
  type("t", "\n");
  until([&] { return !exits_["t"].empty(); });
  until([&] { return marks().empty(); });
  makeStarter()->endLeftovers();
  EXPECT_EQ(base::signalMarked(mark, SIGKILL), 1U);
}

TEST_F(TerminalsTest, WithoutRoomForItsMarkThereIsATerminal) {
  directory_.write("runs", "no directory");
  ASSERT_TRUE(open("t", "exit 3").ok());
  until([&] { return !exits_["t"].empty(); });
  EXPECT_THAT(exits_["t"], ::testing::ElementsAre(3));
}

TEST_F(TerminalsTest, KeysReachTheShellAndAreCounted) {
  ASSERT_TRUE(open("t").ok());
  type("t", "echo $((6*7)); stty size; exit 3\n");
  until([&] { return !exits_["t"].empty(); });
  EXPECT_THAT(output_["t"], HasSubstr("42\r\n"));
  EXPECT_THAT(output_["t"], HasSubstr("24 80\r\n"));
  EXPECT_EQ(taken_["t"], 33);
  EXPECT_THAT(exits_["t"], ::testing::ElementsAre(3));
  type("t", "more");
  EXPECT_EQ(taken_["t"], 33) << "what has ended takes nothing";
}

TEST_F(TerminalsTest, AnotherSizeArrivesAndNonsenseDoesNot) {
  ASSERT_TRUE(open("t").ok());
  const auto resize = [&](const Json& columns) {
    terminals_->resize(
        Json::object().set("terminalId", "t").set("cols", columns).set("rows", 50).dump());
  };
  resize(132);
  for (const Json& bad : {Json(0), Json(-5), Json(100'000), Json("x"), Json(1e300)}) {
    resize(bad);
  }
  terminals_->resize("{}");
  type("t", "stty size\n");
  untilShown("t", "50 132");
}

TEST_F(TerminalsTest, AShellThatIsIdleIsClosedAndOneThatIsBusyOnlyByForce) {
  const auto shell = pidOf(open("t"));
  type("t", "echo re''ady\n");
  untilShown("t", "ready");
  type("t", "sleep 1000 & echo be''gun\n");
  untilShown("t", "begun");
  EXPECT_EQ(close("t", "if-clean").error().code, errc::kConflict);
  EXPECT_EQ(close("t", "force").value(), R"({"closed":true})");
  until([&] { return !exits_["t"].empty(); });
  until([&] { return !alive(shell); });
  EXPECT_TRUE(membersOf(shell).empty());
  EXPECT_EQ(close("t", "force").value(), R"({"closed":false})");
  EXPECT_EQ(close("nobody", "if-clean").value(), R"({"closed":false})");
}

TEST_F(TerminalsTest, ACommandThatTookTheShellsPlaceIsBusyUntilItEnds) {
  ASSERT_TRUE(open("t", "echo begun; exec sleep 1000").ok());
  untilShown("t", "begun");
  EXPECT_EQ(close("t", "if-clean").error().code, errc::kConflict);
  EXPECT_EQ(close("t", "force").value(), R"({"closed":true})");
}

TEST_F(TerminalsTest, WhatTakesThePlaceOfAnIdleShellIsBusy) {
  const auto shell = pidOf(open("t"));
  type("t", "echo re''ady\n");
  untilShown("t", "ready");
  type("t", "exec sleep 1000\n");
  until([&] { return nameOf(shell) == "sleep"; });
  EXPECT_EQ(close("t", "if-clean").error().code, errc::kConflict);
  EXPECT_EQ(close("t", "force").value(), R"({"closed":true})");
}

TEST_F(TerminalsTest, WhatIgnoresTheHangUpIsKilled) {
  const auto shell =
      pidOf(open("t", "trap '' HUP; sh -c 'trap \"\" HUP TERM; echo ready; sleep 1000' & wait"));
  untilShown("t", "ready");
  EXPECT_FALSE(membersOf(shell).empty());
  ASSERT_TRUE(close("t", "force").ok());
  until([&] { return !alive(shell); });
  EXPECT_TRUE(membersOf(shell).empty());
  EXPECT_THAT(exits_["t"], ::testing::ElementsAre(128 + 9));
}

TEST_F(TerminalsTest, NothingIsLeftBehindByAShellThatEnds) {
  const auto shell = pidOf(open("t", "set -m; nohup sleep 1000 >/dev/null 2>&1 & echo ready"));
  until([&] { return !exits_["t"].empty(); });
  until([&] { return !alive(shell); });
  EXPECT_TRUE(membersOf(shell).empty());
}

TEST_F(TerminalsTest, AFloodWaitsForWhoListens) {
  acknowledging_ = false;
  ASSERT_TRUE(open("t", "yes").ok());
  until([&] { return output_["t"].size() >= Terminal::kWindow; });
  for (int turn = 0; turn < 20; ++turn) {
    io_->restart();
    io_->run_for(std::chrono::milliseconds(10));
  }
  EXPECT_LT(output_["t"].size(), 2 * Terminal::kWindow);
  acknowledge("t", seqs_["t"].back() + 1);
  until([&] { return output_["t"].size() >= 2 * Terminal::kWindow; });
}

TEST_F(TerminalsTest, AFloodWithoutListenerKeepsTheLastOfIt) {
  const auto program = pidOf(open("t", "echo first; read x; seq 300000; exec sleep 1000"));
  untilShown("t", "first\r\n");
  const auto next = seqs_["t"].back() + 1;
  terminals_->sessionLost();
  type("t", "\n");
  until([&] { return nameOf(program) == "sleep"; });
  output_.clear();
  ASSERT_TRUE(
      ask(&Terminals::resume,
          Json::parse(fmt::format(R"({{"terminals":[{{"terminalId":"t","seq":{}}}]}})", next))
              .value())
          .ok());
  untilShown("t", "300000\r\n");
  // The system may still have had the end when the rest was asked for.
  constexpr std::size_t kMostOfTheSystem = 8192;
  EXPECT_LE(output_["t"].size(), limits::kTerminalRing + kMostOfTheSystem);
  EXPECT_EQ(output_["t"].find("\n1\r\n"), std::string::npos) << "the beginning is gone";
}

TEST_F(TerminalsTest, AfterALostSessionOutputGoesOnWhereItWas) {
  ASSERT_TRUE(open("t", "echo first; read x; echo second; read y; exit 4").ok());
  untilShown("t", "first\r\n");
  const auto next = seqs_["t"].back() + 1;
  terminals_->sessionLost();
  type("t", "\n");
  const auto silent = output_["t"];
  for (int turn = 0; turn < 10; ++turn) {
    io_->restart();
    io_->run_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(output_["t"], silent);
  const auto resumed = ask(
      &Terminals::resume,
      Json::parse(
          fmt::format(
              R"({{"terminals":[{{"terminalId":"t","seq":{}}},{{"terminalId":"other","seq":0}}]}})",
              next))
          .value());
  EXPECT_EQ(resumed.value(), R"({"live":["t"]})");
  untilShown("t", "second\r\n");
  EXPECT_EQ(output_["t"].find("first"), output_["t"].rfind("first")) << "nothing comes twice";
  type("t", "\n");
  until([&] { return !exits_["t"].empty(); });
}

TEST_F(TerminalsTest, AnEndIsToldUntilItIsAcknowledged) {
  ASSERT_TRUE(open("t", "exit 5").ok());
  until([&] { return !exits_["t"].empty(); });
  const auto resume = [&] {
    return ask(&Terminals::resume,
               Json::parse(R"({"terminals":[{"terminalId":"t","seq":0}]})").value())
        .value();
  };
  terminals_->sessionLost();
  EXPECT_EQ(resume(), R"({"live":["t"]})");
  until([&] { return exits_["t"].size() == 2; });
  acknowledge("t", 0, true);
  EXPECT_EQ(resume(), R"({"live":[]})");
}

TEST_F(TerminalsTest, WhatTheServerDoesNotNameIsEnded) {
  const auto shell = pidOf(open("t"));
  terminals_->sessionLost();
  EXPECT_EQ(ask(&Terminals::resume, Json::parse(R"({"terminals":[]})").value()).value(),
            R"({"live":[]})");
  until([&] { return !alive(shell); });
}

TEST_F(TerminalsTest, DirectoriesThatAreNoneAreNamed) {
  cwd_ = "/nonexistent/x";
  EXPECT_EQ(open("t").error().code, errc::kNotFound);
  cwd_ = "/dev/null";
  EXPECT_EQ(open("t").error().code, errc::kInvalidInput);
  cwd_ = "relative";
  EXPECT_EQ(open("t").error().code, errc::kInvalidInput);
  cwd_ = "~";
  EXPECT_TRUE(open("t").ok());
  EXPECT_EQ(open("t").error().code, errc::kConflict);
}

TEST_F(TerminalsTest, AMachineHasSoManyAndNoMore) {
  for (std::size_t number = 0; number < limits::kTerminals; ++number) {
    ASSERT_TRUE(open(fmt::format("t{}", number), "exec sleep 1000").ok());
  }
  const auto refused = open("more");
  EXPECT_EQ(refused.error().code, errc::kOverloaded);
  EXPECT_THAT(refused.error().message, HasSubstr("limit terminals: 64"));
  ASSERT_TRUE(close("t0", "force").ok());
  until([&] { return !exits_["t0"].empty(); });
  until([&] { return open("more").ok(); });
}

TEST_F(TerminalsTest, GarbageDoesNoHarm) {
  ASSERT_TRUE(open("t").ok());
  for (const auto* text :
       {"", "[]", "{", R"({"terminalId":1})", R"({"terminalId":"t","dataBase64":"*"})",
        R"({"terminalId":"t","seq":-1})", R"({"terminalId":"t","seq":99999999999})"}) {
    terminals_->input(text);
    terminals_->resize(text);
    terminals_->acknowledge(text);
  }
  EXPECT_EQ(ask(&Terminals::resume, Json::object()).error().code, errc::kInvalidInput);
  type("t", "echo st''ill\n");
  untilShown("t", "still");
}

}  // namespace
}  // namespace svc::pty
