#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "router.h"

namespace svc::http {

/// The error envelope of `error` with its status.
[[nodiscard]] Response errorResponse(const Error& error, std::vector<Header> headers = {});
/// The answer to a request that no route takes; `allow` as in RouteMatch.
[[nodiscard]] Response unknownRoute(const RouteTable& table, const Request& request,
                                    const std::string& allow);
[[nodiscard]] Error bodyTooLarge(std::size_t limit, std::uint64_t actual);

/// True for `root` itself and what is below it.
[[nodiscard]] inline bool isUnder(std::string_view path, std::string_view root) {
  return path.starts_with(root) && (path.size() == root.size() || path[root.size()] == '/');
}

}  // namespace svc::http
