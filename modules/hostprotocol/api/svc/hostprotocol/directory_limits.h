#pragma once

#include <cstddef>

/// Numbers of host.directory and host.paths-exist, which daemon and server share.
namespace svc::limits {

/// Entries of one folder that are listed.
inline constexpr std::size_t kDirectoryEntries = 10'000;
/// Paths of one question.
inline constexpr std::size_t kPathsExist = 1000;

}  // namespace svc::limits
