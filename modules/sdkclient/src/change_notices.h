#pragma once

#include <string>
#include <vector>

#include "svc/common/json.h"
#include "svc/plugins/plugins.h"

namespace svc::sdkclient {

/// What a callback gets: `{ id?, changes }`; an empty id stands for the list as a whole.
[[nodiscard]] common::Json changeNotice(const std::string& id,
                                        const std::vector<std::string>& changes);

/// Delivers an event of `svc.sdk.subscribe` to the plugins that wait for it. Any thread.
void notifySubscribers(const plugins::ILoadedPlugins& loaded, const std::string& event,
                       const common::Json& notice);

}  // namespace svc::sdkclient
