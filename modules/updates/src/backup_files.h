#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "svc/kernel/result.h"

namespace svc::updates {

/// One file, or empty directory, of the data directory that belongs in a backup.
struct BackupFile {
  /// Of directories only those with nothing in them: git, for one, needs some of its own.
  enum class Kind : std::uint8_t { kPlain, kDatabase, kLink, kEmptyDirectory };
  std::string path;  ///< relative to the data directory, with '/'
  Kind kind = Kind::kPlain;
  std::string link;  ///< target of a symbolic link
};

/// Whether a backup has what is at this path, relative to the data directory: also below a directory that it leaves out, nothing is.
[[nodiscard]] bool belongsInBackup(const std::filesystem::path& relative);

/// Ascending by path. Blocking.
[[nodiscard]] Result<std::vector<BackupFile>> listBackupFiles(const std::filesystem::path& data);

}  // namespace svc::updates
