#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "svc/kernel/result.h"

#include "manifest.h"

/// What the manager reads and writes in file systems. Everything here blocks: call it on a worker.
namespace svc::plugins {

/// What readPlugin() distinguishes beside `invalid_argument` (the manifest), kPathEscape and
/// `not_found` (a file).
inline constexpr Errc kNoDirectory{"no_directory"};
inline constexpr Errc kNoManifest{"no_manifest"};

/// Reads package.json below `root` and checks that the files it names exist inside the root, links
/// followed, and that nothing below it (packages aside) is a FIFO or a device.
[[nodiscard]] Result<ParsedManifest> readPlugin(const std::filesystem::path& root);

/// Checks that `relative` names a file inside `root`, after following links. `key` is its JSON path
/// in messages.
[[nodiscard]] Status checkFile(const std::filesystem::path& root, std::string_view key,
                               std::string_view relative);

/// True when both exist and `path`, links followed, is inside `root` or is it.
[[nodiscard]] bool isInside(const std::filesystem::path& root, const std::filesystem::path& path);

/// What of a plugin's data directory a removal deletes: all of it, or what is not kept.
[[nodiscard]] Status removePluginData(const std::filesystem::path& directory, bool purge);

/// Code points of UTF-8 text.
[[nodiscard]] std::size_t characterCount(std::string_view text);
[[nodiscard]] std::string firstCharacters(std::string text, std::size_t count);

/// "1.2 MB": decimal units, one digit after the point from kilobytes on.
[[nodiscard]] std::string sizeText(std::uintmax_t bytes);

}  // namespace svc::plugins
