#include "session.h"

#include <random>

#include <gmock/gmock.h>

#include "svc/common/codes.h"
#include "svc/common/json.h"
#include "svc/common/limits.h"

#include "fake_transport.h"
#include "fakes/fake_clock.h"
#include "fakes/fake_executor.h"
#include "log_lines.h"

namespace svc::hostlink {
namespace {

using common::Json;
using svc::testing::FakeClock;
using svc::testing::FakeMainExecutor;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;
using namespace std::chrono_literals;

constexpr auto kOpened =
    R"({"sessionId":"s 1","heartbeatIntervalMs":5000,"leaseTimeoutMs":30000,)"
    R"("pluginHostGenerations":[{"pluginId":"todo","generation":"g1"}],)"
    R"("watchSet":{"generation":0},"connectShares":{"generation":0,"ports":[]},"retiredEnvironmentIds":[]})";
constexpr auto kHeartbeat = R"({"type":"heartbeat"})";
constexpr auto kAck = R"({"type":"heartbeat-ack"})";

class SessionTest : public ::testing::Test, public ISessionOwner {
 protected:
  SessionTest() {
    session_ = std::make_shared<Session>(
        Session::Surroundings{transport_, main_, clock_, *this, log_.logger,
                              [this] { return random_; }},
        SessionIdentity{.endpoint = {ServerAddress::parse("http://10.0.0.1:4700/svc").value()},
                        .host_id = "host_1",
                        .host_key = "svch_key",
                        .host_type = "persistent",
                        .host_name = "mac",
                        .instance_id = "i1",
                        .platform = "linux-x64",
                        .data_directory = "/data"});
  }

  void onSessionOpened(const std::vector<PluginGeneration>& generations) override {
    generations_.push_back(generations);
  }
  void onRequest(CommandRequest request, Completion<std::string> answer) override {
    requests_.push_back(std::move(request));
    answers_.push_back(std::move(answer));
  }
  void onSessionEnded(SessionEnd end, const std::string& why) override {
    ends_.push_back(end);
    why_ = why;
  }

  void advance(std::chrono::milliseconds delta) {
    for (; delta > 0ms; delta -= std::min(delta, 100ms)) {
      clock_.advance(std::min(delta, 100ms));
      main_.advance(std::min(delta, 100ms));
    }
  }
  FakeTransport::SocketRecord& socket() { return *transport_.sockets.back(); }
  void openSession() {
    transport_.answer(201, kOpened);
    socket().opened();
  }
  /// How long the session waits before it asks again; at most an hour.
  std::chrono::milliseconds waits() {
    const auto before = main_.now();
    while (transport_.posts.empty() && main_.now() - before < 1h) {
      advance(100ms);
    }
    return main_.now() - before;
  }

  LogLines log_;
  FakeTransport transport_;
  FakeMainExecutor main_;
  FakeClock clock_;
  double random_ = 0.5;  // neither earlier nor later
  std::vector<std::vector<PluginGeneration>> generations_;
  std::vector<CommandRequest> requests_;
  std::vector<Completion<std::string>> answers_;
  std::vector<SessionEnd> ends_;
  std::string why_;
  std::shared_ptr<Session> session_;
};

TEST_F(SessionTest, OpensWithWhatItIs) {
  session_->start();
  ASSERT_THAT(transport_.posts, SizeIs(1));
  EXPECT_EQ(transport_.posts[0].request.path, "/internal/session/open");
  EXPECT_EQ(transport_.posts[0].request.bearer, "svch_key");
  EXPECT_EQ(Json::parse(transport_.posts[0].body).value(),
            Json::parse(R"({"hostId":"host_1","instanceId":"i1","hostName":"mac",
                "hostType":"persistent","platform":"linux-x64","dataDir":"/data","protocolVersion":1,
                "agents":[],"activeThreads":[],"loadedEnvironments":[]})")
                .value());
  transport_.answer(201, kOpened);
  ASSERT_THAT(transport_.sockets, SizeIs(1));
  EXPECT_EQ(socket().request.path, "/internal/ws?sessionId=s%201");
  EXPECT_EQ(socket().request.bearer, "svch_key");
  EXPECT_THAT(generations_, IsEmpty());
  socket().opened();
  ASSERT_THAT(generations_, SizeIs(1));
  ASSERT_THAT(generations_[0], SizeIs(1));
  EXPECT_EQ(generations_[0][0].plugin_id, "todo");
  EXPECT_EQ(generations_[0][0].generation, "g1");
  EXPECT_THAT(log_.lines(), ElementsAre("info: connected to http://10.0.0.1:4700/svc as host_1"));
}

TEST_F(SessionTest, BeatsAtTheServersInterval) {
  session_->start();
  openSession();
  EXPECT_THAT(socket().sent, ElementsAre(kHeartbeat));
  advance(4900ms);
  EXPECT_THAT(socket().sent, SizeIs(1));
  advance(100ms);
  EXPECT_THAT(socket().sent, ElementsAre(kHeartbeat, kHeartbeat));
}

TEST_F(SessionTest, WithoutAcknowledgementsItClosesAndReconnects) {
  session_->start();
  openSession();
  advance(20s);
  socket().message(kAck);
  advance(29900ms);
  EXPECT_EQ(socket().close_code, 0);
  advance(100ms);
  EXPECT_EQ(socket().close_code, 1013);
  EXPECT_EQ(waits(), 1s);
  openSession();
  EXPECT_THAT(generations_, SizeIs(2));
  EXPECT_THAT(log_.lines(),
              ElementsAre(StartsWith("info: connected"),
                          HasSubstr("has acknowledged nothing for 30 s; trying again"),
                          StartsWith("info: connected")));
}

TEST_F(SessionTest, OtherMessagesAreNoAcknowledgement) {
  session_->start();
  openSession();
  for (int second = 0; second < 30; ++second) {
    socket().message(R"({"type":"watch-set.replace","generation":1})");
    advance(1s);
  }
  EXPECT_EQ(socket().close_code, 1013);
}

TEST_F(SessionTest, AfterASleepAcknowledgementsGetTheirTime) {
  session_->start();
  openSession();
  clock_.advance(10min);
  main_.advance(5s);  // the timers of a sleeping machine
  advance(25s);
  EXPECT_EQ(socket().close_code, 0);
  socket().message(kAck);
  advance(29s);
  EXPECT_EQ(socket().close_code, 0);
}

TEST_F(SessionTest, RetriesLaterAndLater) {
  session_->start();
  std::vector<std::chrono::milliseconds> delays;
  for (int attempt = 0; attempt < 7; ++attempt) {
    transport_.fail({errc::kHostUnavailable, "cannot connect to it: refused"});
    delays.push_back(waits());
  }
  EXPECT_THAT(delays, ElementsAre(1s, 2s, 4s, 8s, 16s, 30s, 30s));
}

TEST_F(SessionTest, RetriesAreSpread) {
  session_->start();
  random_ = 0;
  transport_.fail({errc::kHostUnavailable, "refused"});
  EXPECT_EQ(waits(), 800ms);  // 750 at the test's steps
  random_ = 0.999;
  transport_.fail({errc::kHostUnavailable, "refused"});
  EXPECT_EQ(waits(), 2500ms);
}

TEST_F(SessionTest, OnlyAnAcknowledgementStartsTheDelaysAnew) {
  session_->start();
  openSession();
  socket().closed({1006, "reset"});
  EXPECT_EQ(waits(), 1s);
  openSession();
  socket().closed({1006, "reset"});
  EXPECT_EQ(waits(), 2s);
  openSession();
  socket().message(kAck);
  socket().closed({1006, "reset"});
  EXPECT_EQ(waits(), 1s);
}

TEST_F(SessionTest, AServerThatIsNotUpYetIsWaitedFor) {
  session_->start();
  for (int attempt = 0; attempt < 20; ++attempt) {
    transport_.fail({errc::kHostUnavailable, "cannot connect to X: refused"});
    waits();
  }
  EXPECT_THAT(ends_, IsEmpty());
  // Once when it begins, once when the first connection is late.
  EXPECT_THAT(log_.lines(), ElementsAre("warning: cannot connect to X: refused; trying again",
                                        "error: no session for 60 s: cannot connect to X: refused; "
                                        "trying on"));
  openSession();
  EXPECT_THAT(log_.lines(), SizeIs(3));
}

TEST_F(SessionTest, ARefusedKeyAtTheFirstStartIsFinal) {
  session_->start();
  transport_.answer(401, R"({"ok":false,"error":{"code":"unauthorized","message":"no such key"}})");
  EXPECT_THAT(ends_, ElementsAre(SessionEnd::kUnauthorized));
  EXPECT_EQ(why_, "http://10.0.0.1:4700/svc does not accept the key of this machine: no such key");
  EXPECT_EQ(waits(), 1h);
}

TEST_F(SessionTest, AForbiddenHostAtTheFirstStartIsFinal) {
  session_->start();
  transport_.answer(403, R"({"ok":false,"error":{"code":"forbidden","message":"another host's"}})");
  EXPECT_THAT(ends_, ElementsAre(SessionEnd::kUnauthorized));
}

TEST_F(SessionTest, ARefusedKeyLaterIsTriedAgain) {
  session_->start();
  openSession();
  socket().closed({1006, "reset"});
  waits();
  transport_.answer(401, "");
  EXPECT_THAT(ends_, IsEmpty());
  EXPECT_EQ(waits(), 2s);
  EXPECT_THAT(log_.lines().back(), HasSubstr("opens no session for this machine"));
}

TEST_F(SessionTest, AnotherProtocolIsSaidOnceAndTriedRarely) {
  session_->start();
  std::vector<std::chrono::milliseconds> delays;
  for (int attempt = 0; attempt < 8; ++attempt) {
    transport_.answer(400,
                      R"({"ok":false,"error":{"code":"protocol_version_mismatch","message":"no",)"
                      R"("details":{"serverProtocolVersion":7,"retryUpdate":false}}})");
    delays.push_back(waits());
  }
  EXPECT_THAT(delays, ElementsAre(5s, 10s, 20s, 40s, 80s, 160s, 5min, 5min));
  EXPECT_THAT(log_.lines(),
              ElementsAre(AllOf(HasSubstr("protocol version 7, this daemon version 1"),
                                HasSubstr("same version of svc on both"))));
  EXPECT_THAT(ends_, IsEmpty());
}

TEST_F(SessionTest, AnAnswerThatIsNoSessionIsTriedAgain) {
  session_->start();
  for (const auto* body : {"", "[]", "{}", R"({"sessionId":"","heartbeatIntervalMs":1})",
                           R"({"sessionId":"s","heartbeatIntervalMs":5000,"leaseTimeoutMs":30000,
                               "pluginHostGenerations":[{"pluginId":"x"}]})"}) {
    transport_.answer(201, body);
    EXPECT_LT(waits(), 1min) << body;
  }
  EXPECT_THAT(transport_.sockets, IsEmpty());
}

TEST_F(SessionTest, ARefusedWebSocketIsTriedAgain) {
  session_->start();
  transport_.answer(201, kOpened);
  socket().closed(
      {0, "status 401", HttpAnswer{401, R"({"ok":false,"error":{"code":"inactive_session",
                                      "message":"the session has expired"}})"}});
  EXPECT_EQ(waits(), 1s);
  EXPECT_THAT(ends_, IsEmpty());
  EXPECT_THAT(log_.lines().back(), HasSubstr("the session has expired"));
}

TEST_F(SessionTest, AReplacedDaemonStops) {
  session_->start();
  openSession();
  socket().message(R"({"type":"session-close","reason":"replaced"})");
  EXPECT_THAT(ends_, ElementsAre(SessionEnd::kReplaced));
  EXPECT_EQ(socket().close_code, 1000);
  EXPECT_EQ(waits(), 1h);
}

TEST_F(SessionTest, ARemovedMachineStops) {
  session_->start();
  openSession();
  socket().message(R"({"type":"session-close","reason":"removed"})");
  EXPECT_THAT(ends_, ElementsAre(SessionEnd::kRemoved));
  EXPECT_EQ(waits(), 1h);
}

TEST_F(SessionTest, ExpiredAndShutdownReconnect) {
  session_->start();
  for (const auto* reason : {"expired", "shutdown"}) {
    openSession();
    socket().message(kAck);
    socket().message(fmt::format(R"({{"type":"session-close","reason":"{}"}})", reason));
    EXPECT_EQ(waits(), 1s);
  }
  EXPECT_THAT(ends_, IsEmpty());
}

TEST_F(SessionTest, RequestsAreAnsweredWhereTheyCameFrom) {
  session_->start();
  openSession();
  socket().message(
      R"({"type":"host-rpc.request","requestId":"r\"1","command":{"type":"x.y","a":[1, 2]}})");
  ASSERT_THAT(requests_, SizeIs(1));
  EXPECT_EQ(requests_[0].type, "x.y");
  EXPECT_EQ(requests_[0].command, R"({"type":"x.y","a":[1, 2]})");
  answers_[0](std::string(R"({"b":3})"));
  EXPECT_EQ(
      socket().sent.back(),
      R"({"type":"host-rpc.response","requestId":"r\"1","commandType":"x.y","ok":true,"result":{"b":3}})");
}

TEST_F(SessionTest, TheTypeOfACommandMayStandAnywhere) {
  session_->start();
  openSession();
  for (const auto* command :
       {R"({"type":"x.y","input":{"type":"z"}})", R"({"input":{"type":"z"},"type":"x.y"})",
        R"({ "type" : "x.y" })", R"({"type":"x\u002ey"})"}) {
    socket().message(
        fmt::format(R"({{"type":"host-rpc.request","requestId":"r","command":{}}})", command));
    ASSERT_FALSE(requests_.empty()) << command;
    EXPECT_EQ(requests_.back().type, "x.y") << command;
    EXPECT_EQ(requests_.back().command, command);
  }
  EXPECT_THAT(requests_, SizeIs(4));
}

TEST_F(SessionTest, FailuresKeepCodeMessageAndDetails) {
  session_->start();
  openSession();
  socket().message(R"({"type":"host-rpc.request","requestId":"r1","command":{"type":"x"}})");
  answers_[0](Error{errc::kWorkerExited, "it died", R"({"code":3})"});
  EXPECT_EQ(socket().sent.back(),
            R"({"type":"host-rpc.response","requestId":"r1","commandType":"x","ok":false,)"
            R"("errorCode":"worker_exited","errorMessage":"it died","errorDetails":{"code":3}})");
}

TEST_F(SessionTest, AnswersOfAnEarlierSessionGoNowhere) {
  session_->start();
  openSession();
  socket().message(R"({"type":"host-rpc.request","requestId":"r1","command":{"type":"x"}})");
  const auto first = transport_.sockets.back();
  first->closed({1006, "reset"});
  waits();
  openSession();
  answers_[0](std::string("{}"));
  EXPECT_THAT(first->sent, ElementsAre(kHeartbeat));
  EXPECT_THAT(socket().sent, ElementsAre(kHeartbeat));
}

TEST_F(SessionTest, MessagesAreDroppedWhileThereIsNoSession) {
  session_->send("early");
  session_->start();
  transport_.answer(201, kOpened);
  session_->send("before it is open");
  socket().opened();
  session_->send("now");
  EXPECT_THAT(socket().sent, ElementsAre(kHeartbeat, "now"));
  socket().closed({1006, "reset"});
  session_->send("after");
  EXPECT_THAT(socket().sent, SizeIs(2));
}

TEST_F(SessionTest, MessagesThatAreTooLargeAreDroppedWithALine) {
  session_->start();
  openSession();
  session_->send(std::string(limits::kIpcMessage + 1, 'x'));
  EXPECT_THAT(socket().sent, SizeIs(1));
  EXPECT_THAT(log_.lines().back(), HasSubstr("a message of 41943041 bytes is dropped"));
}

TEST_F(SessionTest, WhatItDoesNotUnderstandEndsTheSession) {
  session_->start();
  for (const auto* text :
       {"", "null", "[]", "{", R"({"type":"dance"})", R"({"type":3})",
        R"({"type":"heartbeat-ack","x":1})", R"({"type":"session-close","reason":"bored"})",
        R"({"type":"session-close"})", R"({"type":"host-rpc.request","requestId":"r"})",
        R"({"type":"host-rpc.request","requestId":"","command":{"type":"x"}})",
        R"({"type":"host-rpc.request","requestId":1,"command":{"type":"x"}})",
        R"({"type":"host-rpc.request","requestId":"r","command":{}})",
        R"({"type":"host-rpc.request","requestId":"r","command":[]})",
        R"({"type":"host-rpc.request","requestId":"r","command":{"type":"x"},"more":1})"}) {
    openSession();
    socket().message(kAck);
    socket().message(text);
    EXPECT_EQ(socket().close_code, 1008) << text;
    EXPECT_EQ(socket().close_reason, "invalid-message");
    EXPECT_EQ(waits(), 1s) << text;
  }
  EXPECT_THAT(requests_, IsEmpty());
  EXPECT_THAT(ends_, IsEmpty());
}

TEST_F(SessionTest, NothingIsReadBehindTheEnd) {
  session_->start();
  openSession();
  const auto listener = socket().listener.lock();
  listener->onMessages({R"({"type":"session-close","reason":"shutdown"})",
                        R"({"type":"host-rpc.request","requestId":"r","command":{"type":"x"}})"});
  EXPECT_THAT(requests_, IsEmpty());
}

TEST_F(SessionTest, AnySequenceOfBytesIsAnAnswerOrAnEnd) {
  const std::vector<std::string> seeds{
      kAck, R"({"type":"session-close","reason":"shutdown"})",
      R"({"type":"watch-set.replace","generation":3,"watches":[{"path":"/x"}]})",
      R"({"type":"connect-shares.replace","generation":3,"ports":[80]})",
      R"({"type":"host-rpc.request","requestId":"r1","command":{"type":"plugin.host.call","input":{"a":[1,"é"]}}})"};
  std::mt19937 random(20251122);  // NOLINT(cert-msc51-cpp): the same every time
  session_->start();
  openSession();
  for (int round = 0; round < 3000; ++round) {
    auto text = seeds[random() % seeds.size()];
    for (auto changes = random() % 4; changes > 0; --changes) {
      const auto at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text[at] = static_cast<char>(random() % 256);
          break;
        case 1:
          text.insert(at, 1, "{}[]\",:\\0"[random() % 9]);
          break;
        default:
          text.erase(at, 1 + random() % 5);
          text.push_back('}');
      }
    }
    socket().message(text);
    if (!ends_.empty()) {
      FAIL() << "only \"replaced\" and \"removed\" end it: " << text;
    }
    if (socket().let_go) {
      EXPECT_THAT(socket().close_code, ::testing::AnyOf(1008, 1000)) << text;
      ASSERT_LE(waits(), 40s);
      openSession();
    }
  }
}

TEST_F(SessionTest, StopsWithACloseFrame) {
  session_->start();
  openSession();
  bool stopped = false;
  session_->stop([&](const Status& status) { stopped = status.ok(); });
  EXPECT_EQ(socket().close_code, 1000);
  EXPECT_FALSE(stopped);
  socket().closed({1000, ""});
  EXPECT_TRUE(stopped);
  EXPECT_EQ(waits(), 1h);
}

TEST_F(SessionTest, StopsAtOnceWithoutAConnection) {
  session_->start();
  transport_.fail({errc::kHostUnavailable, "refused"});
  bool stopped = false;
  session_->stop([&](const Status& status) { stopped = status.ok(); });
  EXPECT_TRUE(stopped);
  EXPECT_EQ(waits(), 1h);
}

TEST_F(SessionTest, AnAnswerAfterTheStopOpensNothing) {
  session_->start();
  session_->stop([](const Status&) {});
  transport_.answer(201, kOpened);
  EXPECT_THAT(transport_.sockets, IsEmpty());
}

TEST_F(SessionTest, AnUntrustedCertificateIsSaidOnce) {
  session_->start();
  for (int attempt = 0; attempt < 3; ++attempt) {
    transport_.fail({kUntrustedCertificate, "the certificate of X is not accepted: expired"});
    waits();
  }
  EXPECT_THAT(log_.lines(), ElementsAre(AllOf(HasSubstr("not accepted: expired"),
                                              HasSubstr("enroll this machine again"))));
}

TEST_F(SessionTest, ATerribleHeartbeatIntervalIsBounded) {
  session_->start();
  transport_.answer(201, R"({"sessionId":"s","heartbeatIntervalMs":0,"leaseTimeoutMs":-5,
                             "pluginHostGenerations":[]})");
  socket().opened();
  advance(1s);
  EXPECT_LE(socket().sent.size(), 11U);
}

}  // namespace
}  // namespace svc::hostlink
