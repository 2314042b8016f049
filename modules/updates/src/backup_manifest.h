#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "svc/common/json.h"
#include "svc/kernel/result.h"

#include "backup.h"
#include "backup_archive.h"
#include "backup_files.h"

// What an archive says of itself.
namespace svc::updates {

inline constexpr const char* kBackupFormat = "svc-backup";
inline constexpr std::int64_t kBackupFormatVersion = 1;

/// `invalid_input`
[[nodiscard]] Error notABackup(const std::filesystem::path& file, std::string_view why);

/// Of what was written of a data directory in which `listed` was found.
[[nodiscard]] common::Json manifestJson(const BackupInfo& info, const std::filesystem::path& data,
                                        std::int64_t schema, const std::vector<ArchivedFile>& files,
                                        const std::vector<BackupFile>& listed);

/// What the archive never had, and what is not unpacked of it.
[[nodiscard]] std::vector<LeftOut> notRestored(const common::Json& manifest,
                                               const std::vector<ArchivedFile>& files);

/// The empty directories of the archive `file`, below `directory`, which has everything else.
[[nodiscard]] Status makeDirectories(const std::filesystem::path& file,
                                     const std::filesystem::path& directory,
                                     const common::Json& manifest);

/// Whether the archive `file` has had what its manifest lists, and nothing else.
[[nodiscard]] Status compareFiles(const std::filesystem::path& file, const common::Json& manifest,
                                  const std::vector<ArchivedFile>& found);

}  // namespace svc::updates
