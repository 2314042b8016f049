#include "backup_files.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>
#include <utility>

#include "files.h"

namespace svc::updates {
namespace {

namespace fs = std::filesystem;

// What names the running process and who may call it, what is rebuilt, and copies of what is in the backup already.
constexpr auto kLeftOut = std::to_array<std::string_view>({"access-cookie",
                                                           "access-cookie.tmp",
                                                           "server.json",
                                                           "server.json.tmp",
                                                           "server.lock",
                                                           "logs",
                                                           "backups",
                                                           "cache",
                                                           "plugins/snapshots",
                                                           "skills-generated",
                                                           "plugins/cache/.staging",
                                                           "hostd/auth.json.tmp",
                                                           "hostd/cache",
                                                           "hostd/daemon.lock",
                                                           "hostd/logs",
                                                           "hostd/plugin-host-artifacts",
                                                           "hostd/runtime",
                                                           "hostd/tmp",
                                                           "machine/auth.json.tmp",
                                                           "machine/cache",
                                                           "machine/daemon.lock",
                                                           "machine/logs",
                                                           "machine/plugin-host-artifacts",
                                                           "machine/runtime",
                                                           "machine/tmp"});

bool endsWithAny(const std::string& name, std::initializer_list<std::string_view> endings) {
  return std::ranges::any_of(endings, [&](auto ending) { return name.ends_with(ending); });
}

/// What a crash may leave of writing a secret or of bringing back a snapshot: plugins/<id>/…
bool isUnfinished(const fs::path& relative, std::ptrdiff_t depth) {
  const auto name = relative.filename().string();
  if (depth == 3) {
    return name == "secrets.restore" || name == "secrets.replaced" || name == "data.db.restore";
  }
  return depth == 4 && relative.parent_path().filename() == "secrets" && name.starts_with(".new-");
}

bool isLeftOut(const fs::path& relative) {
  const auto text = relative.generic_string();
  if (std::ranges::find(kLeftOut, text) != kLeftOut.end() ||
      text.starts_with("plugins/toolchain-")) {
    return true;
  }
  // plugins/<id>/cache holds compiled scripts, plugins/cache/… the files of plugins.
  const auto depth = std::distance(relative.begin(), relative.end());
  const bool of_plugin = *relative.begin() == "plugins";
  return (of_plugin && depth == 3 && relative.filename() == "cache") ||
         (of_plugin && isUnfinished(relative, depth)) ||
         endsWithAny(text, {"-wal", "-shm", "-journal"});
}

/// By its name: opening a database to look at it would drop the locks that this process has on it.
bool isDatabase(const fs::path& relative) {
  return endsWithAny(relative.filename().string(), {".db", ".sqlite", ".sqlite3"}) &&
         !relative.generic_string().starts_with("plugins/cache/");
}

}  // namespace

bool belongsInBackup(const fs::path& relative) {
  fs::path part;
  for (const auto& name : relative) {
    part /= name;
    if (isLeftOut(part)) {
      return false;
    }
  }
  return true;
}

Result<std::vector<BackupFile>> listBackupFiles(const fs::path& data) {
  std::vector<BackupFile> out;
  std::error_code failure;
  fs::path at = data;  // what cannot be read, in the end
  for (fs::recursive_directory_iterator entry(data, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    at = entry->path();
    const auto relative = at.lexically_relative(data);
    const auto type = entry->symlink_status(failure).type();
    if (isLeftOut(relative)) {
      entry.disable_recursion_pending();
    } else if (type == fs::file_type::symlink) {
      out.push_back({relative.generic_string(), BackupFile::Kind::kLink,
                     fs::read_symlink(entry->path(), failure).string()});
    } else if (type == fs::file_type::regular) {
      out.push_back({relative.generic_string(),
                     isDatabase(relative) ? BackupFile::Kind::kDatabase : BackupFile::Kind::kPlain,
                     ""});
    } else if (type == fs::file_type::directory && fs::is_empty(at, failure)) {
      out.push_back({relative.generic_string(), BackupFile::Kind::kEmptyDirectory, ""});
    }
  }
  if (failure) {
    return systemError("cannot read", at, failure.value());
  }
  std::ranges::sort(out, {}, &BackupFile::path);
  return out;
}

}  // namespace svc::updates
