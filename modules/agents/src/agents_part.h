#pragma once

#include <functional>
#include <memory>
#include <string>

#include "svc/plugins/plugins.h"

#include "provider_check.h"

namespace svc::agents {

/// The script of `svc.agents`, `ui`, `events`, `experimental_hooks`, `hosts`, `providers` and the registries that are only
/// accepted. `recheck` is called on the script thread with the plugin's id.
[[nodiscard]] plugins::ApiPart agentsPart(
    std::shared_ptr<const ProviderCheck> providers,
    std::function<void(const std::string& plugin_id)> recheck);

}  // namespace svc::agents
