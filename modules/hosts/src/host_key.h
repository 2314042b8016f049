#pragma once

#include <string>

#include "svc/http/http.h"
#include "svc/machines/host_registry.h"

namespace svc::hosts {

/// Id of the host whose key the request carries as `Authorization: Bearer`; else `unauthorized`.
[[nodiscard]] Result<std::string> hostOf(const http::Request& request,
                                         machines::IHostRegistry& registry);

}  // namespace svc::hosts
