#pragma once

#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "svc/common/body_reader.h"
#include "svc/common/envelope.h"
#include "svc/http/http.h"

namespace svc::updates {

/// `status` with `{ok: true}` and the members of `object`.
inline void respondOk(http::IExchange& exchange, const common::Json& object,
                      unsigned status = 200) {
  http::Response response;
  response.status = status;
  response.body = common::okEnvelope(object);
  exchange.respond(std::move(response));
}

struct RouteEntry {
  std::string_view method;
  std::string_view pattern;
  http::Handler handler;
};

/// Adds all of them; the handles go to `routes`.
template <std::size_t count>
[[nodiscard]] Status addRoutes(http::IHttpServer& server, std::vector<Handle>& routes,
                               RouteEntry (&&entries)[count]) {
  for (auto& entry : entries) {
    auto handle =
        server.route({.method = std::string(entry.method), .pattern = std::string(entry.pattern)},
                     std::move(entry.handler));
    if (!handle) {
      return std::move(handle).error();
    }
    routes.push_back(std::move(handle).value());
  }
  return {};
}

/// A body that may be left out.
[[nodiscard]] inline Result<common::BodyReader> readBody(const http::Request& request) {
  return common::BodyReader::parse(request.body.empty() ? "{}" : request.body);
}

}  // namespace svc::updates
