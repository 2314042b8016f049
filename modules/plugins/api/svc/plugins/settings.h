#pragma once

#include <string>

#include "svc/common/json.h"
#include "svc/kernel/completion.h"
#include "svc/kernel/service_id.h"

namespace svc::plugins {

/// The settings of plugins as clients see them: `{ "schema": {…}, "values": {…} }`. The value of a secret is
/// `{ "set": true | false }`; a key without a value is absent. Any thread may call; completions fire on any thread.
/// Both fail with `unknown_plugin`, and with `plugin_not_running` while nothing is loaded: only the plugin's own code
/// knows what it declares.
class IPluginSettings {
 public:
  static constexpr ServiceId kId{"svc.plugins.Settings", 1};
  virtual ~IPluginSettings() = default;

  virtual void get(const std::string& plugin_id, Completion<common::RawJson> done) = 0;
  /// `values` is an object: key to value, null unsets. All of it or, with `invalid_input` and one issue per key, nothing.
  /// Completes with what get() answers afterwards, when it is durable and the plugin uses it.
  virtual void save(const std::string& plugin_id, const common::Json& values,
                    Completion<common::RawJson> done) = 0;
};

}  // namespace svc::plugins
