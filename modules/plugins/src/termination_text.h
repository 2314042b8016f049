#pragma once

#include <string>

#include "svc/jsruntime/script_runtime.h"

namespace svc::plugins {

/// What the status detail says about an environment that has ended by itself.
[[nodiscard]] std::string terminationText(const script::Termination& termination);

/// True for ends the service answers with a new load.
[[nodiscard]] bool restartsAfter(script::TerminationReason reason);

}  // namespace svc::plugins
