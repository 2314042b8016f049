#include "wire/web_socket.h"

#include <Poco/Base64Encoder.h>
#include <Poco/SHA1Engine.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scripted_server.h"

namespace svc::client {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using Connection = ScriptedServer::Connection;

constexpr seconds kPatience{30};
constexpr std::size_t kLimit = 1000;

/// The line of the handshake that shows that its request was read.
std::string acceptLine(const std::string& request) {
  constexpr std::string_view kName = "Sec-WebSocket-Key: ";
  const auto at = request.find(kName) + kName.size();
  Poco::SHA1Engine engine;
  engine.update(request.substr(at, request.find("\r\n", at) - at) +
                "258EAFA5-E914-47DA-95CA-C5AB0DC85B11");
  std::ostringstream out;
  Poco::Base64Encoder encoder(out);
  for (const auto byte : engine.digest()) {
    encoder << static_cast<char>(byte);
  }
  encoder.close();
  return "Sec-WebSocket-Accept: " + out.str() + "\r\n";
}

std::string frame(char kind, const std::string& text) {
  return std::string{static_cast<char>(0x80 | kind), static_cast<char>(text.size())} + text;
}

std::string greet(Connection& connection) {
  auto request = connection.request();
  connection.say(
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
      acceptLine(request) + "\r\n");
  return request;
}

Result<std::unique_ptr<WebSocket>> open(const ScriptedServer& server) {
  return WebSocket::open(*HttpAddress::parse(server.url()), {.target = "/ws",
                                                             .headers = {{"x-token", "t"}},
                                                             .message_bytes = kLimit,
                                                             .patience = kPatience});
}

TEST(WebSocketTest, MessagesThatComeTogetherAreReceivedOneByOne) {
  std::string request;
  {
    ScriptedServer server({[&request](Connection& connection) {
      request = greet(connection);
      connection.say(frame(1, "a") + frame(9, "ping") + frame(1, "b") + frame(1, "c"));
      connection.waitForEnd();
    }});
    const auto socket = open(server);
    ASSERT_TRUE(socket) << socket.error().message;
    const auto first = socket.value()->receive(kPatience);
    ASSERT_TRUE(first && first.value());
    EXPECT_EQ(*first.value(), "a");
    for (const auto* const text : {"b", "c"}) {
      const auto message = socket.value()->receive(seconds::zero());
      ASSERT_TRUE(message && message.value()) << text;
      EXPECT_EQ(*message.value(), text);
    }
    const auto none = socket.value()->receive(seconds::zero());
    ASSERT_TRUE(none);
    EXPECT_FALSE(none.value());
    EXPECT_GE(socket.value()->descriptor(), 0);
  }
  EXPECT_THAT(request, HasSubstr("GET /ws HTTP/1.1\r\n"));
  EXPECT_THAT(request, HasSubstr("\r\nx-token: t\r\n"));
}

TEST(WebSocketTest, WhatIsSentArrivesAndTheEndIsTold) {
  constexpr std::size_t kMaskedFrame = 2 + 4 + 2;
  ScriptedServer server({[](Connection& connection) {
    greet(connection);
    connection.bytes(kMaskedFrame);
    connection.say(frame(1, "got it"));
  }});
  const auto socket = open(server);
  ASSERT_TRUE(socket) << socket.error().message;
  ASSERT_TRUE(socket.value()->send("hi"));
  const auto answer = socket.value()->receive(kPatience);
  ASSERT_TRUE(answer && answer.value());
  EXPECT_EQ(*answer.value(), "got it");
  for (int again = 0; again < 2; ++again) {
    const auto end = socket.value()->receive(kPatience);
    ASSERT_FALSE(end);
    EXPECT_EQ(end.error().code, errc::kAborted);
  }
}

TEST(WebSocketTest, AMessageBeyondTheLimitEndsTheConnection) {
  ScriptedServer server({[](Connection& connection) {
    greet(connection);
    connection.say(std::string("\x81\x7e\x10\x00", 4) + std::string(4096, 'x'));
    connection.waitForEnd();
  }});
  const auto socket = open(server);
  ASSERT_TRUE(socket) << socket.error().message;
  EXPECT_FALSE(socket.value()->receive(kPatience));
}

TEST(WebSocketTest, AServerThatRefusesIsUnavailable) {
  ScriptedServer server({[](Connection& connection) {
    connection.request();
    connection.answer("", "401 Unauthorized");
  }});
  const auto socket = open(server);
  ASSERT_FALSE(socket);
  EXPECT_EQ(socket.error().code, errc::kUnavailable);
  EXPECT_THAT(socket.error().message, HasSubstr("nothing answers at " + server.url()));
}

}  // namespace
}  // namespace svc::client
