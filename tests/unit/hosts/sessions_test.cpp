#include "sessions.h"

#include "svc/common/limits/hosts.h"

#include "fixture.h"

namespace svc::hosts {
namespace {

using namespace std::chrono_literals;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class SessionsTest : public HostsFixture {
 protected:
  static std::string reasonOf(RecordedSocket& socket) {
    const auto message = socket.next();
    return message["type"] == Json("session-close") ? message["reason"].asString() : std::string();
  }
};

TEST_F(SessionsTest, AHostIsConnectedWhenItsSocketIsOpen) {
  const auto session = openSession();
  EXPECT_THAT(states_, IsEmpty());
  EXPECT_EQ(sessions_->find("host_1"), nullptr);
  ASSERT_TRUE(sessions_->accept(session->id(), "host_1").ok());
  session->onOpen(std::make_shared<RecordedSocket>());
  EXPECT_THAT(states_, ElementsAre("connected host_1"));
  EXPECT_EQ(sessions_->find("host_1"), session);
  EXPECT_EQ(sessions_->find("host_2"), nullptr);
}

TEST_F(SessionsTest, HeartbeatsAreAcknowledgedAndSeen) {
  const auto daemon = connect();
  EXPECT_CALL(registry_, seen("host_1"));
  daemon.says(R"({"type":"heartbeat"})");
  EXPECT_EQ(daemon.socket->next()["type"], Json("heartbeat-ack"));
}

TEST_F(SessionsTest, AnyMessageRenewsTheLease) {
  const auto daemon = connect();
  for (int i = 0; i < 4; ++i) {
    reactor_.advance(limits::kSessionLease - 1ms);
    daemon.says(R"({"type":"plugin-host.worker-exited","pluginId":"p","generation":"g"})");
  }
  EXPECT_EQ(daemon.socket->closed, "");
  EXPECT_EQ(sessions_->find("host_1"), daemon.session);
}

TEST_F(SessionsTest, AMessageThatIsArrivingRenewsTheLeaseAndIsAcknowledgedLikeHeartbeats) {
  const auto daemon = connect();
  EXPECT_CALL(registry_, seen("host_1")).Times(12);
  for (int part = 0; part < 60; ++part) {
    reactor_.advance(1s);
    daemon.session->onReceiving();
  }
  EXPECT_EQ(daemon.socket->closed, "");
  EXPECT_EQ(daemon.socket->texts.size(), 12U);
  EXPECT_THAT(daemon.socket->texts, Each(R"({"type":"heartbeat-ack"})"));
  daemon.socket->read = daemon.socket->texts.size();
  reactor_.advance(limits::kSessionLease);
  EXPECT_EQ(reasonOf(*daemon.socket), "expired");
  daemon.session->onReceiving();
}

TEST_F(SessionsTest, AHeartbeatIsTheAcknowledgementOfTheMessageBehindIt) {
  const auto daemon = connect();
  reactor_.advance(limits::kSessionLease - 1ms);
  daemon.says(R"({"type":"heartbeat"})");
  daemon.session->onReceiving();
  EXPECT_EQ(daemon.socket->texts.size(), 1U);
}

TEST_F(SessionsTest, ASilentDaemonExpires) {
  const auto daemon = connect();
  reactor_.advance(limits::kSessionLease - 1ms);
  EXPECT_EQ(daemon.socket->closed, "");
  reactor_.advance(1ms);
  EXPECT_EQ(reasonOf(*daemon.socket), "expired");
  EXPECT_THAT(daemon.socket->closed, HasSubstr("1000"));
  EXPECT_THAT(states_, ElementsAre("connected host_1", "disconnected host_1"));
  EXPECT_EQ(sessions_->accept(daemon.session->id(), "host_1").error().code, errc::kInactiveSession);
}

TEST_F(SessionsTest, ASessionWithoutSocketExpiresQuietly) {
  const auto session = openSession();
  reactor_.advance(limits::kSessionLease);
  EXPECT_TRUE(session->ended());
  EXPECT_THAT(states_, IsEmpty());
  EXPECT_EQ(sessions_->accept(session->id(), "host_1").error().code, errc::kInactiveSession);
}

TEST_F(SessionsTest, ALostSocketIsADisconnectionAfterTheGrace) {
  const auto daemon = connect();
  daemon.session->onClose(1006, "");
  EXPECT_EQ(sessions_->find("host_1"), nullptr);
  reactor_.advance(limits::kSessionGrace - 1ms);
  EXPECT_THAT(states_, ElementsAre("connected host_1"));
  reactor_.advance(1ms);
  EXPECT_THAT(states_, ElementsAre("connected host_1", "disconnected host_1"));
}

TEST_F(SessionsTest, ADaemonThatIsBackWithinTheGraceWasNeverAway) {
  connect().session->onClose(1006, "");
  reactor_.advance(limits::kSessionGrace - 1ms);
  connect();
  reactor_.advance(limits::kSessionGrace);
  EXPECT_THAT(states_, ElementsAre("connected host_1", "connected host_1"));
}

TEST_F(SessionsTest, AnOpenSessionWithoutSocketDoesNotStopTheGrace) {
  connect().session->onClose(1006, "");
  const auto second = openSession();
  reactor_.advance(limits::kSessionGrace);
  EXPECT_THAT(states_, ElementsAre("connected host_1", "disconnected host_1"));
  ASSERT_TRUE(sessions_->accept(second->id(), "host_1").ok());
  second->onOpen(std::make_shared<RecordedSocket>());
  EXPECT_EQ(states_.back(), "connected host_1");
}

TEST_F(SessionsTest, TheSameDaemonReplacesItsSessionSilently) {
  const auto first = connect();
  const auto second = connect();
  EXPECT_EQ(first.socket->unread(), 0U);
  EXPECT_THAT(first.socket->closed, HasSubstr("1000"));
  EXPECT_EQ(sessions_->find("host_1"), second.session);
  // The old socket closes after the new one is open.
  first.session->onClose(1006, "");
  reactor_.advance(limits::kSessionGrace);
  EXPECT_THAT(states_, Not(::testing::Contains("disconnected host_1")));
}

TEST_F(SessionsTest, AnotherDaemonWithTheKeyStopsThePreviousOne) {
  const auto first = connect("host_1", "one");
  connect("host_1", "two");
  EXPECT_EQ(reasonOf(*first.socket), "replaced");
  EXPECT_THAT(log_text_.str(), HasSubstr("another daemon with its key"));
}

TEST_F(SessionsTest, SessionsOfOtherHostsAreNotTouched) {
  const auto first = connect("host_1");
  connect("host_2");
  EXPECT_EQ(first.socket->closed, "");
  EXPECT_EQ(sessions_->connected().size(), 2U);
}

TEST_F(SessionsTest, ARemovedHostIsToldAndDisconnectedAtOnce) {
  const auto daemon = connect();
  sessions_->remove("host_1");
  EXPECT_EQ(reasonOf(*daemon.socket), "removed");
  EXPECT_EQ(states_.back(), "disconnected host_1");
  sessions_->remove("host_1");
  sessions_->remove("nobody");
  EXPECT_EQ(states_.size(), 2U);
}

TEST_F(SessionsTest, ShuttingDownEndsEverySessionAndRefusesNewOnes) {
  const auto first = connect("host_1");
  const auto second = connect("host_2");
  connect("host_1", "three").session->onClose(1006, "");
  sessions_->shutDown();
  EXPECT_EQ(reasonOf(*second.socket), "shutdown");
  EXPECT_THAT(second.socket->closed, HasSubstr("1001"));
  EXPECT_EQ(sessions_->open("host_1", {}, {}).error().code, errc::kUnavailable);
  reactor_.advance(1h);
  EXPECT_THAT(states_, Not(::testing::Contains("disconnected host_2")));
  EXPECT_EQ(reactor_.pendingTimers(), 0U);
}

TEST_F(SessionsTest, AMessageThatIsNotValidEndsTheSession) {
  for (const auto* text : {"{", R"({"type":"terminal.open"})", R"({"type":"heartbeat","x":1})"}) {
    const auto daemon = connect();
    daemon.says(text);
    EXPECT_EQ(daemon.socket->closed, "1008 invalid-message") << text;
    EXPECT_EQ(sessions_->find("host_1"), nullptr);
  }
  const auto daemon = connect();
  daemon.session->onBinary("x");
  EXPECT_EQ(daemon.socket->closed, "1008 invalid-message");
  EXPECT_THAT(log_text_.str(), HasSubstr("it is binary"));
  reactor_.advance(limits::kSessionGrace);
  EXPECT_EQ(states_.back(), "disconnected host_1");
}

TEST_F(SessionsTest, WhatASessionSaysAfterItsEndIsNotHeard) {
  const auto first = connect();
  const auto second = connect();
  EXPECT_CALL(registry_, seen).Times(0);
  first.says(R"({"type":"heartbeat"})");
  EXPECT_EQ(first.socket->unread(), 0U);
}

TEST_F(SessionsTest, ASocketThatComesAfterTheEndIsClosed) {
  const auto session = openSession();
  ASSERT_TRUE(sessions_->accept(session->id(), "host_1").ok());
  openSession();
  const auto socket = std::make_shared<RecordedSocket>();
  session->onOpen(socket);
  EXPECT_EQ(socket->closed, "1008 inactive-session");
  EXPECT_THAT(states_, IsEmpty());
}

TEST_F(SessionsTest, ASessionHasOneSocketOfItsOwnHost) {
  const auto session = openSession();
  EXPECT_EQ(sessions_->accept("nothing", "host_1").error().code, errc::kUnauthorized);
  EXPECT_EQ(sessions_->accept(session->id(), "host_2").error().code, errc::kForbidden);
  EXPECT_TRUE(sessions_->accept(session->id(), "host_1").ok());
  EXPECT_EQ(sessions_->accept(session->id(), "host_1").error().code, errc::kConflict);
  session->onClose(1006, "never opened");
  EXPECT_EQ(sessions_->accept(session->id(), "host_1").error().code, errc::kInactiveSession);
  EXPECT_EQ(sessions_->accept(session->id(), "host_2").error().code, errc::kForbidden);
}

}  // namespace
}  // namespace svc::hosts
