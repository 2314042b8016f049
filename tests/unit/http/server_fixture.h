#pragma once

#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/ringbuffer_sink.h>
#include <spdlog/spdlog.h>

#include "svc/common/codes.h"
#include "svc/common/limits/http.h"

#include "fakes/fake_clock.h"
#include "raw_client.h"
#include "server.h"

namespace svc::test {

using namespace std::chrono_literals;

/// Waits for another thread without hanging a broken test for ever.
template <class T>
T await(std::future<T>& future) {
  SVC_ASSERT(future.wait_for(10s) == std::future_status::ready);
  return future.get();
}

/// A real server on a free port, with the time in the test's hands.
class ServerFixture : public ::testing::Test {
 protected:
  explicit ServerFixture(http::ServerOptions options = quick(),
                         http::GuardSettings guard = {.listen_host = "127.0.0.1"})
      : server_(std::move(options), policy(std::move(guard)), reactor_, clock_,
                std::make_shared<spdlog::logger>("http", logged_)) {
    SVC_ASSERT(server_.listen().ok());
    server_.setFallback([](const http::ExchangePtr& exchange) {
      exchange->respond({.content_type = "text/html", .body = "window"});
    });
    reactor_.start();
    server_.accept();
  }
  ~ServerFixture() override {
    handles_.clear();
    server_.close();
    reactor_.stop();
  }

  /// Deadlines are looked at all the time; they are reached by advancing the clock.
  static http::ServerOptions quick() { return {.tick = 1ms}; }

  void route(std::string method, std::string pattern, http::Handler handler,
             http::Guard guard = http::Guard::kLocal, std::size_t body_limit = limits::kRpcBody) {
    auto handle = server_.route({std::move(method), std::move(pattern), guard, body_limit},
                                std::move(handler));
    SVC_ASSERT(handle.ok());
    handles_.push_back(std::move(handle).value());
  }
  /// POST /api/v1/echo answers with the body it got.
  void routeEcho(std::size_t body_limit = limits::kRpcBody) {
    route(
        "POST", "/api/v1/echo",
        [](const http::ExchangePtr& exchange) {
          exchange->respond({.body = std::move(exchange->request().body)});
        },
        http::Guard::kLocal, body_limit);
  }
  /// GET /api/v1/held keeps its exchange for the test.
  std::future<http::ExchangePtr> routeHeld() {
    auto promise = std::make_shared<std::promise<http::ExchangePtr>>();
    auto future = promise->get_future();
    route("GET", "/api/v1/held",
          [promise](http::ExchangePtr exchange) { promise->set_value(std::move(exchange)); });
    return future;
  }

  [[nodiscard]] std::string host() const { return fmt::format("127.0.0.1:{}", server_.port()); }
  [[nodiscard]] std::string get(std::string_view path, std::string_view headers = "") const {
    return fmt::format("GET {} HTTP/1.1\r\nHost: {}\r\n{}\r\n", path, host(), headers);
  }
  [[nodiscard]] std::string post(std::string_view path, std::string_view body,
                                 std::string_view headers = "") const {
    return fmt::format(
        "POST {} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: "
        "{}\r\n{}\r\n{}",
        path, host(), body.size(), headers, body);
  }
  RawResponse ask(std::string_view request) {
    RawClient client(server_.port());
    client.send(request);
    return client.read();
  }

  static http::GuardPolicy policy(http::GuardSettings settings) {
    auto made = http::GuardPolicy::create(std::move(settings));
    SVC_ASSERT(made.ok());
    return std::move(made).value();
  }

  static constexpr std::size_t kLoggedLines = 100;
  std::shared_ptr<spdlog::sinks::ringbuffer_sink_mt> logged_ =
      std::make_shared<spdlog::sinks::ringbuffer_sink_mt>(kLoggedLines);
  FakeClock clock_;
  http::Reactor reactor_;
  http::Server server_;
  std::vector<Handle> handles_;
};

}  // namespace svc::test
