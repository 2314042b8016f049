#pragma once

#include <string>

#include "svc/agents/forms.h"

namespace svc::agents {

/// What the environment of a plugin asks for, for whoever shows it.
[[nodiscard]] FormRequest formRequestOf(const std::string& plugin_id, const common::Json& asked);

/// The outcome as the environment reads it.
[[nodiscard]] Completion<common::RawJson> outcomeAsText(Completion<std::string> done);

}  // namespace svc::agents
