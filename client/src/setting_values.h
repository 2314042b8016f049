#pragma once

#include <string>
#include <vector>

#include "svc/common/json.h"

#include "console.h"

/// Settings of plugins as they are typed. `schema` is that of GET /plugins/:id/settings.
namespace svc::client {

/// `key=value` as typed.
struct TypedSetting {
  std::string key;
  std::string value;
};

/// `key=value` each; the value `-` is read from standard input.
[[nodiscard]] Result<std::vector<TypedSetting>> typedSettings(
    const Console& console, const std::vector<std::string>& texts);
/// The text as a value of the setting's type. Options and further rules are checked by the server.
[[nodiscard]] Result<common::Json> parseSetting(const common::Json& descriptor,
                                                const std::string& text);
/// What to do about a key that the plugin does not have: the nearest one, or all of them.
[[nodiscard]] std::string knownSettings(const std::string& key, const common::Json& schema);
[[nodiscard]] Error unknownSetting(const std::string& key);
/// Keys that have neither a value nor a default.
[[nodiscard]] std::vector<std::string> unsetSettings(const common::Json& schema,
                                                     const common::Json& values);
/// A line typed without echo, or everything a pipe has; one line break at its end is not part of it.
[[nodiscard]] Result<std::string> readSecret(const Console& console, const std::string& key);

}  // namespace svc::client
