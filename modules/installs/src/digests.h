#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "svc/kernel/result.h"

namespace svc::installs {

/// SHA-256 hex of every file of a plugin by its path, links by their target; dependencies (node_modules) as one digest
/// over their names and contents, under "node_modules/".
using Digests = std::map<std::string, std::string>;

/// Blocks. Versioning directories (.git) are left out.
[[nodiscard]] Result<Digests> computeDigests(const std::filesystem::path& root);
/// What differs from the recorded files; empty when nothing does. Files that came later are not looked at, except
/// among the dependencies. Blocks.
[[nodiscard]] Result<std::string> firstDifference(const std::filesystem::path& root,
                                                  const Digests& recorded);

[[nodiscard]] std::string toJsonText(const Digests& digests);
[[nodiscard]] Result<Digests> digestsFromJson(std::string_view text);

[[nodiscard]] Result<std::string> fileSha256(const std::filesystem::path& file);
[[nodiscard]] std::string textSha256(std::string_view text);

/// True when the file has this subresource integrity ("sha512-…", "sha1-…"; the strongest of several counts).
[[nodiscard]] Result<bool> hasIntegrity(const std::filesystem::path& file,
                                        std::string_view integrity);
/// "sha512-…" of a file.
[[nodiscard]] Result<std::string> integrityOf(const std::filesystem::path& file);

}  // namespace svc::installs
