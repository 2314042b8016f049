#include "adopted_directory.h"

#include <array>
#include <string>

#include "sqlite_failure.h"
#include "statement.h"

namespace svc::storage {
namespace {

/// Parameters: the data directory, and what lies in it.
constexpr const char* kPlugins =
    "UPDATE plugins SET root_dir = ?1 || substr(root_dir, instr(root_dir, ?2)) "
    "WHERE source_kind IN ('npm', 'git', 'tarball') AND instr(root_dir, ?2) > 0 "
    "AND substr(root_dir, 1, length(?1) + length(?2)) <> ?1 || ?2";

constexpr const char* kFolders =
    "UPDATE environments SET path = ?1 || substr(path, instr(path, ?2)) "
    "WHERE host_id IN (SELECT id FROM hosts WHERE is_server = 1) "
    "AND kind IN ('managed-worktree', 'personal') AND instr(path, ?2) > 0 "
    "AND substr(path, 1, length(?1) + length(?2)) <> ?1 || ?2";

}  // namespace

Status adoptDirectory(Database& database, const std::filesystem::path& data) {
  return noThrow([&]() -> Status {
    const auto move = [&](const char* sql, const std::string& what) {
      Statement(database.handle(), sql).execute(data.string(), what);
    };
    move(kPlugins, "/plugins/cache/");
    // Wherever the daemon of the server's machine is (machines::directoryOfOwnDaemon).
    for (const auto* const directory : {"hostd", "machine"}) {
      move(kFolders, std::string("/") + directory + "/worktrees/");
      move(kFolders, std::string("/") + directory + "/personal/");
    }
    return {};
  });
}

}  // namespace svc::storage
