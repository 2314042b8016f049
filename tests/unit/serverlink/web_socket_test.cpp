#include "web_socket.h"

#include <Poco/Buffer.h>
#include <Poco/Net/NetException.h>
#include <Poco/Net/WebSocket.h>

#include "svc/common/limits/hosts.h"
#include "svc/hostprotocol/protocol.h"

#include "network_fixture.h"
#include "test_server.h"

namespace svc::serverlink {
namespace {

using Poco::Net::HTTPServerRequest;
using Poco::Net::HTTPServerResponse;
using Poco::Net::WebSocket;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

/// What the server does with one WebSocket, until it returns.
using Conversation = std::function<void(WebSocket&)>;

TestServer::Handler conversing(Conversation conversation,
                               std::string subprotocol = std::string(hostprotocol::kSubprotocol)) {
  return [conversation, subprotocol](HTTPServerRequest& request, HTTPServerResponse& response) {
    try {
      response.set("Sec-WebSocket-Protocol", subprotocol);
      WebSocket socket(request, response);
      socket.setMaxPayloadSize(static_cast<int>(limits::kIpcMessage) + 1024);
      conversation(socket);
    } catch (const Poco::Exception&) {
      // The client has gone.
    }
  };
}

/// The next text message; empty when the client has closed, with a close frame or without.
std::string receive(WebSocket& socket) {
  for (;;) {
    Poco::Buffer<char> bytes(0);
    int flags = 0;
    const int size = socket.receiveFrame(bytes, flags);
    const int kind = flags & WebSocket::FRAME_OP_BITMASK;
    if (kind == WebSocket::FRAME_OP_TEXT) {
      return {bytes.begin(), static_cast<std::size_t>(size)};
    }
    if (kind == WebSocket::FRAME_OP_CLOSE || (size == 0 && flags == 0)) {
      return {};
    }
  }
}

void sendText(WebSocket& socket, const std::string& text) {
  socket.sendFrame(text.data(), static_cast<int>(text.size()), WebSocket::FRAME_TEXT);
}

void echo(WebSocket& socket) {
  for (auto text = receive(socket); !text.empty(); text = receive(socket)) {
    sendText(socket, text);
  }
  socket.shutdown();
}

class WebSocketTest : public NetworkFixture {
 protected:
  std::shared_ptr<ISocket> open(const Endpoint& endpoint) {
    return network_.open({endpoint, "/internal/ws?sessionId=s1", "svch_key"}, story_);
  }
  bool opened() {
    return runUntil([this] { return story_->opened || story_->end; }) && story_->opened;
  }
  bool ended() {
    return runUntil([this] { return story_->end.has_value(); });
  }

  std::shared_ptr<SocketStory> story_ = std::make_shared<SocketStory>();
};

TEST_F(WebSocketTest, AsksForTheSessionWithItsKey) {
  std::string asked;
  TestServer server([&](HTTPServerRequest& request, HTTPServerResponse& response) {
    asked = request.getURI() + ' ' + request.get("Authorization") + ' ' +
            request.get("Sec-WebSocket-Protocol");
    conversing(echo)(request, response);
  });
  const auto socket = open({server.address("/base")});
  ASSERT_TRUE(opened()) << story_->end->reason;
  EXPECT_EQ(asked, "/base/internal/ws?sessionId=s1 Bearer svch_key svc-host-daemon.v1");
}

TEST_F(WebSocketTest, CarriesMessagesBothWaysInOrder) {
  TestServer server(conversing(echo));
  const auto socket = open({server.address()});
  std::vector<std::string> sent;
  for (int number = 0; number < 2000; ++number) {
    sent.push_back("message " + std::to_string(number));
    socket->send(sent.back());
  }
  ASSERT_TRUE(runUntil([&] { return story_->messages.size() == sent.size() || story_->end; }));
  EXPECT_EQ(story_->messages, sent);
}

TEST_F(WebSocketTest, ManyThreadsMaySend) {
  TestServer server(conversing(echo));
  const auto socket = open({server.address()});
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&socket, thread] {
      for (int number = 0; number < 250; ++number) {
        socket->send(std::string(1, static_cast<char>('a' + thread)) + std::to_string(number));
      }
    });
  }
  ASSERT_TRUE(runUntil([&] { return story_->messages.size() == 1000 || story_->end; }));
  for (auto& thread : threads) {
    thread.join();
  }
  std::map<char, int> next;
  for (const auto& message : story_->messages) {
    EXPECT_EQ(message.substr(1), std::to_string(next[message[0]]++));
  }
}

TEST_F(WebSocketTest, CarriesLargeMessages) {
  TestServer server(conversing(echo));
  const auto socket = open({server.address()});
  const std::string large(limits::kHostInput, 'x');
  socket->send(large);
  ASSERT_TRUE(runUntil([&] { return !story_->messages.empty() || story_->end; }));
  ASSERT_THAT(story_->messages, SizeIs(1));
  EXPECT_TRUE(story_->messages[0] == large);
}

TEST_F(WebSocketTest, WorksWithTls) {
  const TestCertificate certificate(root_);
  TestServer server(conversing(echo), certificate);
  const auto socket = open({server.address(), certificate.fingerprint});
  ASSERT_TRUE(opened()) << story_->end->reason;
  for (int number = 0; number < 200; ++number) {
    socket->send(std::string(10'000, 'x'));
  }
  ASSERT_TRUE(runUntil([&] { return story_->messages.size() == 200 || story_->end; }));
  EXPECT_THAT(story_->messages, Each(SizeIs(10'000)));
}

TEST_F(WebSocketTest, AnUntrustedCertificateIsTheReason) {
  const TestCertificate certificate(root_);
  TestServer server(conversing(echo), certificate);
  const auto socket = open({server.address()});
  ASSERT_TRUE(ended());
  EXPECT_FALSE(story_->opened);
  EXPECT_THAT(story_->end->reason, HasSubstr("is not accepted"));
}

TEST_F(WebSocketTest, ARefusalIsHandedOn) {
  TestServer server([](HTTPServerRequest&, HTTPServerResponse& response) {
    response.setStatus(HTTPServerResponse::HTTP_UNAUTHORIZED);
    response.setContentLength(4);
    response.send() << "nope";
  });
  const auto socket = open({server.address()});
  ASSERT_TRUE(ended());
  ASSERT_TRUE(story_->end->refusal.has_value());
  EXPECT_EQ(story_->end->refusal->status, 401U);
  EXPECT_EQ(story_->end->refusal->body, "nope");
}

TEST_F(WebSocketTest, AnotherSubprotocolIsNoSession) {
  TestServer server(conversing(echo, "chat"));
  const auto socket = open({server.address()});
  ASSERT_TRUE(ended());
  EXPECT_FALSE(story_->opened);
  EXPECT_THAT(story_->end->reason, HasSubstr("does not speak svc-host-daemon.v1"));
}

TEST_F(WebSocketTest, TheServersCloseFrameIsHandedOnBehindItsMessages) {
  TestServer server(conversing([](WebSocket& socket) {
    sendText(socket, "last");
    socket.shutdown(1008, "enough");
    receive(socket);
  }));
  const auto socket = open({server.address()});
  ASSERT_TRUE(ended());
  EXPECT_THAT(story_->messages, ElementsAre("last"));
  EXPECT_EQ(story_->end->code, 1008);
  EXPECT_EQ(story_->end->reason, "enough");
}

TEST_F(WebSocketTest, AConnectionThatBreaksEnds) {
  TestServer server(conversing([](WebSocket& socket) { sendText(socket, "bye"); }));
  const auto socket = open({server.address()});
  ASSERT_TRUE(ended());
  EXPECT_EQ(story_->end->code, 0);
}

TEST_F(WebSocketTest, CloseSendsWhatWaits) {
  std::vector<std::string> received;
  TestServer server(conversing([&](WebSocket& socket) {
    for (auto text = receive(socket); !text.empty(); text = receive(socket)) {
      received.push_back(text);
    }
    socket.shutdown();
  }));
  {
    const auto socket = open({server.address()});
    ASSERT_TRUE(opened());
    for (int number = 0; number < 100; ++number) {
      socket->send(std::string(1000, 'x'));
    }
    socket->close(1000, "done");
    socket->send("too late");
  }
  ASSERT_TRUE(ended());
  server.stop();
  EXPECT_THAT(received, SizeIs(100));
  EXPECT_THAT(received, Each(SizeIs(1000)));
}

TEST_F(WebSocketTest, ASilentServerDoesNotDelayTheEnd) {
  std::atomic<bool> over{false};
  TestServer server(conversing([&](WebSocket&) { over.wait(false); }));
  const Handle end([&] {
    over = true;
    over.notify_all();
  });
  const auto socket = open({server.address()});
  ASSERT_TRUE(opened());
  socket->close(1000, "");
  EXPECT_TRUE(ended());
}

TEST_F(WebSocketTest, BinaryMessagesAreRefused) {
  int code = 0;
  TestServer server(conversing([&](WebSocket& socket) {
    socket.sendFrame("x", 1, WebSocket::FRAME_BINARY);
    Poco::Buffer<char> bytes(0);
    int flags = 0;
    socket.receiveFrame(bytes, flags);
    code = static_cast<unsigned char>(bytes[0]) * 256 + static_cast<unsigned char>(bytes[1]);
  }));
  const auto socket = open({server.address()});
  EXPECT_TRUE(ended());
  server.stop();
  EXPECT_EQ(code, 1003);
}

TEST_F(WebSocketTest, LettingGoDropsTheConnection) {
  std::atomic<bool> gone{false};
  TestServer server(conversing([&](WebSocket& socket) {
    try {
      receive(socket);
    } catch (const Poco::Exception&) {
      // Reset instead of closed.
    }
    gone = true;
    gone.notify_all();
  }));
  {
    const auto socket = open({server.address()});
    ASSERT_TRUE(opened());
  }
  EXPECT_TRUE(ended());
  gone.wait(false);
}

TEST_F(WebSocketTest, AListenerThatIsGoneHearsNothing) {
  TestServer server(conversing(echo));
  const auto socket = open({server.address()});
  ASSERT_TRUE(opened());
  socket->send("x");
  const std::weak_ptr<SocketStory> weak = std::exchange(story_, nullptr);
  EXPECT_TRUE(weak.expired());
  TestServer other([](HTTPServerRequest&, HTTPServerResponse& response) { response.send(); });
  EXPECT_TRUE(post({other.address()}).ok());
}

TEST_F(WebSocketTest, AServerThatTakesNothingIsGivenUp) {
  std::atomic<bool> over{false};
  TestServer server(conversing([&](WebSocket&) { over.wait(false); }));
  const Handle end([&] {
    over = true;
    over.notify_all();
  });
  const auto socket = open({server.address()});
  ASSERT_TRUE(opened());
  const std::string message(10UL * 1024 * 1024, 'x');
  EXPECT_EQ(socket->backlog(), 0U);
  for (int count = 0; count < 5; ++count) {
    socket->send(message);
  }
  EXPECT_GE(socket->backlog(), 4 * message.size());
  for (int count = 0; count < 5; ++count) {
    socket->send(message);
  }
  ASSERT_TRUE(ended());
  EXPECT_THAT(story_->end->reason, HasSubstr("83886080 bytes behind"));
}

TEST_F(WebSocketTest, WhatMayWaitDoesNotEndIt) {
  std::atomic<bool> sent{false};
  std::atomic<int> received{0};
  TestServer server(conversing([&](WebSocket& socket) {
    sent.wait(false);
    while (received < 12 && !receive(socket).empty()) {
      ++received;
    }
  }));
  const auto socket = open({server.address()});
  ASSERT_TRUE(opened());
  for (int count = 0; count < 12; ++count) {
    EXPECT_TRUE(socket->sendWithRoom(std::string(10UL * 1024 * 1024, 'x')));
  }
  sent = true;
  sent.notify_all();
  ASSERT_TRUE(runUntil([&] { return received == 12 || story_->end; }));
  EXPECT_EQ(received, 12);
}

TEST_F(WebSocketTest, AMainThreadThatIsBehindStopsTheReading) {
  constexpr int kMessages = 30;
  const std::string large(8UL * 1024 * 1024, 'x');
  std::atomic<int> sent{0};
  TestServer server(conversing([&](WebSocket& socket) {
    for (int count = 0; count < kMessages; ++count) {
      sendText(socket, large);
      ++sent;
    }
    receive(socket);
  }));
  const auto socket = open({server.address()});
  ASSERT_TRUE(runUntil([&] { return !story_->messages.empty() || story_->end; }));
  EXPECT_LT(sent, kMessages / 2);
  ASSERT_TRUE(runUntil([&] { return story_->messages.size() == kMessages || story_->end; }));
  EXPECT_THAT(story_->messages, SizeIs(kMessages));
}

TEST_F(WebSocketTest, PartsOfAMessageAreProgress) {
  std::atomic<int> step{0};
  TestServer server(conversing([&](WebSocket& socket) {
    const std::string part(100'000, 'x');
    const auto size = static_cast<int>(part.size());
    sendText(socket, "short");
    step.wait(0);
    socket.sendFrame(part.data(), size, WebSocket::FRAME_OP_TEXT);
    step.wait(1);
    socket.sendFrame(part.data(), size,
                     int{WebSocket::FRAME_FLAG_FIN} | int{WebSocket::FRAME_OP_CONT});
    receive(socket);
  }));
  const auto advance = [&] {
    ++step;
    step.notify_all();
  };
  const Handle end([&] {
    advance();
    advance();
  });
  const auto socket = open({server.address()});
  ASSERT_TRUE(runUntil([&] { return !story_->messages.empty() || story_->end; }));
  EXPECT_EQ(socket->progress(), 0U);
  advance();
  EXPECT_TRUE(runUntil([&] { return socket->progress() > 0; }));
  EXPECT_THAT(story_->messages, testing::SizeIs(1));
  advance();
  ASSERT_TRUE(runUntil([&] { return story_->messages.size() == 2 || story_->end; }));
  EXPECT_EQ(story_->messages.back(), std::string(200'000, 'x'));
}

TEST_F(WebSocketTest, SocketsMayOutliveTheNetwork) {
  TestServer server(conversing(echo));
  std::shared_ptr<ISocket> socket;
  {
    Network network(main_, main_.context());
    socket = network.open({{server.address()}, "/x", "key"}, story_);
    ASSERT_TRUE(opened());
  }
  socket->send("x");
  socket->close(1000, "");
}

}  // namespace
}  // namespace svc::serverlink
