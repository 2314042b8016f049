#include "session.h"

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/json.h"

#include "session_fixture.h"

namespace svc::serverlink {
namespace {

using common::Json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

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

constexpr const char* kCommand =
    R"({"type":"host-rpc.request","requestId":"r","command":{"type":"x"}})";

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

TEST_F(SessionTest, AMessageThatIsArrivingIsAsGoodAsAnAcknowledgement) {
  session_->start();
  openSession();
  for (int part = 0; part < 12; ++part) {
    ++socket().progress;
    advance(10s);
  }
  EXPECT_EQ(socket().close_code, 0);
  advance(30s);
  EXPECT_EQ(socket().close_code, 1013);
}

// The server may have told somebody that it was not done, or have asked again in another session.
TEST_F(SessionTest, WhatArrivesAfterALongSleepIsNotDone) {
  session_->start();
  openSession();
  clock_.advance(25s);  // the timers of a machine that sleeps wait
  socket().message(kCommand);
  EXPECT_THAT(requests_, IsEmpty());
  EXPECT_EQ(socket().close_code, 1013);
  EXPECT_EQ(waits(), 1s);
  openSession();
  socket().message(kCommand);
  EXPECT_THAT(requests_, SizeIs(1));
}

TEST_F(SessionTest, AfterAShortSleepTheSessionGoesOn) {
  session_->start();
  openSession();
  clock_.advance(24900ms);
  socket().message(kCommand);
  EXPECT_THAT(requests_, SizeIs(1));
  main_.advance(5s);
  socket().message(kAck);
  EXPECT_EQ(socket().close_code, 0);
}

TEST_F(SessionTest, RetriesLaterAndLater) {
  session_->start();
  std::vector<std::chrono::milliseconds> delays;
  for (int attempt = 0; attempt < 10; ++attempt) {
    transport_.fail({errc::kHostUnavailable, "cannot connect to it: refused"});
    delays.push_back(waits());
  }
  EXPECT_THAT(delays, ElementsAre(1s, 2s, 4s, 5s, 5s, 5s, 5s, 5s, 30s, 30s));
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

constexpr auto kUnknownKey =
    R"({"ok":false,"error":{"code":"unauthorized","message":"the host key is unknown"}})";
constexpr auto kRemovedKey =
    R"({"ok":false,"error":{"code":"unauthorized","message":"no","details":{"reason":"removed"}}})";

TEST_F(SessionTest, AServerThatRemembersThatItHasRemovedThisMachineIsBelieved) {
  session_->start();
  openSession();
  socket().closed({1006, "reset"});
  waits();
  transport_.answer(401, kRemovedKey);
  EXPECT_THAT(ends_, ElementsAre(SessionEnd::kRemoved));
  EXPECT_EQ(why_, "http://10.0.0.1:4700/svc has removed this machine");
  EXPECT_EQ(waits(), 1h);
}

TEST_F(SessionTest, SoItIsAtTheFirstStartAndAtTheSocket) {
  session_->start();
  transport_.answer(401, kRemovedKey);
  EXPECT_THAT(ends_, ElementsAre(SessionEnd::kRemoved));
  make(false);
  session_->start();
  transport_.answer(201, kOpened);
  socket().closed({0, "status 401", HttpAnswer{401, kRemovedKey}});
  EXPECT_THAT(ends_, ElementsAre(SessionEnd::kRemoved, SessionEnd::kRemoved));
}

TEST_F(SessionTest, WhoeverKnowsThisMachineNotHasNobodyWorkHereOnceASession) {
  session_->start();
  for (int session = 1; session <= 2; ++session) {
    openSession();
    socket().closed({1006, "reset"});
    for (int refused = 0; refused < 3; ++refused) {
      waits();
      transport_.answer(401, kUnknownKey);
      EXPECT_EQ(refused_, session);
    }
    waits();
  }
  EXPECT_THAT(ends_, IsEmpty()) << "a restored server may know it again";
}

TEST_F(SessionTest, WhatAProxyRefusesHasTheGraceOfALostConnection) {
  session_->start();
  openSession();
  socket().closed({1006, "reset"});
  const auto lost = clock_.steadyNow();
  while (refused_ == 0 && clock_.steadyNow() - lost < 1h) {
    waits();
    transport_.answer(401, "<html>");
    EXPECT_EQ(refused_, clock_.steadyNow() - lost < limits::kSessionWorkGrace ? 0 : 1);
  }
  EXPECT_EQ(refused_, 1);
  EXPECT_THAT(ends_, IsEmpty());
}

std::string mismatch(int server_version, bool retry_update) {
  return fmt::format(R"({{"ok":false,"error":{{"code":"protocol_version_mismatch","message":"no",)"
                     R"("details":{{"serverProtocolVersion":{},"retryUpdate":{}}}}}}})",
                     server_version, retry_update);
}

TEST_F(SessionTest, ANewerServerWithADaemonForThisMachineOffersItAtEachRefusal) {
  make(true);
  session_->start();
  transport_.answer(400, mismatch(2, true));
  EXPECT_THAT(offers_, ElementsAre(2));
  EXPECT_THAT(log_.lines(),
              ElementsAre(AllOf(HasSubstr("protocol version 2, this daemon version 1"),
                                HasSubstr("updates itself"))));
  EXPECT_EQ(waits(), 5s) << "it tries on meanwhile";
  transport_.answer(400, mismatch(2, true));
  EXPECT_THAT(offers_, ElementsAre(2, 2));
}

TEST_F(SessionTest, AnOlderOrEqualServerOffersNothing) {
  make(true);
  session_->start();
  for (const int version : {0, 1}) {
    transport_.answer(400, mismatch(version, true));
    waits();
  }
  EXPECT_THAT(offers_, IsEmpty());
  EXPECT_THAT(log_.lines(), ElementsAre(HasSubstr("install the same version of svc on both")));
}

TEST_F(SessionTest, WithoutADaemonForThisMachineTheLogSaysSo) {
  make(true);
  session_->start();
  transport_.answer(400, mismatch(2, false));
  EXPECT_THAT(offers_, IsEmpty());
  EXPECT_THAT(log_.lines(), ElementsAre(HasSubstr("no daemon for linux-x64")));
}

TEST_F(SessionTest, WithoutTheFlagTheLogNamesIt) {
  session_->start();
  transport_.answer(400, mismatch(2, true));
  EXPECT_THAT(log_.lines(), ElementsAre(HasSubstr("svc-hostd with --auto-update")));
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

TEST_F(SessionTest, AnotherUsersServerIsToldOfOnceForEachUser) {
  session_->start();
  for (const auto* who : {"it is bob's", "it is bob's", "it is dave's"}) {
    transport_.fail(Error{kForeignServer, who});
    waits();
  }
  EXPECT_THAT(log_.lines(), ElementsAre(HasSubstr("it is bob's"), HasSubstr("it is dave's")));
  EXPECT_THAT(ends_, IsEmpty());
  openSession();
  EXPECT_THAT(generations_, SizeIs(1));
}

}  // namespace
}  // namespace svc::serverlink
