#pragma once

#include <string>

#include "svc/jsruntime/script_runtime.h"

namespace svc::plugins {

/// What the status detail says about an environment that has ended by itself.
[[nodiscard]] std::string terminationText(const script::Termination& termination);

/// "spin (/x/server.ts:7:3)": the author's line that a stack begins at; empty when the stack names none.
[[nodiscard]] std::string blockingLine(const std::string& stack);

/// True for ends the service answers with a new load.
[[nodiscard]] bool restartsAfter(script::TerminationReason reason);

}  // namespace svc::plugins
