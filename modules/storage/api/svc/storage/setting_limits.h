#pragma once

#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/storage.h"
#include "svc/kernel/result.h"
#include "svc/storage/settings_store.h"

namespace svc::storage {

/// What every settings store refuses, and in which words.
[[nodiscard]] inline Status checkSettings(std::string_view plugin_id,
                                          const std::vector<SettingChange>& changes) {
  if (plugin_id.empty()) {
    return Error{errc::kInvalidArgument, "a saved setting needs the id of its plugin"};
  }
  for (const auto& [key, value] : changes) {
    if (key.empty()) {
      return Error{errc::kInvalidArgument, "the key of a saved setting must not be empty"};
    }
    if (value && value->text().size() > limits::kSettingValue) {
      return Error{errc::kTooLarge,
                   fmt::format("the value of setting \"{}\" has {} bytes of JSON, the limit "
                               "settingValue is {}",
                               key, value->text().size(), limits::kSettingValue)};
    }
  }
  return {};
}

}  // namespace svc::storage
