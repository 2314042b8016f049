#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>

#include "svc/kernel/result.h"

namespace svc::installs {

/// What a package may take.
struct PackageLimits {
  std::uint64_t bytes;
  std::uint64_t files;
};
/// lim.package and lim.packageFiles.
[[nodiscard]] PackageLimits packageLimits();

/// Unpacks a .tar.gz into an existing directory, without the first component of each path ("package/"), as npm does.
/// Writes files, directories and links that stay inside; anything else refuses the whole (`install_refused`:
/// path_escape, or `too_large`). Blocks.
[[nodiscard]] Status extractPackage(const std::filesystem::path& archive,
                                    const std::filesystem::path& target, PackageLimits limits,
                                    const std::stop_token& stop);

/// What a package of so much is refused for (`too_large`).
[[nodiscard]] Status checkPackageSize(std::uint64_t bytes, std::uint64_t files,
                                      PackageLimits limits);
/// Counts a tree against the limits. Blocks.
[[nodiscard]] Status checkTreeSize(const std::filesystem::path& root, PackageLimits limits);
/// Refuses a link below `root` whose target is outside (`install_refused`: path_escape). A link that leads nowhere is
/// allowed: nothing can be read through it. Blocks.
[[nodiscard]] Status checkLinks(const std::filesystem::path& root);

}  // namespace svc::installs
