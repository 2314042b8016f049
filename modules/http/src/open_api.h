#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "svc/common/json.h"

#include "router.h"

namespace svc::http {

/// The routes of /api/v1 as an OpenAPI 3.1 document: paths with parameters, methods, failures by guard, and as extensions the
/// guard (`x-svc-guard`), the largest body in bytes (`x-svc-body-limit`), what is a WebSocket (`x-svc-websocket`) and the pattern
/// (`x-svc-pattern`). `version` is that of the service. Bodies are JSON of any shape.
[[nodiscard]] common::Json openApi(const std::vector<EndpointPtr>& endpoints,
                                   std::string_view version);

}  // namespace svc::http
