#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "svc/common/json.h"

namespace svc::client {

/// What `npm pack` would leave out of a plugin's package although an installed plugin needs it, one sentence for each folder: `dist`,
/// and the folders of skills that are there. `svc plugin-author check` says the same (builtin/plugin-author/package_files.ts).
[[nodiscard]] std::vector<std::string> missingFromPackage(const std::filesystem::path& root,
                                                          const common::Json& manifest);

}  // namespace svc::client
