#pragma once

#include <functional>
#include <memory>
#include <string>

#include "svc/plugins/plugins.h"

#include "load_state.h"

namespace svc::routes {

/// `svc.http`: its script and the host functions behind it. `token_used` is called (script thread) when a plugin
/// registers a route with a token.
[[nodiscard]] plugins::ApiPart httpPart(
    std::shared_ptr<Loads> loads, std::function<void(const std::string& plugin_id)> token_used);

}  // namespace svc::routes
