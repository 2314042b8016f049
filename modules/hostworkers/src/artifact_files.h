#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>

#include "svc/kernel/result.h"

#include "artifact_cache.h"

// The files of the cache. They block: for worker threads.
namespace svc::hostworkers {

enum class CachedFile : std::uint8_t { kMissing, kGood, kDamaged };

/// Compares length and digest, notes the use, and deletes a file that differs.
[[nodiscard]] CachedFile checkCached(const std::filesystem::path& file, const Artifact& artifact,
                                     std::int64_t now_ms);
/// Makes the directory of an artifact. Error: `artifact_unavailable`.
[[nodiscard]] Status prepareDirectory(const std::filesystem::path& directory);
/// Puts a checked download in its place.
[[nodiscard]] Status install(const std::filesystem::path& staged, const std::filesystem::path& file,
                             std::int64_t now_ms);
/// Removes what was not used for L:artifact-keep, and the longest unused while all together are more than L:artifact;
/// not `keep`.
void pruneArtifacts(const std::filesystem::path& root, const std::filesystem::path& keep,
                    std::int64_t now_ms);
void removeOthers(const std::filesystem::path& root, const std::set<std::string>& plugin_ids);

}  // namespace svc::hostworkers
