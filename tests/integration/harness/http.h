#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include <Poco/Net/HTTPClientSession.h>

#include "svc/common/json.h"

namespace svc::test {

struct Request {
  std::string method = "GET";
  std::string target;
  std::string body{};
  /// Replaces headers of the same name. A content type is sent only when it stands here.
  std::map<std::string, std::string> headers{};
};

struct Answer {
  int status = 0;
  std::string body;
  std::string content_type;
  std::string cache_control;
  std::string request_id;
  std::map<std::string, std::string> headers;  ///< names in lower case
  common::Json json;

  [[nodiscard]] bool ok() const { return json["ok"].asBool(); }
  [[nodiscard]] const std::string& code() const { return json["error"]["code"].asString(); }
  [[nodiscard]] const std::string& message() const { return json["error"]["message"].asString(); }
};

/// One keep-alive connection. Throws Poco::Exception when there is no answer. Used by one thread at a time.
class Http {
 public:
  explicit Http(std::uint16_t port);
  [[nodiscard]] Answer send(const Request& request);
  [[nodiscard]] Answer get(const std::string& target) {
    return send({.method = "GET", .target = target});
  }
  [[nodiscard]] Answer post(const std::string& target, const std::string& json);
  [[nodiscard]] Answer rpc(const std::string& plugin, const std::string& method,
                           const std::string& input = "null");

 private:
  Poco::Net::HTTPClientSession session_;
};

/// Sends bytes as they are on a connection of their own and returns what comes back until the peer closes or the
/// headers and body of one answer are complete.
[[nodiscard]] std::string exchangeRaw(std::uint16_t port, const std::string& bytes);

}  // namespace svc::test
