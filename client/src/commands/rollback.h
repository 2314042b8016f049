#pragma once

#include <string>

#include "dispatch.h"

namespace svc::client {

/// Returns a plugin to the version before its last update, after it said what that does to its data. `yes` does not ask.
[[nodiscard]] int pluginRollback(Context& context, const std::string& id, bool yes);

}  // namespace svc::client
