#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

#include "svc/kernel/result.h"

#include "entry_sources.h"

namespace svc::hosts {

/// The built host entry of one load.
struct HostArtifact {
  std::string identity;  ///< random UUID: of each load, also when the bytes are the same
  std::string digest;    ///< SHA-256 of the bytes, hex
  std::shared_ptr<const std::string> bytes;
  std::string sdk_version{};                ///< that built it; empty when its metadata does not say
  std::shared_ptr<EntrySources> sources{};  ///< null when there is no map beside it
};
using HostArtifactPtr = std::shared_ptr<const HostArtifact>;

/// Reads dist/host.js below the root and compares it with dist/host.meta.json. The error says what is wrong and what to do.
/// Blocks.
[[nodiscard]] Result<HostArtifactPtr> readHostArtifact(const std::filesystem::path& root,
                                                       const std::string& plugin_id);

/// Of a digest as text.
inline constexpr std::size_t kDigestLength = 64;

/// As in a path: kDigestLength lower-case hexadecimal digits.
[[nodiscard]] bool isDigest(std::string_view text);

}  // namespace svc::hosts
