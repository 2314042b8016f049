#pragma once

#include <string>
#include <string_view>

#include "svc/http/http.h"
#include "svc/kernel/result.h"

namespace svc::routes {

/// What the script is told of a request: the JSON of RequestFacts (js/incoming.ts).
[[nodiscard]] std::string requestFacts(const http::Request& request, std::string_view id,
                                       std::string_view route);

/// The response head that js/outgoing.ts sends: `{"status", "headers": [[name, value], …]}`. Headers that frame the
/// message or belong to the connection are left out.
[[nodiscard]] Result<http::Response> responseHead(std::string_view json);

}  // namespace svc::routes
