#pragma once

#include <filesystem>

#include "svc/common/json.h"
#include "svc/kernel/result.h"

namespace svc::installs {

/// Whether the dependencies that a manifest names (also in `overrides`) come from where packages come from: registries, repositories and
/// tarballs over https or ssh, http on this machine, and files below `within`, read from `root`. Errors: `install_refused` (path_escape,
/// not_found). Blocks.
[[nodiscard]] Status checkDependencies(const common::Json& manifest,
                                       const std::filesystem::path& root,
                                       const std::filesystem::path& within);

/// The same of files that dependencies of dependencies name, by what npm has written of them below `root`. Blocks.
[[nodiscard]] Status checkInstalledDependencies(const std::filesystem::path& root,
                                                const std::filesystem::path& within);

}  // namespace svc::installs
