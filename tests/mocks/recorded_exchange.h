#pragma once

#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include <gmock/gmock.h>

#include "svc/common/json.h"

#include "mocks/mock_http_server.h"

namespace svc::test {

/// A mock exchange that answers for itself and keeps what the code under test sent.
class RecordedExchange : public ::testing::NiceMock<MockExchange> {
 public:
  explicit RecordedExchange(http::Request sent = {});
  ~RecordedExchange() override;

  void disconnect() { client_.request_stop(); }
  [[nodiscard]] unsigned status() const { return answer ? answer->status : 0; }
  /// The answer's body, parsed; null when there is none.
  [[nodiscard]] common::Json json() const {
    auto parsed = common::Json::parse(answer ? answer->body : std::string());
    return parsed ? std::move(parsed).value() : common::Json();
  }
  [[nodiscard]] std::string errorCode() const { return json()["error"]["code"].asString(); }

  std::optional<http::Response> answer;  ///< the first one
  int answers = 0;
  std::optional<http::Response> head;
  std::string written;
  bool ended = false;
  bool aborted = false;

 private:
  http::Request request_;
  std::stop_source client_;
};

/// Keeps the handlers of the routes the code under test adds; a route is gone once its handle is.
class RecordedRoutes : public ::testing::NiceMock<MockHttpServer> {
 public:
  RecordedRoutes();
  ~RecordedRoutes() override;

  void call(const std::string& key, const std::shared_ptr<RecordedExchange>& exchange) {
    handlers_->at(key).second(exchange);
  }
  [[nodiscard]] const http::Route& routeOf(const std::string& key) const {
    return handlers_->at(key).first;
  }
  [[nodiscard]] std::size_t routeCount() const { return handlers_->size(); }

 private:
  using Handlers = std::map<std::string, std::pair<http::Route, http::Handler>>;
  std::shared_ptr<Handlers> handlers_ = std::make_shared<Handlers>();
};

}  // namespace svc::test
