#pragma once

#include <chrono>
#include <cstddef>

/// Bundles and what is watched while they are made. Durations are milliseconds, sizes bytes. By their names in the contract; tests and messages
/// use these, never literals.
namespace svc::limits {

using std::chrono::milliseconds;
using namespace std::chrono_literals;

inline constexpr milliseconds kBuild = 120s;
inline constexpr milliseconds kStageClean = 1h;
inline constexpr std::size_t kBundleJs = 16UL * 1024 * 1024;
inline constexpr std::size_t kBundleCss = 4UL * 1024 * 1024;
inline constexpr std::size_t kBundleWarn = 1024UL * 1024;
/// Previous bundles of one plugin that are still served.
inline constexpr std::size_t kBundlesKept = 2;
/// Responses from this size on are compressed.
inline constexpr std::size_t kAssetCompress = 1024;
/// Bytes of a host bundle, of which there is at least one.
inline constexpr std::size_t kArtifact = 256UL * 1024 * 1024;
/// Quiet time of a watched directory before it is built.
inline constexpr milliseconds kDevDebounce = 300ms;
/// Between two looks at a directory that cannot be watched.
inline constexpr milliseconds kDevPoll = 1s;
/// Last lines of npm's output that are shown when it fails.
inline constexpr std::size_t kNpmTail = 8;

}  // namespace svc::limits
