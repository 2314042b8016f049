// WebSocket routes of plugins, through a real server.
#include <Poco/Net/HTTPClientSession.h>
#include <Poco/Net/HTTPRequest.h>
#include <Poco/Net/HTTPResponse.h>
#include <Poco/Net/NetException.h>
#include <Poco/Net/WebSocket.h>

#include "harness/server.h"
#include "unit/http/raw_client.h"

namespace svc::test {
namespace {

using Poco::Net::WebSocket;

constexpr const char* kSocketsMount = "/api/v1/plugins/http-routes/http";

/// One WebSocket client that sees every frame.
class Client {
 public:
  Client(std::uint16_t port, const std::string& path,
         const std::map<std::string, std::string>& headers = {})
      : session_("127.0.0.1", port) {
    Poco::Net::HTTPRequest request("GET", kSocketsMount + path, "HTTP/1.1");
    for (const auto& [name, value] : headers) {
      request.set(name, value);
    }
    Poco::Net::HTTPResponse response;
    socket_ = std::make_unique<WebSocket>(session_, request, response);
    socket_->setReceiveTimeout(Poco::Timespan(std::chrono::seconds(kDeadline).count(), 0));
    socket_->setMaxPayloadSize(64 << 20);
  }

  /// The next message; "<binary N>" for bytes, "closed <code> <reason>", or "lost".
  std::string read() {
    Poco::Buffer<char> buffer(0);
    int flags = 0;
    try {
      const int size = socket_->receiveFrame(buffer, flags);
      const std::string data(buffer.begin(), buffer.size());
      if ((flags & WebSocket::FRAME_OP_BITMASK) == WebSocket::FRAME_OP_CLOSE) {
        const auto code = data.size() < 2 ? 0
                                          : static_cast<unsigned char>(data[0]) * 256 +
                                                static_cast<unsigned char>(data[1]);
        return "closed " + std::to_string(code) + " " +
               data.substr(std::min<std::size_t>(2, data.size()));
      }
      if (size <= 0 && flags == 0) {
        return "lost";
      }
      return (flags & WebSocket::FRAME_OP_BITMASK) == WebSocket::FRAME_OP_BINARY
                 ? "<binary " + std::to_string(data.size()) + ">"
                 : data;
    } catch (const Poco::Exception&) {
      return "lost";
    }
  }
  void text(const std::string& text) {
    socket_->sendFrame(text.data(), static_cast<int>(text.size()), WebSocket::FRAME_TEXT);
  }
  void binary(const std::string& bytes) {
    socket_->sendFrame(bytes.data(), static_cast<int>(bytes.size()), WebSocket::FRAME_BINARY);
  }
  void close(std::uint16_t code, const std::string& reason) { socket_->shutdown(code, reason); }

 private:
  Poco::Net::HTTPClientSession session_;
  std::unique_ptr<WebSocket> socket_;
};

class PluginSocketsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(server.install(fixture("http_routes"))["status"].asString(), "running");
  }
  [[nodiscard]] std::string upgrade(const std::string& path,
                                    const std::string& headers = "") const {
    const auto answer = exchangeRaw(
        server.port(),
        "GET " + std::string(kSocketsMount) + path +
            " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(server.port()) +
            "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
            headers + "\r\n");
    return answer.substr(9, 3);
  }

  Server server;
};

TEST_F(PluginSocketsTest, EchoesTextAndBytes) {
  Client client(server.port(), "/echo", {{"x-agent", "test"}});
  EXPECT_EQ(client.read(), R"({"readyState":1,"agent":"test"})");
  client.text("h\xC3\xA9llo");
  EXPECT_EQ(client.read(), "h\xC3\xA9llo");
  client.binary(std::string(100'000, '\0'));
  EXPECT_EQ(client.read(), "<binary 100000>");
}

TEST_F(PluginSocketsTest, CloseCodesGoBothWays) {
  auto signals = server.socket();
  Client leaving(server.port(), "/echo");
  EXPECT_NE(leaving.read(), "lost");
  leaving.close(4321, "enough");
  EXPECT_TRUE(signals.awaitSignal("http-routes", "state", R"("closed 4321 enough")"));
  Client asking(server.port(), "/echo");
  EXPECT_NE(asking.read(), "lost");
  asking.text("bye");
  EXPECT_EQ(asking.read(), "closed 4001 as asked");
  EXPECT_TRUE(signals.awaitSignal("http-routes", "state", R"("closed 4001 as asked")"));
}

TEST_F(PluginSocketsTest, ACallbackThatThrowsIsReportedAndTheSocketStays) {
  Client client(server.port(), "/echo");
  EXPECT_NE(client.read(), "lost");
  client.text("throw");
  EXPECT_EQ(client.read(), "error: message refused");
  client.text("still there");
  EXPECT_EQ(client.read(), "still there");
  EXPECT_TRUE(eventually([&] {
    return server.record("http-routes")["lastError"]["message"].asString() == "message refused";
  }));
}

TEST_F(PluginSocketsTest, AFactoryThatFailsClosesWith1011) {
  Client client(server.port(), "/echo?fail=1");
  EXPECT_TRUE(client.read().starts_with("closed 1011"));
}

TEST_F(PluginSocketsTest, ReloadAndDisableCloseWith1012AndTheNextLoadServes) {
  auto signals = server.socket();
  Client first(server.port(), "/echo");
  EXPECT_NE(first.read(), "lost");
  ASSERT_EQ(server.reload("http-routes").status, 200);
  EXPECT_TRUE(first.read().starts_with("closed 1012"));
  EXPECT_TRUE(signals.awaitSignal("http-routes", "state",
                                  R"("closed 1012 the plugin was reloaded or stopped")"))
      << "onClose runs in the load that owned the socket";
  Client second(server.port(), "/echo");
  EXPECT_NE(second.read(), "lost");
  ASSERT_EQ(server.http().post("/api/v1/plugins/http-routes/disable", "{}").status, 200);
  EXPECT_TRUE(second.read().starts_with("closed 1012"));
  EXPECT_EQ(upgrade("/echo"), "503");
}

TEST_F(PluginSocketsTest, ShutdownClosesWith1012) {
  Client client(server.port(), "/echo");
  EXPECT_NE(client.read(), "lost");
  server.process().signal(SIGTERM);
  EXPECT_TRUE(client.read().starts_with("closed 1012"));
  const auto ended = server.process().wait();
  ASSERT_TRUE(ended.has_value());
  EXPECT_EQ(ended->exit_code, 0);
}

TEST_F(PluginSocketsTest, AMessageAboveTheLimitClosesWith1009) {
  Client client(server.port(), "/echo");
  EXPECT_NE(client.read(), "lost");
  client.binary(std::string(16UL * 1024 * 1024, 'x'));
  EXPECT_EQ(client.read(), "<binary 16777216>") << "the limit itself is allowed";
  client.binary(std::string(16UL * 1024 * 1024 + 1, 'x'));
  EXPECT_TRUE(client.read().starts_with("closed 1009"));
}

TEST_F(PluginSocketsTest, AClientThatIsTooFarBehindIsClosedWith1013) {
  auto signals = server.socket();
  Client client(server.port(), "/echo");
  EXPECT_NE(client.read(), "lost");
  client.text("flood");
  const auto closed = signals.awaitSignal("http-routes", "state");
  ASSERT_TRUE(closed.has_value());
  EXPECT_TRUE(closed->asString().starts_with("closed 1013")) << closed->asString();
}

TEST_F(PluginSocketsTest, APathMayHaveARouteAndASocket) {
  EXPECT_EQ(server.http().get(std::string(kSocketsMount) + "/echo").body, "not a socket");
}

TEST_F(PluginSocketsTest, UpgradesAreGuardedLikeRequests) {
  EXPECT_EQ(upgrade("/none"), "404");
  EXPECT_EQ(upgrade("/local"), "404") << "an upgrade never reaches a plain route";
  EXPECT_EQ(upgrade("/echo", "Origin: https://evil.example\r\n"), "403");
  EXPECT_EQ(upgrade("/guarded"), "401");
  const auto token = server.http().post("/api/v1/plugins/http-routes/token", "{}");
  Client client(server.port(), "/guarded?token=" + token.json["token"].asString(),
                {{"Origin", "https://anybody.example"}});
  EXPECT_EQ(client.read(), "in");
}

TEST_F(PluginSocketsTest, BadHandshakesAreRefused) {
  const auto ask = [&](const std::string& headers) {
    return exchangeRaw(server.port(),
                       "GET " + std::string(kSocketsMount) +
                           "/echo HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(server.port()) +
                           "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" + headers + "\r\n")
        .substr(9, 3);
  };
  EXPECT_EQ(ask("Sec-WebSocket-Version: 8\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"),
            "426");
  EXPECT_EQ(ask("Sec-WebSocket-Version: 13\r\n"), "400");
}

}  // namespace
}  // namespace svc::test
