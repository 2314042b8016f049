// How handlers answer: from any thread, once, in pieces, not at all, and to clients that leave.
#include <stdexcept>
#include <thread>

#include "server_fixture.h"

namespace svc::test {
namespace {

using http::ExchangePtr;
using ::testing::HasSubstr;

class ServerAnswerTest : public ServerFixture {};

TEST_F(ServerAnswerTest, HandlersMayAnswerFromAnotherThread) {
  std::vector<std::thread> threads;
  route("GET", "/api/v1/a", [&](ExchangePtr exchange) {
    threads.emplace_back(
        [exchange = std::move(exchange)] { exchange->respond({.body = "there"}); });
  });
  EXPECT_EQ(ask(get("/api/v1/a")).body, "there");
  EXPECT_EQ(ask(get("/api/v1/a")).body, "there");
  for (auto& thread : threads) {
    thread.join();
  }
}

TEST_F(ServerAnswerTest, OnlyTheFirstAnswerCounts) {
  route("GET", "/api/v1/a", [](const ExchangePtr& exchange) {
    exchange->respond({.body = "first"});
    exchange->respond({.body = "second"});
    exchange->fail(Error{errc::kInternal, "third"});
  });
  RawClient client(server_.port());
  client.send(get("/api/v1/a") + get("/api/v1/a"));
  EXPECT_EQ(client.read().body, "first");
  EXPECT_EQ(client.read().body, "first");
}

TEST_F(ServerAnswerTest, ADroppedExchangeIsAnInternalError) {
  auto held = routeHeld();
  RawClient client(server_.port());
  client.send(get("/api/v1/held"));
  await(held).reset();
  const auto response = client.read();
  EXPECT_EQ(response.status, 500);
  EXPECT_THAT(response.body, HasSubstr("\"code\":\"internal_error\""));
}

TEST_F(ServerAnswerTest, AHandlerThatThrowsIsAnInternalError) {
  route("GET", "/api/v1/a", [](const ExchangePtr&) { throw std::runtime_error("broken"); });
  EXPECT_EQ(ask(get("/api/v1/a")).status, 500);
}

TEST_F(ServerAnswerTest, FailuresCarryTheStatusOfTheirCode) {
  route("GET", "/api/v1/a", [](const ExchangePtr& exchange) {
    exchange->fail(Error{errc::kOverloaded, "the queue is full"});
  });
  const auto response = ask(get("/api/v1/a"));
  EXPECT_EQ(response.status, 503);
  EXPECT_TRUE(response.headers.contains("retry-after"));
}

TEST_F(ServerAnswerTest, AClientThatLeavesStopsTheHandler) {
  auto held = routeHeld();
  RawClient client(server_.port());
  client.send(get("/api/v1/held"));
  const auto exchange = await(held);
  std::promise<void> stopped;
  const std::stop_callback on_stop(exchange->disconnected(), [&] { stopped.set_value(); });
  client.close();
  auto future = stopped.get_future();
  await(future);
}

TEST_F(ServerAnswerTest, AResetStopsTheHandlerToo) {
  auto held = routeHeld();
  RawClient client(server_.port());
  client.send(get("/api/v1/held"));
  const auto exchange = await(held);
  std::promise<void> stopped;
  const std::stop_callback on_stop(exchange->disconnected(), [&] { stopped.set_value(); });
  client.abort();
  auto future = stopped.get_future();
  await(future);
  exchange->respond({});
}

TEST_F(ServerAnswerTest, AClientThatOnlyStopsSendingGetsItsAnswer) {
  auto held = routeHeld();
  RawClient client(server_.port());
  client.send(get("/api/v1/held"));
  client.finishSending();
  await(held)->respond({.body = "answer"});
  EXPECT_EQ(client.read().body, "answer");
  EXPECT_TRUE(client.closedByServer());
}

TEST_F(ServerAnswerTest, StreamsABodyInPieces) {
  auto held = routeHeld();
  routeEcho();
  RawClient client(server_.port());
  client.send(get("/api/v1/held") + post("/api/v1/echo", "next"));
  const auto exchange = await(held);
  exchange->begin({.headers = {{"cache-control", "no-store"}}});
  exchange->write("\n");
  exchange->write("{\"ok\":true}");
  exchange->respond({.body = "ignored"});
  exchange->finish();
  const auto response = client.read();
  EXPECT_EQ(response.headers.at("transfer-encoding"), "chunked");
  EXPECT_EQ(response.body, "\n{\"ok\":true}");
  EXPECT_EQ(client.read().body, "next");
}

TEST_F(ServerAnswerTest, OldClientsGetAStreamUntilTheConnectionEnds) {
  auto held = routeHeld();
  RawClient client(server_.port());
  client.send(fmt::format("GET /api/v1/held HTTP/1.0\r\nHost: {}\r\n\r\n", host()));
  const auto exchange = await(held);
  exchange->begin({});
  exchange->write("abc");
  exchange->finish();
  EXPECT_EQ(client.read().body, "abc");
}

TEST_F(ServerAnswerTest, AStreamDroppedBeforeItsEndIsCut) {
  auto held = routeHeld();
  RawClient client(server_.port());
  client.send(get("/api/v1/held"));
  auto exchange = await(held);
  exchange->begin({});
  exchange->write("abc");
  exchange.reset();
  EXPECT_EQ(client.read().body, "abc<cut>");
}

}  // namespace
}  // namespace svc::test
