#pragma once

#include "dispatch.h"

namespace svc::client {

/// Whether the list of plugins has one that did not come with the service.
[[nodiscard]] bool hasOwnPlugins(const common::Json& plugins);

/// Says what a server without plugins can begin with: what ships with the service, and the command for each.
void offerBeginnings(const Context& context, const common::Json& plugins);

}  // namespace svc::client
