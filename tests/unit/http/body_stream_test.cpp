// Bodies that travel in pieces, in both directions, over real sockets.
#include <thread>

#include "svc/common/limits/http.h"

#include "server_fixture.h"

namespace svc::test {
namespace {

using ::testing::HasSubstr;

/// A read or write of an exchange, for the test's thread to wait on.
template <class T>
std::pair<Completion<T>, std::future<Result<T>>> pending() {
  auto promise = std::make_shared<std::promise<Result<T>>>();
  auto future = promise->get_future();
  return {Completion<T>([promise](Result<T> result) { promise->set_value(std::move(result)); }),
          std::move(future)};
}

class BodyStreamTest : public ServerFixture {
 protected:
  static constexpr std::size_t kLimit = 1'000'000;

  BodyStreamTest() {
    auto promise = std::make_shared<std::promise<http::ExchangePtr>>();
    taken_ = promise->get_future();
    auto handle = server_.route(
        {.method = "*",
         .pattern = "/api/v1/stream",
         .guard = http::Guard::kNone,
         .body_limit = kLimit,
         .body = http::BodyMode::kStream},
        [promise](http::ExchangePtr exchange) { promise->set_value(std::move(exchange)); });
    SVC_ASSERT(handle.ok());
    handles_.push_back(std::move(handle).value());
    route("GET", "/api/v1/other",
          [](const http::ExchangePtr& exchange) { exchange->respond({.body = "other"}); });
  }

  http::ExchangePtr taken() { return await(taken_); }
  static Result<std::string> read(const http::ExchangePtr& exchange) {
    auto [done, future] = pending<std::string>();
    exchange->read(std::move(done));
    return await(future);
  }
  static std::string readAll(const http::ExchangePtr& exchange) {
    std::string all;
    for (auto piece = read(exchange); piece && !piece.value().empty(); piece = read(exchange)) {
      all += piece.value();
    }
    return all;
  }
  [[nodiscard]] std::string head(std::string_view headers) const {
    return fmt::format("POST /api/v1/stream HTTP/1.1\r\nHost: {}\r\n{}\r\n", host(), headers);
  }
  /// Everything the io thread had to do before this has been done.
  void roundTrip() { ASSERT_EQ(ask(get("/api/v1/other")).body, "other"); }

  std::future<http::ExchangePtr> taken_;
};

TEST_F(BodyStreamTest, HandsOutPiecesAsTheyArrive) {
  RawClient client(server_.port());
  client.send(head("Content-Length: 6\r\n"));
  const auto exchange = taken();
  client.send("one");
  EXPECT_EQ(read(exchange).value(), "one");
  client.send("two");
  EXPECT_EQ(readAll(exchange), "two");
  EXPECT_EQ(read(exchange).value(), "") << "the end stays the end";
  exchange->respond({.body = "got it"});
  EXPECT_EQ(client.read().body, "got it");
  client.send(get("/api/v1/other"));
  EXPECT_EQ(client.read().body, "other") << "the connection stays";
}

TEST_F(BodyStreamTest, DecodesChunksAndKeepsBytes) {
  RawClient client(server_.port());
  std::string bytes;
  for (int i = 0; i < 256; ++i) {
    bytes.push_back(static_cast<char>(i));
  }
  client.send(head("Transfer-Encoding: chunked\r\n") + "80\r\n" + bytes.substr(0, 128) +
              "\r\n80\r\n" + bytes.substr(128) + "\r\n0\r\n\r\n");
  const auto exchange = taken();
  EXPECT_EQ(readAll(exchange), bytes);
  exchange->respond({});
  EXPECT_EQ(client.read().status, 200);
}

TEST_F(BodyStreamTest, ARequestWithoutABodyEndsAtOnce) {
  RawClient client(server_.port());
  client.send(get("/api/v1/stream"));
  EXPECT_EQ(read(taken()).value(), "");
}

TEST_F(BodyStreamTest, AHandlerThatDoesNotReadHoldsTheClientBack) {
  RawClient client(server_.port());
  client.send(head(fmt::format("Content-Length: {}\r\n", kLimit)));
  const auto exchange = taken();
  std::jthread sender([&] { client.send(std::string(kLimit, 'x')); });
  roundTrip();
  // What is read ahead is bounded, so no piece is much larger.
  std::size_t largest = 0;
  std::size_t total = 0;
  for (auto piece = read(exchange); piece && !piece.value().empty(); piece = read(exchange)) {
    largest = std::max(largest, piece.value().size());
    total += piece.value().size();
  }
  EXPECT_EQ(total, kLimit);
  EXPECT_LE(largest, 4 * http::TransportLimits{}.read_ahead);
}

TEST_F(BodyStreamTest, AsksForTheBodyWhenTheHandlerReads) {
  RawClient client(server_.port());
  client.send(head("Content-Length: 3\r\nExpect: 100-continue\r\n"));
  const auto exchange = taken();
  auto [done, future] = pending<std::string>();
  exchange->read(std::move(done));
  EXPECT_EQ(client.read().status, 100);
  client.send("abc");
  EXPECT_EQ(await(future).value(), "abc");
  exchange->respond({.body = "ok"});
  EXPECT_EQ(client.read().body, "ok");
}

TEST_F(BodyStreamTest, ARefusalBeforeReadingDoesNotAskForTheBody) {
  RawClient client(server_.port());
  client.send(head("Content-Length: 3\r\nExpect: 100-continue\r\n"));
  taken()->respond({.status = 401, .body = "no"});
  auto answer = client.read();
  EXPECT_EQ(answer.status, 401);
  EXPECT_EQ(answer.headers["connection"], "close") << "the body may still come";
}

TEST_F(BodyStreamTest, ALengthAboveTheLimitIsRefusedBeforeTheHandler) {
  const auto answer = ask(head(fmt::format("Content-Length: {}\r\n", kLimit + 1)));
  EXPECT_EQ(answer.status, 413);
  EXPECT_THAT(answer.body, HasSubstr("larger than 1000000 bytes (1000001 bytes)"));
}

TEST_F(BodyStreamTest, ABodyThatGrowsBeyondTheLimitFailsTheRead) {
  RawClient client(server_.port());
  client.send(head("Transfer-Encoding: chunked\r\n"));
  const auto exchange = taken();
  const std::string chunk(100'000, 'x');
  std::jthread sender([&] {
    for (int i = 0; i < 11; ++i) {
      client.send("186a0\r\n" + chunk + "\r\n");
    }
  });
  auto piece = read(exchange);
  while (piece && !piece.value().empty()) {
    piece = read(exchange);
  }
  ASSERT_FALSE(piece.ok());
  EXPECT_EQ(piece.error().code, errc::kTooLarge);
  EXPECT_EQ(read(exchange).error().code, errc::kTooLarge) << "the failure stays";
  exchange->fail(piece.error());
  EXPECT_EQ(client.read().status, 413);
}

TEST_F(BodyStreamTest, MalformedChunksFailTheRead) {
  RawClient client(server_.port());
  client.send(head("Transfer-Encoding: chunked\r\n") + "zz\r\n");
  const auto exchange = taken();
  EXPECT_EQ(read(exchange).error().code, errc::kInvalidInput);
}

TEST_F(BodyStreamTest, AnAnswerBeforeTheEndClosesTheConnection) {
  RawClient client(server_.port());
  client.send(head("Content-Length: 10\r\n") + "abc");
  taken()->respond({.body = "enough"});
  auto answer = client.read();
  EXPECT_EQ(answer.body, "enough");
  EXPECT_EQ(answer.headers["connection"], "close");
  EXPECT_TRUE(client.closedByServer());
}

TEST_F(BodyStreamTest, ASmallBodyThatNobodyReadsKeepsTheConnection) {
  RawClient client(server_.port());
  client.send(head("Content-Length: 3\r\n") + "abc" + get("/api/v1/other"));
  taken()->respond({.body = "ok"});
  EXPECT_EQ(client.read().body, "ok");
  EXPECT_EQ(client.read().body, "other");
}

TEST_F(BodyStreamTest, AClientThatLeavesEndsTheRead) {
  auto client = std::make_unique<RawClient>(server_.port());
  client->send(head("Content-Length: 10\r\n") + "abc");
  const auto exchange = taken();
  EXPECT_EQ(read(exchange).value(), "abc");
  auto [done, future] = pending<std::string>();
  exchange->read(std::move(done));
  client->abort();
  EXPECT_EQ(await(future).error().code, errc::kAborted);
  EXPECT_TRUE(exchange->disconnected().stop_requested());
}

TEST_F(BodyStreamTest, AClientThatStallsIsDropped) {
  RawClient client(server_.port());
  client.send(head("Content-Length: 10\r\n") + "abc");
  const auto exchange = taken();
  EXPECT_EQ(read(exchange).value(), "abc");
  auto [done, future] = pending<std::string>();
  exchange->read(std::move(done));
  roundTrip();
  clock_.advance(limits::kReadStall + 1s);
  EXPECT_EQ(await(future).error().code, errc::kAborted);
  EXPECT_TRUE(client.closedByServer());
}

TEST_F(BodyStreamTest, AHandlerMayTakeItsTimeBetweenReads) {
  RawClient client(server_.port());
  client.send(head("Content-Length: 6\r\n") + "abc");
  const auto exchange = taken();
  EXPECT_EQ(read(exchange).value(), "abc");
  clock_.advance(limits::kReadStall + 1s);
  roundTrip();
  client.send("def");
  EXPECT_EQ(read(exchange).value(), "def");
}

TEST_F(BodyStreamTest, AWriterWaitsForAClientThatDoesNotRead) {
  RawClient client(server_.port(), 4096);
  client.send(get("/api/v1/stream"));
  const auto exchange = taken();
  exchange->begin({.content_type = "application/octet-stream"});
  const std::string piece(7'000'000, 'x');
  auto [done, future] = pending<void>();
  exchange->write(piece, std::move(done));
  roundTrip();
  EXPECT_EQ(future.wait_for(0s), std::future_status::timeout);
  std::jthread writer([&] {
    EXPECT_TRUE(await(future).ok());
    exchange->finish();
  });
  EXPECT_EQ(client.read().body, piece);
}

TEST_F(BodyStreamTest, AWriterOfAClientThatLeavesIsTold) {
  auto client = std::make_unique<RawClient>(server_.port(), 4096);
  client->send(get("/api/v1/stream"));
  const auto exchange = taken();
  exchange->begin({});
  auto [done, future] = pending<void>();
  exchange->write(std::string(7'000'000, 'x'), std::move(done));
  client->abort();
  EXPECT_EQ(await(future).error().code, errc::kAborted);
}

TEST_F(BodyStreamTest, AbortCutsTheAnswer) {
  RawClient client(server_.port());
  client.send(get("/api/v1/stream"));
  const auto exchange = taken();
  exchange->begin({});
  exchange->write("half");
  exchange->abort();
  EXPECT_EQ(client.read().body, "half<cut>");
}

TEST_F(BodyStreamTest, AStatusWithoutBodyIsNotChunked) {
  RawClient client(server_.port());
  client.send(get("/api/v1/stream"));
  const auto exchange = taken();
  exchange->begin({.status = 204});
  exchange->write("ignored");
  exchange->finish();
  auto answer = client.read();
  EXPECT_EQ(answer.status, 204);
  EXPECT_EQ(answer.headers["transfer-encoding"], "");
  client.send(get("/api/v1/other"));
  EXPECT_EQ(client.read().body, "other");
}

TEST_F(BodyStreamTest, BothDirectionsCanRunAtOnce) {
  RawClient client(server_.port());
  client.send(head("Content-Length: 6\r\n") + "abc");
  const auto exchange = taken();
  exchange->begin({});
  exchange->write(read(exchange).value());
  EXPECT_EQ(client.read(RawClient::Body::kNone).status, 200);
  EXPECT_EQ(client.take(8), "3\r\nabc\r\n");
  client.send("def");
  exchange->write(read(exchange).value());
  EXPECT_EQ(read(exchange).value(), "");
  exchange->finish();
  EXPECT_EQ(client.take(13), "3\r\ndef\r\n0\r\n\r\n");
  client.send(get("/api/v1/other"));
  EXPECT_EQ(client.read().body, "other");
}

}  // namespace
}  // namespace svc::test
