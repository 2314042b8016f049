#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "svc/http/http.h"

namespace svc::test {

class MockHttpServer : public http::IHttpServer {
 public:
  MockHttpServer();
  ~MockHttpServer() override;

  MOCK_METHOD(Result<Handle>, route, (http::Route route, http::Handler handler), (override));
  MOCK_METHOD(Result<Handle>, webSocket,
              (http::WebSocketRoute route, http::WebSocketAcceptor acceptor), (override));
  MOCK_METHOD(Result<Handle>, webSocketAsync,
              (http::WebSocketRoute route, http::AsyncWebSocketAcceptor acceptor), (override));
  MOCK_METHOD(bool, serves, (std::string_view method, std::string_view path), (const, override));
  MOCK_METHOD(Status, check, (http::Guard guard, const http::Request& request), (const, override));
  MOCK_METHOD(void, dispatch,
              (http::Request request, std::stop_token stop, Completion<http::Response> done),
              (override));
  MOCK_METHOD(std::string, baseUrl, (), (const, override));
};

class MockHealth : public http::IHealth {
 public:
  MockHealth();
  ~MockHealth() override;

  MOCK_METHOD(Handle, contribute, (http::ReadyReport report), (override));
};

class MockExchange : public http::IExchange {
 public:
  MockExchange();
  ~MockExchange() override;

  MOCK_METHOD(http::Request&, request, (), (override));
  MOCK_METHOD(std::stop_token, disconnected, (), (const, override));
  MOCK_METHOD(void, respond, (http::Response response), (override));
  MOCK_METHOD(void, begin, (http::Response head), (override));
  MOCK_METHOD(void, write, (std::string piece), (override));
  MOCK_METHOD(void, write, (std::string piece, Completion<void> taken), (override));
  MOCK_METHOD(void, finish, (), (override));
  MOCK_METHOD(void, abort, (), (override));
  MOCK_METHOD(void, read, (Completion<std::string> done), (override));
};

class MockWebSocket : public http::IWebSocket {
 public:
  MockWebSocket();
  ~MockWebSocket() override;

  MOCK_METHOD(void, sendText, (std::shared_ptr<const std::string> text), (override));
  MOCK_METHOD(void, sendBinary, (std::shared_ptr<const std::string> bytes), (override));
  MOCK_METHOD(void, close, (std::uint16_t code, std::string reason), (override));
  MOCK_METHOD(void, setReading, (bool on), (override));
};

}  // namespace svc::test
