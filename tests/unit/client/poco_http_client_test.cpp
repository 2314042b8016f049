#include "poco_http_client.h"

#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <thread>

#include <Poco/Net/ServerSocket.h>
#include <Poco/Net/SocketAddress.h>
#include <Poco/Net/StreamSocket.h>
#include <gtest/gtest.h>

namespace svc::client {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kShort{500};
constexpr milliseconds kLong{60'000};

/// Answers each request on `listener` once the client has waited for `patience`. Counts the clients that left sooner.
class SlowServer {
 public:
  SlowServer() : thread_([this] { serve(); }) {}
  SlowServer(const SlowServer&) = delete;
  SlowServer& operator=(const SlowServer&) = delete;
  ~SlowServer() {
    ::shutdown(listener_.impl()->sockfd(), SHUT_RD);
    thread_.join();
  }

  [[nodiscard]] std::string url() const { return "http://" + listener_.address().toString(); }
  void answerAfter(milliseconds patience) { patience_ = patience; }

 private:
  void serve() {
    try {
      for (;;) {
        auto connection = listener_.acceptConnection();
        serveConnection(connection);
      }
    } catch (const Poco::Exception&) {
      // The test has ended.
    }
  }

  void serveConnection(Poco::Net::StreamSocket& connection) {
    char request[4096];
    while (connection.receiveBytes(request, sizeof request) > 0) {
      pollfd gone{.fd = connection.impl()->sockfd(), .events = POLLIN, .revents = 0};
      if (::poll(&gone, 1, static_cast<int>(patience_.load().count())) > 0) {
        return;
      }
      const std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
      connection.sendBytes(answer.data(), static_cast<int>(answer.size()));
    }
  }

  Poco::Net::ServerSocket listener_{Poco::Net::SocketAddress("127.0.0.1", Poco::UInt16{0})};
  std::atomic<milliseconds> patience_{milliseconds{0}};
  std::thread thread_;
};

TEST(PocoHttpClientTest, ALaterRequestHasItsOwnTimeLimit) {
  SlowServer server;
  auto client = connectTo(server.url());
  ASSERT_TRUE(client.ok());
  ASSERT_TRUE(client.value()->send({"GET", "/probe", "", kShort}).ok());
  server.answerAfter(kShort * 2);
  const auto answer = client.value()->send({"POST", "/run", "{}", kLong});
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_EQ(answer.value().body, "{}");
}

}  // namespace
}  // namespace svc::client
