// Deadlines, caps and the end of the server.
#include <sys/resource.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <optional>
#include <semaphore>
#include <thread>

#include "svc/common/limits/http.h"

#include "server_fixture.h"

namespace svc::test {
namespace {

using http::ExchangePtr;
using http::MemoryPeak;

class ServerDeadlineTest : public ServerFixture {};

TEST_F(ServerDeadlineTest, IdleConnectionsEndAfterKeepAlive) {
  routeEcho();
  RawClient client(server_.port());
  client.send(post("/api/v1/echo", "1"));
  EXPECT_EQ(client.read().status, 200);
  clock_.advance(limits::kKeepAlive + 1s);
  EXPECT_TRUE(client.closedByServer());
}

TEST_F(ServerDeadlineTest, AHeaderThatNeverEndsIsDropped) {
  RawClient client(server_.port());
  client.send("GET /api");
  clock_.advance(limits::kReadStall + 1s);
  EXPECT_TRUE(client.closedByServer());
}

TEST_F(ServerDeadlineTest, ABodyThatStallsIsDropped) {
  routeEcho();
  RawClient client(server_.port());
  client.send(
      fmt::format("POST /api/v1/echo HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n"
                  "Content-Length: 20\r\nExpect: 100-continue\r\n\r\n",
                  host()));
  EXPECT_EQ(client.read().status, 100);
  clock_.advance(limits::kReadStall + 1s);
  EXPECT_TRUE(client.closedByServer());
}

TEST_F(ServerDeadlineTest, AStrangersBodyThatTricklesIsDropped) {
  route(
      "POST", "/internal/open", [](const ExchangePtr& exchange) { exchange->respond({}); },
      http::Guard::kNone);
  RawClient client(server_.port());
  client.send(
      fmt::format("POST /internal/open HTTP/1.1\r\nHost: {}\r\nContent-Length: 100000\r\n"
                  "Expect: 100-continue\r\n\r\n",
                  host()));
  EXPECT_EQ(client.read().status, 100);
  clock_.advance(limits::kReadStall / 2 + 1s);
  client.send("a");
  // Answered behind what was sent before it.
  EXPECT_EQ(ask(get("/")).status, 200);
  clock_.advance(limits::kReadStall / 2);
  EXPECT_TRUE(client.closedByServer());
}

TEST_F(ServerDeadlineTest, AHandlerMayTakeLongerThanEveryDeadline) {
  auto held = routeHeld();
  RawClient client(server_.port());
  client.send(get("/api/v1/held"));
  const auto exchange = await(held);
  clock_.advance(1h);
  std::promise<void> ticked;
  const auto timer = reactor_.after(20ms, [&] { ticked.set_value(); });
  auto future = ticked.get_future();
  await(future);
  exchange->respond({.body = "late"});
  EXPECT_EQ(client.read().body, "late");
}

TEST_F(ServerDeadlineTest, AnswersThatNobodyReadsHaveALimitAndTheSlowestClientGoes) {
  constexpr std::size_t kMiB = 1024UL * 1024;
  constexpr auto kSize = 32 * kMiB;  // more than the kernel takes
  server_.setBodyLimits({.process = 40 * kMiB});
  std::promise<void> begun;
  std::once_flag first;
  route("GET", "/api/v1/large", [&](const ExchangePtr& exchange) {
    exchange->respond({.body = std::string(kSize, 'x')});
    std::call_once(first, [&] { begun.set_value(); });
  });
  RawClient slow(server_.port(), 4096);
  slow.send(get("/api/v1/large"));
  auto answered = begun.get_future();
  await(answered);
  // What the first one has not taken leaves no room, and nobody is slow yet.
  const auto refused = ask(get("/api/v1/large"));
  EXPECT_EQ(refused.status, 503);
  EXPECT_NE(refused.body.find("listen.waitingMiB"), std::string::npos);
  EXPECT_EQ(ask(get("/api/v1/none")).status, 404) << "small answers always go";
  clock_.advance(http::AnswerBudget::kPatience + 1s);
  std::promise<void> ticked;
  const auto timer = reactor_.after(20ms, [&] { ticked.set_value(); });
  auto future = ticked.get_future();
  await(future);
  EXPECT_EQ(ask(get("/api/v1/large")).body.size(), kSize);
}

TEST_F(ServerDeadlineTest, AClientThatStopsReadingIsDropped) {
  auto held = routeHeld();
  RawClient client(server_.port(), 4096);
  client.send(get("/api/v1/held"));
  auto exchange = await(held);
  std::promise<void> gone;
  exchange->begin({});
  const std::stop_callback on_stop(exchange->disconnected(), [&] { gone.set_value(); });
  exchange->write(std::string(8'000'000, 'x'));
  auto future = gone.get_future();
  while (future.wait_for(1ms) != std::future_status::ready) {
    clock_.advance(limits::kReadStall);
  }
}

TEST_F(ServerDeadlineTest, AStreamThatOutrunsItsClientIsCut) {
  auto held = routeHeld();
  RawClient client(server_.port(), 4096);
  client.send(get("/api/v1/held"));
  const auto exchange = await(held);
  std::promise<void> gone;
  const std::stop_callback on_stop(exchange->disconnected(), [&] { gone.set_value(); });
  exchange->begin({});
  for (int i = 0; i < 20; ++i) {
    exchange->write(std::string(1'000'000, 'x'));
  }
  auto future = gone.get_future();
  await(future);
}

class ServerMemoryTest : public ServerFixture {
 protected:
  ServerMemoryTest() : ServerFixture({.tick = 1ms, .give_back = [this] { given_.release(); }}) {}

  std::counting_semaphore<> given_{0};
};

TEST_F(ServerMemoryTest, WhatAnswersHaveTakenGoesBackWhenTheirClientsHaveGone) {
  server_.setBodyLimits({.process = 512UL << 20});
  std::promise<void> begun;
  route("GET", "/api/v1/large", [&](const ExchangePtr& exchange) {
    exchange->respond({.body = std::string(MemoryPeak::kWorth + (32UL << 20), 'x')});
    begun.set_value();
  });
  RawClient slow(server_.port(), 4096);
  slow.send(get("/api/v1/large"));
  auto answered = begun.get_future();
  await(answered);
  // Once it has been seen to be in use.
  std::promise<void> ticked;
  const auto timer = reactor_.after(20ms, [&] { ticked.set_value(); });
  auto future = ticked.get_future();
  await(future);
  EXPECT_FALSE(given_.try_acquire());
  slow.close();
  EXPECT_TRUE(given_.try_acquire_for(10s));
}

TEST(MemoryPeakTest, TellsOnceThatMostIsFreeAgain) {
  MemoryPeak peak;
  EXPECT_FALSE(peak.hasFallen(0));
  EXPECT_FALSE(peak.hasFallen(MemoryPeak::kWorth - 1));
  EXPECT_FALSE(peak.hasFallen(0)) << "too little to matter";
  EXPECT_FALSE(peak.hasFallen(10 * MemoryPeak::kWorth));
  EXPECT_FALSE(peak.hasFallen(2 * MemoryPeak::kWorth));
  EXPECT_TRUE(peak.hasFallen(MemoryPeak::kWorth));
  EXPECT_TRUE(peak.hasFallen(0)) << "that was still much";
  EXPECT_FALSE(peak.hasFallen(0));
}

class ServerCapTest : public ServerFixture {
 protected:
  ServerCapTest() : ServerFixture({.limits = {.connections = 1}, .tick = 1ms}) {}
};

TEST_F(ServerCapTest, ConnectionsBeyondTheCapAreToldSo) {
  auto held = routeHeld();
  RawClient first(server_.port());
  first.send(get("/api/v1/held"));
  const auto exchange = await(held);
  RawClient second(server_.port());
  EXPECT_EQ(second.read().status, 503);
  EXPECT_TRUE(second.closedByServer());
}

TEST_F(ServerCapTest, AnIdleConnectionMakesRoom) {
  routeEcho();
  RawClient first(server_.port());
  first.send(post("/api/v1/echo", "1"));
  EXPECT_EQ(first.read().status, 200);
  RawClient second(server_.port());
  second.send(post("/api/v1/echo", "2"));
  EXPECT_EQ(second.read().body, "2");
  EXPECT_TRUE(first.closedByServer());
}

/// Counts the turns of the io thread until so many connections are accepted.
class Turns {
 public:
  Turns(http::Reactor& reactor, std::shared_ptr<http::IHttpStats> stats, std::uint64_t wanted)
      : reactor_(reactor), stats_(std::move(stats)), wanted_(wanted) {}
  void next() {
    if (stats_->stats().connections_accepted >= wanted_) {
      done_.set_value(count_);
      return;
    }
    ++count_;
    reactor_.post([this] { next(); });
  }
  std::future<int> count() { return done_.get_future(); }

 private:
  http::Reactor& reactor_;
  std::shared_ptr<http::IHttpStats> stats_;
  std::uint64_t wanted_;
  int count_ = 0;
  std::promise<int> done_;
};

TEST_F(ServerDeadlineTest, AllWhoWaitAreAcceptedBeforeOthersHaveTheirTurn) {
  constexpr std::uint64_t kClients = 50;
  Turns turns(reactor_, server_.stats(), kClients);
  auto count = turns.count();
  std::promise<void> connected;
  reactor_.post([&turns, waits = connected.get_future().share()] {
    waits.wait();
    turns.next();
  });
  std::deque<RawClient> clients;
  for (std::uint64_t at = 0; at < kClients; ++at) {
    clients.emplace_back(server_.port());
  }
  connected.set_value();
  EXPECT_LT(await(count), 25);
}

class ServerIdleTest : public ServerFixture {
 protected:
  ServerIdleTest() : ServerFixture({.limits = {.connections = 2}, .tick = 1ms}) {}
};

TEST_F(ServerIdleTest, TheOneThatIsIdleForLongestMakesRoom) {
  routeEcho();
  RawClient older(server_.port());
  older.send(post("/api/v1/echo", "1"));
  EXPECT_EQ(older.read().status, 200);
  RawClient newer(server_.port());
  newer.send(post("/api/v1/echo", "2"));
  EXPECT_EQ(newer.read().status, 200);
  older.send(post("/api/v1/echo", "3"));
  EXPECT_EQ(older.read().body, "3");

  EXPECT_EQ(ask(post("/api/v1/echo", "4")).body, "4");
  EXPECT_TRUE(newer.closedByServer());
  older.send(post("/api/v1/echo", "5"));
  EXPECT_EQ(older.read().body, "5");
}

TEST_F(ServerIdleTest, AnAnswerThatIsNotTakenIsNoIdleness) {
  constexpr std::size_t kSize = 16UL * 1024 * 1024;  // more than the kernel takes
  routeEcho();
  std::promise<void> answered;
  route("GET", "/api/v1/large", [&answered](const ExchangePtr& exchange) {
    exchange->respond({.body = std::string(kSize, 'x')});
    answered.set_value();
  });
  RawClient slow(server_.port(), 4096);
  slow.send(get("/api/v1/large"));
  auto begun = answered.get_future();
  await(begun);
  RawClient quick(server_.port());
  quick.send(post("/api/v1/echo", "1"));
  EXPECT_EQ(quick.read().body, "1");
  EXPECT_EQ(slow.read().body.size(), kSize);

  EXPECT_EQ(ask(post("/api/v1/echo", "2")).body, "2");
  EXPECT_TRUE(quick.closedByServer());
  slow.send(post("/api/v1/echo", "3"));
  EXPECT_EQ(slow.read().body, "3");
}

/// The process may open no further descriptor while this lives.
class NoDescriptors {
 public:
  NoDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const int free = ::dup(0);
    ::close(free);
    const rlimit none{.rlim_cur = static_cast<rlim_t>(free), .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  rlimit before_{};
};

TEST_F(ServerDeadlineTest, AnIdleConnectionMakesRoomWhenThereAreNoDescriptors) {
  routeEcho();
  RawClient first(server_.port());
  first.send(post("/api/v1/echo", "1"));
  EXPECT_EQ(first.read().status, 200);
  std::optional<RawClient> second;
  std::optional<NoDescriptors> none;
  second.emplace(server_.port(), 0, [&none] { none.emplace(); });
  second->send(post("/api/v1/echo", "2"));
  EXPECT_EQ(second->read().body, "2");
  EXPECT_TRUE(first.closedByServer());
}

TEST_F(ServerDeadlineTest, ThatThereAreNoDescriptorsIsToldOnceAMinute) {
  routeEcho();
  RawClient first(server_.port());
  first.send(post("/api/v1/echo", "1"));
  EXPECT_EQ(first.read().status, 200);
  std::optional<RawClient> second;
  std::optional<RawClient> third;
  std::optional<NoDescriptors> none;
  // Both have their descriptors before there are none.
  third.emplace(server_.port(), 0, [&] {
    second.emplace(server_.port(), 0, [&none] { none.emplace(); });
    second->send(post("/api/v1/echo", "2"));
    EXPECT_EQ(second->read().body, "2");
  });
  third->send(post("/api/v1/echo", "3"));
  EXPECT_EQ(third->read().body, "3");
  EXPECT_TRUE(second->closedByServer());
  none.reset();
  const auto lines = logged_->last_formatted();
  EXPECT_EQ(std::count_if(lines.begin(), lines.end(),
                          [](const std::string& line) {
                            return line.find("cannot accept connections") != std::string::npos;
                          }),
            1);
}

class ServerDrainTest : public ServerFixture {
 protected:
  ServerDrainTest() : ServerDrainTest(10s) {}
  explicit ServerDrainTest(std::chrono::milliseconds grace)
      : ServerFixture({.tick = 1ms, .drain_grace = grace}) {}

  std::future<void> drain() {
    auto promise = std::make_shared<std::promise<void>>();
    server_.drain([promise] { promise->set_value(); });
    return promise->get_future();
  }
};

TEST_F(ServerDrainTest, IdleConnectionsCloseAndNewOnesAreRefused) {
  routeEcho();
  RawClient client(server_.port());
  client.send(post("/api/v1/echo", "1"));
  EXPECT_EQ(client.read().status, 200);
  auto drained = drain();
  EXPECT_TRUE(client.closedByServer());
  await(drained);
  EXPECT_FALSE(RawClient(server_.port()).connected());
}

TEST_F(ServerDrainTest, AnAnswerInProgressIsFinished) {
  auto held = routeHeld();
  RawClient client(server_.port());
  client.send(get("/api/v1/held"));
  const auto exchange = await(held);
  auto drained = drain();
  exchange->respond({.body = "done"});
  const auto response = client.read();
  EXPECT_EQ(response.body, "done");
  EXPECT_EQ(response.headers.at("connection"), "close");
  client.close();
  await(drained);
}

class ServerCutTest : public ServerDrainTest {
 protected:
  ServerCutTest() : ServerDrainTest(1ms) {}
};

TEST_F(ServerCutTest, WhatDoesNotFinishIsCut) {
  auto held = routeHeld();
  RawClient client(server_.port());
  client.send(get("/api/v1/held"));
  const auto exchange = await(held);
  auto drained = drain();
  await(drained);
  EXPECT_TRUE(exchange->disconnected().stop_requested());
  EXPECT_TRUE(client.closedByServer());
}

TEST_F(ServerDrainTest, AnswersAfterTheEndAreIgnored) {
  auto held = routeHeld();
  RawClient client(server_.port());
  client.send(get("/api/v1/held"));
  auto exchange = await(held);
  server_.close();
  reactor_.stop();
  exchange->respond({.body = "too late"});
  exchange.reset();
}

TEST_F(ServerDrainTest, ReleasingARouteWaitsForItsHandler) {
  std::promise<void> entered;
  std::promise<void> leave;
  auto may_leave = leave.get_future();
  bool finished = false;
  route("GET", "/api/v1/slow", [&](const ExchangePtr& exchange) {
    entered.set_value();
    may_leave.wait();
    finished = true;
    exchange->respond({});
  });
  RawClient client(server_.port());
  client.send(get("/api/v1/slow"));
  auto has_entered = entered.get_future();
  await(has_entered);
  std::thread releaser([&] { handles_.clear(); });
  leave.set_value();
  releaser.join();
  EXPECT_TRUE(finished);
  EXPECT_EQ(client.read().status, 200);
}

}  // namespace
}  // namespace svc::test
