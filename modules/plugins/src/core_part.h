#pragma once

#include <memory>
#include <vector>

#include "collaborators.h"
#include "generation.h"

namespace svc::plugins {

/// The manager's own share of the `svc` object (js/core.ts) and the host functions behind it.
[[nodiscard]] script::ScriptPart corePart();
[[nodiscard]] std::vector<script::HostFunction> coreFunctions(
    const std::shared_ptr<Generation>& generation, storage::IKeyValueStore& kv,
    const ManagerSettings& settings);

}  // namespace svc::plugins
