#include "unknown_route.h"

#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/envelope.h"

#include "web_socket_handshake.h"

namespace svc::http {

Response errorResponse(const Error& error, std::vector<Header> headers) {
  Response response;
  response.status = common::httpStatus(error.code);
  response.body = common::errorEnvelope(error);
  response.headers = std::move(headers);
  return response;
}

Response unknownRoute(const RouteTable& table, const Request& request, const std::string& allow) {
  if (!allow.empty()) {
    return errorResponse(
        Error{errc::kUnknownRoute,
              fmt::format("{} does not take {}; it takes {}", request.path, request.method, allow)},
        {{"allow", allow}});
  }
  const auto socket_path = table.find(kWebSocketMethod, request.path);
  if (socket_path.endpoint && request.method == "GET") {
    return upgradeRequired(fmt::format(
        "{} is a WebSocket: ask for an upgrade of the connection; a proxy in between has "
        "to pass the headers Upgrade and Connection on",
        request.path));
  }
  return errorResponse(Error{
      errc::kUnknownRoute,
      socket_path.endpoint ? fmt::format("{} takes WebSocket connections only", request.path)
                           : fmt::format("unknown route: {} {}", request.method, request.path)});
}

Error bodyTooLarge(std::size_t limit, std::uint64_t actual) {
  return Error{errc::kTooLarge,
               fmt::format("the request body is larger than {} bytes ({} bytes)", limit, actual)};
}

}  // namespace svc::http
