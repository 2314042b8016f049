#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "svc/common/envelope.h"
#include "svc/http/http.h"

namespace svc::installs {

/// `{ok: true}` and the members of `object`.
inline void respondOk(http::IExchange& exchange, const common::Json& object,
                      unsigned status = 200) {
  http::Response response;
  response.status = status;
  response.body = common::okEnvelope(object);
  exchange.respond(std::move(response));
}

/// Answers with what `shape` makes of a result, or with its failure.
template <class T>
Completion<T> answerWith(http::ExchangePtr exchange,
                         std::function<common::Json(const T& value)> shape, unsigned status = 200) {
  return [exchange = std::move(exchange), shape = std::move(shape), status](Result<T> result) {
    if (!result) {
      exchange->fail(result.error());
      return;
    }
    respondOk(*exchange, shape(result.value()), status);
  };
}

[[nodiscard]] inline common::Json orNull(const std::string& text) {
  return text.empty() ? common::Json() : common::Json(text);
}

/// Adds routes; their handles go into `handles`.
struct RouteEntry {
  const char* method;
  const char* pattern;
  http::Handler handler;
};
template <std::size_t count>
[[nodiscard]] Status addRoutes(http::IHttpServer& server, RouteEntry (&&table)[count],
                               std::vector<Handle>& handles) {
  for (auto& entry : table) {
    auto route =
        server.route({.method = entry.method, .pattern = entry.pattern}, std::move(entry.handler));
    if (!route) {
      return std::move(route).error();
    }
    handles.push_back(std::move(route).value());
  }
  return {};
}

}  // namespace svc::installs
