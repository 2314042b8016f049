#pragma once

#include <limits>

#include <fmt/format.h>

#include "svc/kernel/result.h"
#include "svc/storage/plugin_store.h"

namespace svc::storage {

/// What every plugin store refuses, and in which words.
[[nodiscard]] inline Status checkRow(const PluginRow& row) {
  if (row.id.empty()) {
    return Error{errc::kInvalidArgument, "a plugin row needs an id"};
  }
  if (row.generation > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return Error{errc::kInvalidArgument,
                 fmt::format("generation {} of plugin \"{}\" does not fit a signed 64-bit number",
                             row.generation, row.id)};
  }
  return {};
}

[[nodiscard]] inline Error noSuchPlugin(const std::string& plugin_id) {
  return {errc::kNotFound, fmt::format("no plugin \"{}\" is installed", plugin_id)};
}

}  // namespace svc::storage
