#pragma once

#include <filesystem>
#include <stop_token>

#include "svc/kernel/result.h"

namespace svc::serverlink {

/// Unpacks a .tar.gz with the files of a program into a new directory. Plain files and directories below it only: anything else, a
/// link or a path that leaves it, refuses the whole (`invalid_input`), as does a damaged archive; at most L:package bytes and
/// lim.packageFiles files (`too_large`). `unavailable` when the disk refuses, `aborted` when stopped. Blocks.
[[nodiscard]] Status unpackProgram(const std::filesystem::path& archive,
                                   const std::filesystem::path& directory,
                                   const std::stop_token& stop);

}  // namespace svc::serverlink
