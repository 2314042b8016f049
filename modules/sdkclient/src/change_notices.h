#pragma once

#include <string>
#include <vector>

#include "svc/common/json.h"
#include "svc/plugins/plugins.h"
#include "svc/realtime/realtime.h"

namespace svc::sdkclient {

/// What a callback gets of a change: `{ id?, changes, metadata? }`; an empty id stands for the list as a whole. Null for what only windows get: the
/// frames of a thread that is streaming. Plugins hear of its events when lists do.
[[nodiscard]] common::Json changeNotice(const realtime::Change& change);

/// Delivers an event of `svc.sdk.subscribe` to the plugins that wait for it; one that is being replaced hears of it in its next load. Any thread.
void notifySubscribers(plugins::ILoadedPlugins& loaded, const std::string& event,
                       const common::Json& notice);

}  // namespace svc::sdkclient
