#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "svc/kernel/result.h"
#include "svc/storage/plugin_store.h"

#include "manifest.h"

namespace svc::plugins {

struct InstallCandidate {
  std::filesystem::path root;  ///< absolute, normalised, links kept
  Manifest manifest;
};

/// A refusal on the wire: `install_refused` with details.reason.
[[nodiscard]] Error refused(std::string_view reason, std::string message);

/// The directory a source names: an absolute path, `~/…`, or `path:` before one of them.
[[nodiscard]] Result<std::filesystem::path> sourceDirectory(std::string_view source,
                                                            std::string_view home);

[[nodiscard]] Error reservedId(std::string_view plugin_id);
/// Another source owns the id of this row.
[[nodiscard]] Error idInUse(const storage::PluginRow& row);

/// Reads what a directory offers. Blocks; errors are refusals.
[[nodiscard]] Result<InstallCandidate> inspectDirectory(std::filesystem::path root);

/// As sourceDirectory(), with the home of whoever runs the server.
[[nodiscard]] Result<std::filesystem::path> localDirectory(std::string_view source);
/// Reads what a path source offers. Blocks; errors are refusals.
[[nodiscard]] Result<InstallCandidate> inspectSource(std::string_view source);

}  // namespace svc::plugins
