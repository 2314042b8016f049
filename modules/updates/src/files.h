#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>

#include "svc/kernel/result.h"

namespace svc::updates {

// Files that are durable when the call returns, mode 0600, in directories of mode 0700. Blocking. What takes a stop token asks
// it between pieces and ends with stopped().

/// Creates an empty file, for its owner only, that was not there before: of this name, or with "-2", "-3" … behind it. Its path.
[[nodiscard]] Result<std::filesystem::path> createFresh(const std::filesystem::path& file);
[[nodiscard]] Status copyFile(const std::filesystem::path& from, const std::filesystem::path& to,
                              const std::stop_token& stop = {});
/// The regular files of a flat directory; one that does not exist is empty.
[[nodiscard]] Status copyDirectory(const std::filesystem::path& from,
                                   const std::filesystem::path& to,
                                   const std::stop_token& stop = {});
/// Makes durable what has been written to it.
[[nodiscard]] Status syncFile(const std::filesystem::path& file);
[[nodiscard]] Status renamePath(const std::filesystem::path& from, const std::filesystem::path& to);
[[nodiscard]] Status removeTree(const std::filesystem::path& path);

/// The answer of what was not finished because the server ends.
[[nodiscard]] Error stopped();

/// What the operating system said last, with the path it was about.
[[nodiscard]] Error systemError(std::string_view what, const std::filesystem::path& path, int code);

}  // namespace svc::updates
