#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "svc/common/json.h"
#include "svc/kernel/completion.h"
#include "svc/kernel/executor.h"
#include "svc/kernel/service_id.h"

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

/// A page of the window that shows forms. Io thread.
struct FormPage {
  /// Opens a form and returns its id, by which the page shows it; `done` as of AskForm.
  std::function<std::string(FormRequest request, Completion<common::RawJson> done)> open;
  /// Ends one that nobody has answered, with this reason of `requestInput`.
  std::function<void(const std::string& id, const std::string& reason)> cancel;
};

/// Where the forms of calls are shown whose callers are windows. Any thread.
class IFormPages {
 public:
  static constexpr ServiceId kId{"svc.agents.FormPages", 1};
  virtual ~IFormPages() = default;
  /// The one that was served last is used.
  [[nodiscard]] virtual Handle serve(FormPage page) = 0;
};

}  // namespace svc::agents
