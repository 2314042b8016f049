#pragma once

#include <chrono>
#include <functional>
#include <iosfwd>
#include <string>

#include "svc/kernel/result.h"

namespace svc::client {

struct HttpRequest {
  std::string method = "GET";
  std::string target;
  /// Sent as application/json when not empty.
  std::string body;
  /// Bounds the connection and every wait for bytes.
  std::chrono::milliseconds timeout = std::chrono::seconds(75);
  /// Asks for a job instead of its end: `Prefer: respond-async`.
  bool respond_async = false;
  /// The body of an answer with status 200 goes here, as it comes, instead of into the response.
  std::ostream* save = nullptr;
  /// Gets every line of such a body as it comes, but the last one, which is the body of the response.
  std::function<void(const std::string& line)> on_line{};
};

struct HttpResponse {
  int status = 0;
  std::string body;
};

/// One server. Errors: `unavailable` when nobody accepts the connection, `timeout`, `aborted` when the connection
/// ends before the answer does.
class IHttpClient {
 public:
  virtual ~IHttpClient() = default;
  [[nodiscard]] virtual Result<HttpResponse> send(const HttpRequest& request) = 0;
  /// Sent with every request from now on: it shows that this program may read the server's data directory.
  virtual void useAccessToken(std::string /*token*/) {}
};

}  // namespace svc::client
