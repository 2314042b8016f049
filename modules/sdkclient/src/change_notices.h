#pragma once

#include <string>

#include "svc/common/json.h"
#include "svc/plugins/plugins.h"

namespace svc::sdkclient {

/// Delivers an event of `svc.sdk.subscribe` to the plugins that wait for it. Any thread.
void notifySubscribers(const plugins::ILoadedPlugins& loaded, const std::string& event,
                       const common::Json& notice);

}  // namespace svc::sdkclient
