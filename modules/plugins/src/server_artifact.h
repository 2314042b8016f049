#pragma once

#include <filesystem>
#include <string>

#include "manifest.h"

namespace svc::plugins {

/// The file a server entry is loaded from.
struct ServerArtifact {
  std::string file;     ///< relative to the root
  std::string warning;  ///< why a built one is not used; may be empty
};

/// A plugin that was installed from elsewhere comes with a built server entry, which is used when it fits the SDK of this
/// service; a directory in place always runs from source. Blocks.
[[nodiscard]] ServerArtifact chooseServer(const std::filesystem::path& root,
                                          const Manifest& manifest, const std::string& source_kind);

}  // namespace svc::plugins
