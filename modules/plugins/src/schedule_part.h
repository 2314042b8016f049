#pragma once

#include <memory>
#include <vector>

#include "svc/jsruntime/script_runtime.h"
#include "svc/plugins/plugins.h"

#include "scheduler.h"

namespace svc::plugins {

/// The host functions behind js/background_schedule.ts.
[[nodiscard]] std::vector<script::HostFunction> scheduleFunctions(
    const std::weak_ptr<IGeneration>& generation, const std::weak_ptr<Scheduler>& scheduler);

}  // namespace svc::plugins
