#pragma once

#include <memory>
#include <vector>

#include "svc/jsruntime/script_runtime.h"

#include "generation.h"
#include "saved_settings.h"

namespace svc::plugins {

/// The host functions behind `svc.settings` (js/settings.ts).
[[nodiscard]] std::vector<script::HostFunction> settingsFunctions(
    const std::shared_ptr<SavedSettings>& settings);

/// Lets the generation's environment know of every save for as long as it is there. Main thread.
void followSettings(SavedSettings& settings, const std::shared_ptr<Generation>& generation);

}  // namespace svc::plugins
