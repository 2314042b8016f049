#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>

#include "svc/kernel/error.h"

namespace svc {

/// Why a file or directory cannot be read although it may be there: `cannot read /srv/x: Permission denied`. Nothing when it
/// can be read, or when there is none: who misses it says so in its own words. Blocks; any thread.
[[nodiscard]] inline std::optional<Error> unreadable(const std::filesystem::path& path) {
  if (::faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS) == 0 || errno == ENOENT ||
      errno == ENOTDIR) {
    return std::nullopt;
  }
  return Error{errc::kUnavailable,
               "cannot read " + path.string() + ": " + std::generic_category().message(errno)};
}

}  // namespace svc
