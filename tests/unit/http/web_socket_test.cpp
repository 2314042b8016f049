// WebSockets over real sockets, with Beast as the client.
#include <condition_variable>
#include <mutex>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket.hpp>

#include "svc/http/web_socket_progress.h"

#include "server_fixture.h"

namespace svc::testing {
namespace {

namespace asio = boost::asio;
namespace websocket = boost::beast::websocket;
using ::testing::HasSubstr;

/// Remembers what happened to one socket, for the test's thread to wait on.
class Recorder final : public http::IWebSocketHandler, public http::IWebSocketProgress {
 public:
  void onReceiving() override {
    update([&] { ++parts_; });
  }
  void onOpen(const http::WebSocketPtr& socket) override {
    update([&] { socket_ = socket; });
  }
  void onText(std::string text) override {
    socket_->sendText(std::make_shared<const std::string>(text));
    update([&] { texts_.push_back(text); });
  }
  void onBinary(std::string bytes) override {
    socket_->sendBinary(std::make_shared<const std::string>(std::move(bytes)));
  }
  void onClose(std::uint16_t code, const std::string&) override {
    update([&] { codes_.push_back(code); });
  }

  http::WebSocketPtr socket() {
    wait([&] { return socket_ != nullptr; });
    return socket_;
  }
  void forget() {
    wait([&] { return !codes_.empty(); });
    update([&] {
      socket_ = nullptr;
      codes_.clear();
    });
  }
  std::uint16_t closeCode() {
    wait([&] { return !codes_.empty(); });
    return codes_.front();
  }
  void awaitParts(std::size_t count) {
    wait([&] { return parts_ >= count; });
  }
  std::size_t partCount() {
    const std::scoped_lock lock(mutex_);
    return parts_;
  }
  std::size_t textCount() {
    const std::scoped_lock lock(mutex_);
    return texts_.size();
  }
  std::size_t closeCount() {
    const std::scoped_lock lock(mutex_);
    return codes_.size();
  }

 private:
  void update(const std::function<void()>& change) {
    const std::scoped_lock lock(mutex_);
    change();
    changed_.notify_all();
  }
  void wait(const std::function<bool()>& condition) {
    std::unique_lock lock(mutex_);
    SVC_ASSERT(changed_.wait_for(lock, 10s, condition));
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  http::WebSocketPtr socket_;
  std::size_t parts_ = 0;
  std::vector<std::string> texts_;
  std::vector<std::uint16_t> codes_;
};

class Client {
 public:
  explicit Client(std::uint16_t port, int receive_buffer = 0) : stream_(context_) {
    auto& socket = stream_.next_layer();
    socket.open(asio::ip::tcp::v4());
    if (receive_buffer > 0) {
      socket.set_option(asio::socket_base::receive_buffer_size(receive_buffer));
    }
    socket.connect({asio::ip::make_address("127.0.0.1"), port});
    const timeval patience{.tv_sec = 10, .tv_usec = 0};
    ::setsockopt(socket.native_handle(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    host_ = fmt::format("127.0.0.1:{}", port);
  }

  boost::system::error_code open(const std::string& path, std::string origin = {}) {
    stream_.set_option(
        websocket::stream_base::decorator([this, origin](websocket::request_type& request) {
          if (!origin.empty()) {
            request.set("origin", origin);
          }
          if (!protocols_.empty()) {
            request.set("sec-websocket-protocol", protocols_);
          }
        }));
    boost::system::error_code failure;
    stream_.handshake(response_, host_, path, failure);
    return failure;
  }
  void send(const std::string& text) {
    stream_.text(true);
    stream_.write(asio::buffer(text));
  }
  /// The next message, or "closed <code>", or "lost".
  std::string read() {
    boost::beast::flat_buffer buffer;
    boost::system::error_code failure;
    stream_.read(buffer, failure);
    if (failure == websocket::error::closed) {
      return fmt::format("closed {}", stream_.reason().code);
    }
    return failure ? "lost" : boost::beast::buffers_to_string(buffer.data());
  }

  asio::io_context context_;
  websocket::stream<asio::ip::tcp::socket> stream_;
  websocket::response_type response_;
  std::string host_;
  std::string protocols_;  ///< what the handshake offers
};

class WebSocketTest : public ServerFixture {
 protected:
  WebSocketTest() : WebSocketTest(10s) {}
  explicit WebSocketTest(std::chrono::milliseconds drain_grace)
      : ServerFixture({.tick = 1ms, .drain_grace = drain_grace}) {
    auto handle = server_.webSocket(
        {.pattern = "/api/v1/ws", .message_limit = 1000, .backlog_limit = 1'000'000},
        [this](const http::Request& request) -> Result<std::shared_ptr<http::IWebSocketHandler>> {
          if (request.queryParameter("refuse")) {
            return Error{errc::kUnauthorized, "not you"};
          }
          return std::shared_ptr<http::IWebSocketHandler>(recorder_);
        });
    SVC_ASSERT(handle.ok());
    handles_.push_back(std::move(handle).value());
  }

  [[nodiscard]] std::string upgrade(std::string_view path, std::string_view headers = "") const {
    return get(
        path,
        fmt::format("Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{}",
                    headers));
  }

  /// As much time as lies between two pings, and the tick that notices.
  void passPing() {
    clock_.advance(limits::kWsPing);
    std::promise<void> ticked;
    const auto timer = reactor_.after(20ms, [&] { ticked.set_value(); });
    auto future = ticked.get_future();
    await(future);
  }

  std::shared_ptr<Recorder> recorder_ = std::make_shared<Recorder>();
};

class WebSocketCutTest : public WebSocketTest {
 protected:
  WebSocketCutTest() : WebSocketTest(1ms) {}
};

TEST_F(WebSocketTest, EchoesTextAndBinary) {
  Client client(server_.port());
  ASSERT_FALSE(client.open("/api/v1/ws"));
  EXPECT_FALSE(client.response_["x-request-id"].empty());
  client.send("hello");
  EXPECT_EQ(client.read(), "hello");
  EXPECT_TRUE(client.stream_.got_text());
  client.stream_.binary(true);
  client.stream_.write(asio::buffer(std::string("\x00\xff", 2)));
  EXPECT_EQ(client.read(), std::string("\x00\xff", 2));
  EXPECT_TRUE(client.stream_.got_binary());
}

TEST_F(WebSocketTest, SendsFromAnyThreadInOrder) {
  Client client(server_.port());
  ASSERT_FALSE(client.open("/api/v1/ws"));
  const auto socket = recorder_->socket();
  for (int i = 0; i < 200; ++i) {
    socket->sendText(std::make_shared<const std::string>(std::to_string(i)));
  }
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(client.read(), std::to_string(i));
  }
}

TEST_F(WebSocketTest, TheGuardAnswersWithHttp) {
  const auto response = ask(upgrade("/api/v1/ws", "Origin: http://evil.example\r\n"));
  EXPECT_EQ(response.status, 403);
  EXPECT_THAT(response.body, HasSubstr("forbidden_origin"));
}

TEST_F(WebSocketTest, TheAcceptorMayRefuse) {
  const auto response = ask(upgrade("/api/v1/ws?refuse=1"));
  EXPECT_EQ(response.status, 401);
  EXPECT_THAT(response.body, HasSubstr("not you"));
}

TEST_F(WebSocketTest, UnknownPathsAreNotFound) {
  EXPECT_EQ(ask(upgrade("/api/v1/other")).status, 404);
}

TEST_F(WebSocketTest, PlainRequestsAreToldToUpgrade) {
  auto outside = server_.webSocket({.pattern = "/ws"}, [this](const http::Request&) {
    return Result<std::shared_ptr<http::IWebSocketHandler>>(recorder_);
  });
  ASSERT_TRUE(outside.ok());
  handles_.push_back(std::move(outside).value());
  for (const auto* path : {"/api/v1/ws", "/ws"}) {
    const auto plain = ask(get(path));
    EXPECT_EQ(plain.status, 426);
    EXPECT_EQ(plain.headers.at("upgrade"), "websocket");
    EXPECT_THAT(plain.body, HasSubstr("WebSocket"));
  }
  EXPECT_EQ(ask(post("/api/v1/ws", "{}")).status, 404);
}

TEST_F(WebSocketTest, KeysAndExtensionsThatAreNoneAreRefused) {
  const auto handshake = [this](std::string_view key, std::string_view extensions) {
    return ask(
        get("/api/v1/ws", fmt::format("Connection: Upgrade\r\nUpgrade: websocket\r\n"
                                      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {}\r\n"
                                      "Sec-WebSocket-Extensions: {}\r\n",
                                      key, extensions)));
  };
  const std::string_view key = "dGhlIHNhbXBsZSBub25jZQ==";
  for (const auto& refused : {handshake("short", "a"), handshake(std::string(500, 'A'), "a"),
                              handshake(key, ";;"), handshake(key, "permessage-deflate; =")}) {
    EXPECT_EQ(refused.status, 400);
    EXPECT_FALSE(refused.headers.contains("server"));
    EXPECT_THAT(refused.body, HasSubstr("Sec-WebSocket-"));
  }
  RawClient client(server_.port());
  client.send(upgrade("/api/v1/ws", "Sec-WebSocket-Extensions: permessage-deflate\r\n"));
  const auto accepted = client.read(RawClient::Body::kNone);
  EXPECT_EQ(accepted.status, 101);
  EXPECT_EQ(accepted.headers.at("server"), "svcd");
}

TEST_F(WebSocketTest, AReasonIsCutBeforeACharacter) {
  std::string whole = "x";
  for (int i = 0; i < 61; ++i) {
    whole += "\u00e9";
  }
  for (const auto& [reason, shown] :
       {std::pair(whole, whole), std::pair("x" + whole, "x" + whole.substr(0, 121))}) {
    Client client(server_.port());
    ASSERT_FALSE(client.open("/api/v1/ws"));
    recorder_->socket()->close(4000, reason);
    EXPECT_EQ(client.read(), "closed 4000");
    EXPECT_EQ(std::string_view(client.stream_.reason().reason.data(),
                               client.stream_.reason().reason.size()),
              shown);
    recorder_->forget();
  }
}

TEST_F(WebSocketTest, RefusesIncompleteHandshakes) {
  EXPECT_EQ(ask(get("/api/v1/ws",
                    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"))
                .status,
            400);
  EXPECT_EQ(ask(upgrade("/api/v1/ws") + "too early").status, 400);
}

TEST_F(WebSocketTest, OtherVersionsOfTheProtocolAreNamed) {
  const auto response =
      ask(get("/api/v1/ws",
              "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 8\r\n"
              "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"));
  EXPECT_EQ(response.status, 426);
  EXPECT_EQ(response.headers.at("sec-websocket-version"), "13");
}

TEST_F(WebSocketTest, TooLargeMessagesCloseWith1009) {
  Client client(server_.port());
  ASSERT_FALSE(client.open("/api/v1/ws"));
  client.send(std::string(1001, 'x'));
  EXPECT_EQ(client.read(), "closed 1009");
  client.stream_.next_layer().close();
  EXPECT_EQ(recorder_->closeCode(), 1009);
}

TEST_F(WebSocketTest, ASlowClientIsClosedWith1013AndDelaysNobody) {
  Client slow(server_.port(), 4096);
  ASSERT_FALSE(slow.open("/api/v1/ws"));
  const auto socket = recorder_->socket();
  const auto frame = std::make_shared<const std::string>(100'000, 'x');
  for (int i = 0; i < 200; ++i) {
    socket->sendText(frame);
  }
  EXPECT_EQ(recorder_->closeCode(), 1013);
  recorder_ = std::make_shared<Recorder>();
  Client quick(server_.port());
  ASSERT_FALSE(quick.open("/api/v1/ws"));
  quick.send("still here");
  EXPECT_EQ(quick.read(), "still here");
  // What was already on its way arrives before the close frame.
  auto last = slow.read();
  while (last == *frame) {
    last = slow.read();
  }
  EXPECT_EQ(last, "closed 1013");
}

TEST_F(WebSocketTest, TheServerClosesWithItsCodeAfterWhatItSent) {
  Client client(server_.port());
  ASSERT_FALSE(client.open("/api/v1/ws"));
  const auto socket = recorder_->socket();
  socket->sendText(std::make_shared<const std::string>("last"));
  socket->close(1012, "reload");
  EXPECT_EQ(client.read(), "last");
  EXPECT_EQ(client.read(), "closed 1012");
  EXPECT_EQ(recorder_->closeCode(), 1012);
}

TEST_F(WebSocketTest, TheClientsCloseCodeIsReported) {
  Client client(server_.port());
  ASSERT_FALSE(client.open("/api/v1/ws"));
  client.stream_.close(websocket::close_code::going_away);
  EXPECT_EQ(recorder_->closeCode(), 1001);
  EXPECT_EQ(recorder_->closeCount(), 1U);
}

TEST_F(WebSocketTest, ALostConnectionIs1006) {
  Client client(server_.port());
  ASSERT_FALSE(client.open("/api/v1/ws"));
  recorder_->socket();
  client.stream_.next_layer().close();
  EXPECT_EQ(recorder_->closeCode(), 1006);
}

TEST_F(WebSocketTest, SendingToAClosedSocketDoesNothing) {
  Client client(server_.port());
  ASSERT_FALSE(client.open("/api/v1/ws"));
  const auto socket = recorder_->socket();
  client.stream_.next_layer().close();
  recorder_->closeCode();
  socket->sendText(std::make_shared<const std::string>("x"));
  socket->close(1000, "");
  EXPECT_EQ(recorder_->closeCount(), 1U);
}

TEST_F(WebSocketTest, NamesItsSubprotocolToClientsThatOfferIt) {
  auto route = server_.webSocket(
      {.pattern = "/api/v1/spoken", .subprotocol = "spoken.v1"},
      [this](const http::Request&) -> Result<std::shared_ptr<http::IWebSocketHandler>> {
        return std::shared_ptr<http::IWebSocketHandler>(recorder_);
      });
  ASSERT_TRUE(route.ok());
  const auto answered = [this](const std::string& offered) {
    Client client(server_.port());
    client.protocols_ = offered;
    EXPECT_FALSE(client.open("/api/v1/spoken"));
    const auto named = client.response_["sec-websocket-protocol"];
    return std::string(named.data(), named.size());
  };
  EXPECT_EQ(answered("other, spoken.v1"), "spoken.v1");
  EXPECT_EQ(answered("spoken.v10"), "");
  EXPECT_EQ(answered(""), "");
}

TEST_F(WebSocketTest, GoesAlongWithTheFirstSubprotocolWhenItHasNone) {
  const auto answered = [this](const std::string& offered) {
    Client client(server_.port());
    client.protocols_ = offered;
    EXPECT_FALSE(client.open("/api/v1/ws"));
    const auto named = client.response_["sec-websocket-protocol"];
    return std::string(named.data(), named.size());
  };
  EXPECT_EQ(answered("graphql-transport-ws, graphql-ws"), "graphql-transport-ws");
  EXPECT_EQ(answered("(no token)"), "");
  EXPECT_EQ(answered(""), "");
}

TEST_F(WebSocketTest, PingsAndDropsAClientThatMissesTwo) {
  Client client(server_.port());
  ASSERT_FALSE(client.open("/api/v1/ws"));
  recorder_->socket();
  // The client never reads, so it never answers.
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(recorder_->closeCount(), 0U);
    passPing();
  }
  EXPECT_EQ(recorder_->closeCode(), 1006);
}

TEST_F(WebSocketTest, AClientWhoseMessageIsArrivingIsThere) {
  Client client(server_.port());
  ASSERT_FALSE(client.open("/api/v1/ws"));
  recorder_->socket();
  for (std::size_t part = 1; part <= 6; ++part) {
    client.stream_.write_some(false, asio::buffer("part", 4));
    recorder_->awaitParts(part);
    passPing();
  }
  EXPECT_EQ(recorder_->closeCount(), 0U);
  EXPECT_EQ(recorder_->textCount(), 0U);
  client.stream_.write_some(true, asio::buffer("end", 3));
  EXPECT_EQ(client.read(), "partpartpartpartpartpartend");
  client.send("short");
  EXPECT_EQ(client.read(), "short");
  EXPECT_EQ(recorder_->partCount(), 6U);
}

TEST_F(WebSocketTest, DrainingClosesWith1001) {
  Client client(server_.port());
  ASSERT_FALSE(client.open("/api/v1/ws"));
  recorder_->socket();
  std::promise<void> drained;
  server_.drain([&] { drained.set_value(); });
  EXPECT_EQ(client.read(), "closed 1001");
  auto future = drained.get_future();
  await(future);
  EXPECT_EQ(recorder_->closeCode(), 1001);
}

TEST_F(WebSocketCutTest, DrainingCutsAClientThatDoesNotAnswer) {
  Client client(server_.port());
  ASSERT_FALSE(client.open("/api/v1/ws"));
  recorder_->socket();
  std::promise<void> drained;
  server_.drain([&] { drained.set_value(); });
  auto future = drained.get_future();
  await(future);
  EXPECT_EQ(recorder_->closeCode(), 1001);
}

class AsyncAcceptorTest : public WebSocketTest {
 protected:
  using Answer = Completion<std::shared_ptr<http::IWebSocketHandler>>;

  AsyncAcceptorTest() {
    auto handle = server_.webSocketAsync(
        {.pattern = "/api/v1/async", .message_limit = 1000, .backlog_limit = 1'000'000},
        [this](const http::Request&, Answer done) {
          asked_.set_value(std::make_shared<Answer>(std::move(done)));
        });
    SVC_ASSERT(handle.ok());
    handles_.push_back(std::move(handle).value());
    answer_ = asked_.get_future();
  }
  std::shared_ptr<http::IWebSocketHandler> handler() { return recorder_; }

  std::promise<std::shared_ptr<Answer>> asked_;
  std::future<std::shared_ptr<Answer>> answer_;
};

TEST_F(AsyncAcceptorTest, AnswersLaterFromAnyThread) {
  std::jthread acceptor([this] { (*await(answer_))(handler()); });
  Client client(server_.port());
  ASSERT_FALSE(client.open("/api/v1/async"));
  client.send("hello");
  EXPECT_EQ(client.read(), "hello");
}

TEST_F(AsyncAcceptorTest, RefusesWithHttp) {
  std::jthread acceptor([this] { (*await(answer_))(Error{errc::kPluginNotRunning, "not now"}); });
  RawClient client(server_.port());
  client.send(upgrade("/api/v1/async"));
  EXPECT_EQ(client.read().status, 503);
  client.send(get("/healthz"));
  EXPECT_EQ(client.read().body, "window") << "the connection stays";
}

TEST_F(AsyncAcceptorTest, ADroppedAnswerIsARefusal) {
  std::jthread acceptor([this] { await(answer_).reset(); });
  EXPECT_EQ(ask(upgrade("/api/v1/async")).status, 503);
}

TEST_F(AsyncAcceptorTest, AHandlerWhoseConnectionIsGoneIsToldOnce) {
  RawClient client(server_.port());
  client.send(upgrade("/api/v1/async"));
  const auto answer = await(answer_);
  clock_.advance(limits::kRpcTimeout + 1s);
  EXPECT_TRUE(client.closedByServer()) << "an acceptor has a bounded time";
  (*answer)(handler());
  EXPECT_EQ(recorder_->closeCode(), 1006);
}

TEST_F(WebSocketTest, AReceiverCanHoldTheClientBack) {
  Client client(server_.port());
  ASSERT_FALSE(client.open("/api/v1/ws"));
  const auto socket = recorder_->socket();
  socket->setReading(false);
  client.send("already read");
  client.send("held back");
  EXPECT_EQ(client.read(), "already read") << "a read was under way";
  EXPECT_EQ(ask(get("/x")).body, "window");
  EXPECT_EQ(recorder_->textCount(), 1U);
  socket->setReading(true);
  EXPECT_EQ(client.read(), "held back");
}

TEST_F(WebSocketTest, AClientInTheMiddleOfATooLargeMessageSeesWhy) {
  Client client(server_.port());
  ASSERT_FALSE(client.open("/api/v1/ws"));
  client.send(std::string(8'000'000, 'x'));
  EXPECT_EQ(client.read(), "closed 1009");
  EXPECT_EQ(recorder_->closeCode(), 1009);
}

TEST_F(WebSocketTest, OneMessageAboveTheBacklogIsSent) {
  Client client(server_.port());
  ASSERT_FALSE(client.open("/api/v1/ws"));
  const auto text = std::make_shared<const std::string>(std::string(1'500'000, 'x'));
  recorder_->socket()->sendText(text);
  EXPECT_EQ(client.read(), *text);
}

}  // namespace
}  // namespace svc::testing
