#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "svc/common/json.h"
#include "svc/kernel/completion.h"

namespace svc::agents {

/// A form that a plugin wants to have shown while it runs a tool; checked.
struct FormRequest {
  std::string plugin_id;
  std::string renderer_id;  ///< a `pendingInteraction` slot of the plugin
  std::string title;
  common::RawJson payload;
  std::chrono::milliseconds timeout{};
};

/// Shows a form and fires once with its outcome as an object: `{outcome:"submitted",value}` or `{outcome:"cancelled",reason}`. An error is
/// what the plugin gets thrown. Called on the script thread; fires on any.
using AskForm = std::function<void(FormRequest request, Completion<common::RawJson> done)>;

}  // namespace svc::agents
