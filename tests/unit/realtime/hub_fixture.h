#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client.h"
#include "hub.h"
#include "mocks/mock_http_server.h"
#include "mocks/mock_reactor.h"

namespace svc::realtime {

/// An open socket as the hub sees it: what was sent, and how it was closed.
struct Window {
  std::shared_ptr<::testing::NiceMock<svc::test::MockWebSocket>> socket =
      std::make_shared<::testing::NiceMock<svc::test::MockWebSocket>>();
  std::shared_ptr<http::IWebSocketHandler> handler;
  std::vector<Frame> frames;
  std::uint16_t close_code = 0;
  std::string close_reason;

  [[nodiscard]] std::vector<std::string> texts() const {
    std::vector<std::string> all;
    for (const auto& frame : frames) {
      all.push_back(*frame);
    }
    return all;
  }
};

class HubFixture : public ::testing::Test {
 protected:
  std::shared_ptr<Window> open() {
    auto window = std::make_shared<Window>();
    ON_CALL(*window->socket, sendText).WillByDefault([raw = window.get()](Frame frame) {
      raw->frames.push_back(std::move(frame));
    });
    ON_CALL(*window->socket, close)
        .WillByDefault([raw = window.get()](std::uint16_t code, std::string reason) {
          raw->close_code = code;
          raw->close_reason = std::move(reason);
        });
    auto handler = hub_->accept();
    EXPECT_TRUE(handler.ok());
    window->handler = std::move(handler).value();
    window->handler->onOpen(window->socket);
    return window;
  }

  /// An open window whose hello is already taken away.
  std::shared_ptr<Window> greeted() {
    auto window = open();
    window->frames.clear();
    return window;
  }

  svc::test::FakeReactor reactor_;
  std::shared_ptr<Hub> hub_ = std::make_shared<Hub>(reactor_, "server-1", "0.43.0");
};

}  // namespace svc::realtime
