#include "plugin_socket.h"

#include "svc/common/limits/http.h"

#include "channel_fixture.h"

namespace svc::routes {
namespace {

using svc::test::MockWebSocket;
using ::testing::_;
using ::testing::NiceMock;
using ::testing::StrictMock;

class PluginSocketTest : public ChannelTest {
 protected:
  std::shared_ptr<PluginSocket> make(
      PluginSocket::Handlers handlers = PluginSocket::Handlers::kReady) {
    return std::make_shared<PluginSocket>(PluginSocket::Target{load, "5", "http:WEBSOCKET /live"},
                                          handlers);
  }
  std::shared_ptr<StrictMock<MockWebSocket>> wire = std::make_shared<StrictMock<MockWebSocket>>();
};

TEST_F(PluginSocketTest, EachEventIsACallOfTheScript) {
  const auto socket = make();
  socket->onOpen(wire);
  socket->onText("text");
  socket->onBinary("bytes");
  socket->onClose(4001, "enough");
  ASSERT_EQ(asked.size(), 4U);
  EXPECT_EQ(asked[0].source, "http:WEBSOCKET /live");
  EXPECT_EQ(asked[0].invocation.function, "http.open");
  EXPECT_EQ(asked[0].invocation.meta, "5");
  EXPECT_EQ(asked[1].invocation.function, "http.text");
  EXPECT_EQ(asked[1].invocation.body, "text");
  EXPECT_FALSE(asked[1].invocation.binary);
  EXPECT_EQ(asked[2].invocation.function, "http.binary");
  EXPECT_TRUE(asked[2].invocation.binary);
  EXPECT_EQ(asked[3].invocation.meta, R"({"id":"5","code":4001,"reason":"enough"})");
}

TEST_F(PluginSocketTest, SendsOnlyWhileItIsOpen) {
  const auto socket = make();
  socket->sendText("early");
  socket->onOpen(wire);
  EXPECT_CALL(*wire, sendText(::testing::Pointee(std::string("text"))));
  EXPECT_CALL(*wire, sendBinary(::testing::Pointee(std::string("bytes"))));
  socket->sendText("text");
  socket->sendBinary("bytes");
  socket->onClose(1000, "");
  socket->sendText("late");
  socket->close(1000, "");
}

TEST_F(PluginSocketTest, WithoutHandlersItClosesAndTheScriptHearsNothing) {
  const auto socket = make(PluginSocket::Handlers::kFailed);
  EXPECT_CALL(*wire, close(1011, _));
  socket->onOpen(wire);
  socket->onClose(1011, "");
  EXPECT_TRUE(asked.empty());
}

TEST_F(PluginSocketTest, AScriptThatIsBehindHoldsTheClientBack) {
  const auto socket = make();
  socket->onOpen(wire);
  for (std::size_t i = 0; i + 1 < PluginSocket::kWaitingMessages; ++i) {
    socket->onText("x");
  }
  EXPECT_CALL(*wire, setReading(false));
  socket->onText("x");
  socket->onText("one that was read already");
  ::testing::Mock::VerifyAndClearExpectations(wire.get());
  EXPECT_CALL(*wire, setReading(true)).Times(1);
  for (auto& call : asked) {
    call.done(std::string());
  }
  socket->onClose(1000, "");
}

TEST_F(PluginSocketTest, ManyBytesHoldTheClientBackToo) {
  const auto socket = make();
  socket->onOpen(wire);
  EXPECT_CALL(*wire, setReading(false));
  socket->onBinary(std::string(limits::kWsBacklog, 'x'));
  EXPECT_CALL(*wire, setReading(true));
  asked[1].done(Error{errc::kHandlerError, "a failed call counts as taken"});
  socket->onClose(1000, "");
}

TEST_F(PluginSocketTest, EndOfTheLoadClosesEverySocketAndWaitsForThem) {
  const auto socket = make();
  socket->onOpen(wire);
  EXPECT_CALL(*wire, close(1012, std::string(kGoneReason)));
  bool done = false;
  load->sockets.closeAll([&](const Status& status) { done = status.ok(); });
  EXPECT_FALSE(done);
  socket->onClose(1012, std::string(kGoneReason));
  EXPECT_TRUE(done);
  EXPECT_EQ(asked.back().invocation.function, "http.closed");
}

TEST_F(PluginSocketTest, AHandshakeThatCompletesAfterTheEndIsClosedAtOnce) {
  bool done = false;
  load->sockets.closeAll([&](const Status& status) { done = status.ok(); });
  EXPECT_TRUE(done) << "nothing is open";
  EXPECT_CALL(*wire, close(1012, _));
  make()->onOpen(wire);
  EXPECT_TRUE(asked.empty());
}

TEST_F(PluginSocketTest, AScriptThatHasGoneIsNotCalled) {
  const auto socket = std::make_shared<PluginSocket>(
      PluginSocket::Target{loads->create(2, {}), "5", "http:WEBSOCKET /live"},
      PluginSocket::Handlers::kReady);
  socket->onOpen(wire);
  socket->onText("x");
  socket->onClose(1006, "");
  EXPECT_TRUE(asked.empty());
}

}  // namespace
}  // namespace svc::routes
