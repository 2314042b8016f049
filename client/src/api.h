#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "svc/common/json.h"

#include "console.h"
#include "http_client.h"
#include "server_locator.h"

namespace svc::client {

/// The answer of a route: its envelope as received and as parsed.
struct Reply {
  std::string text;
  common::Json json;

  [[nodiscard]] bool ok() const { return json["ok"].asBool(); }
  [[nodiscard]] const std::string& code() const { return json["error"]["code"].asString(); }
  [[nodiscard]] const std::string& message() const { return json["error"]["message"].asString(); }
};

using Connector = std::function<Result<std::unique_ptr<IHttpClient>>(const std::string& base_url)>;

/// The routes below /api/v1 of one server.
class Api {
 public:
  /// Finds the server and prepares the connection; nothing is sent yet.
  [[nodiscard]] static Result<Api> open(const ServerChoice& choice, const Environment& environment,
                                        const Connector& connector);

  Api(ServerAddress address, std::unique_ptr<IHttpClient> http)
      : address_(std::move(address)), http_(std::move(http)) {}

  /// `path` starts after /api/v1. Failures of the route are replies; errors mean that there is no answer.
  [[nodiscard]] Result<Reply> get(const std::string& path) {
    return call({"GET", "/api/v1" + path, ""});
  }
  [[nodiscard]] Result<Reply> post(const std::string& path, const common::Json& body) {
    return call({"POST", "/api/v1" + path, body.dump()});
  }
  [[nodiscard]] Result<Reply> remove(const std::string& path) {
    return call({"DELETE", "/api/v1" + path, ""});
  }
  [[nodiscard]] Result<Reply> call(const HttpRequest& request);
  /// The body as it came, for the routes that are not wrapped.
  [[nodiscard]] Result<HttpResponse> raw(const HttpRequest& request) {
    return http_->send(request);
  }

  /// The envelope of a raw answer.
  [[nodiscard]] Result<Reply> envelopeOf(HttpResponse response) const;

  [[nodiscard]] const ServerAddress& address() const { return address_; }

 private:
  ServerAddress address_;
  std::unique_ptr<IHttpClient> http_;
};

/// Prints why there is no answer, with what to do about it; returns the exit code.
[[nodiscard]] int reportNoAnswer(const Console& console, const Error& error);
/// Of the error of an envelope or a job. A source that is not there is "not found", as everything else that is not.
[[nodiscard]] int exitCodeOf(const common::Json& error);
/// Prints a failure envelope: as it is with --json, its message otherwise; returns the exit code of its code.
[[nodiscard]] int reportFailure(const Console& console, const Reply& reply,
                                std::string_view hint = {});

}  // namespace svc::client
