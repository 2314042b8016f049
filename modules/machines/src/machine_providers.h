#pragma once

#include "svc/common/json.h"
#include "svc/plugins/plugins.h"

namespace svc::machines {

/// The machine providers that loaded plugins have registered, by plugin id and then as registered: { id, pluginId, displayName,
/// description, icon, canSuspend, availability }. This version does not run them, which `availability` says. Any thread.
[[nodiscard]] common::Json machineProviders(const plugins::ILoadedPlugins& loaded);

}  // namespace svc::machines
