#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "svc/common/json.h"
#include "svc/kernel/executor.h"
#include "svc/kernel/result.h"
#include "svc/storage/start_check.h"

namespace svc::updates {

/// What belongs in a backup and is not in it.
struct LeftOut {
  std::string path;  ///< relative to the data directory; bytes
  std::string reason;
};

/// What an archive is about, as its manifest says it.
struct BackupInfo {
  std::filesystem::path file;
  std::uint64_t bytes = 0;  ///< of the archive
  std::int64_t created_at = 0;
  std::string version;  ///< of the service that wrote it
  std::size_t files = 0;
  std::vector<std::string> plugins;  ///< ids, ascending
  std::vector<LeftOut> left_out;
};

/// Backups of the data directory while the server runs, and archives made ready to take its place. What is not in an
/// archive: logs, snapshots, caches that are rebuilt, and what names the running process. Every function blocks; a stop, of the
/// server or of who asked, ends it after the piece it is at, and nothing is left of what it made.
class Backup {
 public:
  /// Without a `check`, where nothing is kept in a database, a restore is not tried out.
  Backup(const std::filesystem::path& data, std::string version, const IClock& clock,
         storage::IStartCheck* check, std::stop_token stop = {});

  /// Databases are copied by SQLite and consistent each for itself. Left out are links that lead out of the data directory,
  /// which no restore would make, and databases that a plugin keeps locked for lim.busyTimeout: one plugin does not decide about the backup of all. `conflict` when the file exists and may not be
  /// replaced: with `overwrite` an empty one or a backup, and never anything else. `invalid_input`, also for a file in the data
  /// directory; `unavailable`.
  [[nodiscard]] Result<BackupInfo> write(const std::filesystem::path& file, bool overwrite,
                                         const std::stop_token& given_up = {}) const;
  /// Checks an archive, also whether the server would start on it, and unpacks it, without what no backup has, to replacement(), from where the next start of the program puts it in place of the
  /// data directory. Until then nothing has changed. `not_found`, `invalid_input`, `incompatible`, `unavailable`.
  [[nodiscard]] Result<BackupInfo> prepareRestore(const std::filesystem::path& file,
                                                  const std::stop_token& given_up = {}) const;

  /// "<data>.restore" and "<data>.before-restore": the names that the kernel knows.
  [[nodiscard]] std::filesystem::path replacement() const;
  [[nodiscard]] std::filesystem::path replaced() const;

 private:
  [[nodiscard]] Status checkTarget(const std::filesystem::path& file, bool overwrite,
                                   const std::stop_token& stop) const;
  [[nodiscard]] Status checkReplaceable() const;
  [[nodiscard]] Status checkStart(const std::filesystem::path& file,
                                  const std::filesystem::path& directory) const;
  [[nodiscard]] Result<BackupInfo> unpack(const std::filesystem::path& file,
                                          const std::filesystem::path& directory,
                                          const std::stop_token& stop) const;

  const std::filesystem::path data_;
  const std::string version_;
  const IClock& clock_;
  storage::IStartCheck* const check_;
  const std::stop_token stop_;
};

}  // namespace svc::updates
