#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "svc/kernel/result.h"

namespace svc::machines {

struct DaemonFile {
  std::string path;              ///< in the package, below bin, lib, libexec or share
  std::filesystem::path source;  ///< a plain file
  bool executable = false;
};

/// What svc-hostd needs to run, of the installation below `prefix`: the program, its description, the modules that names, the
/// libraries that svc brings along and what they read. Libraries of the system are not part of it. Ascending by path.
/// `not_found` when the installation has no daemon, or not all of one. Blocks.
[[nodiscard]] Result<std::vector<DaemonFile>> daemonFiles(const std::filesystem::path& prefix);

}  // namespace svc::machines
