#pragma once

#include "svc/http/http.h"
#include "svc/plugins/plugins.h"

namespace svc::sdkclient {

/// `svc.sdk`: its script and the host functions "sdk.request" and "sdk.cancel". `server` outlives every environment's calls.
[[nodiscard]] plugins::ApiPart sdkPart(http::IHttpServer& server);

}  // namespace svc::sdkclient
