#pragma once

#include <string>
#include <vector>

#include "svc/plugins/plugins.h"

namespace svc::realtime {

/// The frame `plugins-changed`: the full list, so that a client needs nothing it saw before.
[[nodiscard]] std::string pluginsChangedFrame(const std::vector<plugins::PluginRecord>& records);

}  // namespace svc::realtime
