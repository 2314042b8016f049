#pragma once

#include <functional>
#include <string>

#include "svc/http/http.h"
#include "svc/plugins/plugins.h"

namespace svc::sdkclient {

/// Id of the server's own machine; empty when the service knows no machines. Any thread.
using ServerHostId = std::function<std::string()>;

/// `svc.sdk`: its script and the host functions "sdk.request", "sdk.cancel" and "sdk.hostId". `server` outlives every
/// environment's calls.
[[nodiscard]] plugins::ApiPart sdkPart(http::IHttpServer& server, ServerHostId host_id);

}  // namespace svc::sdkclient
