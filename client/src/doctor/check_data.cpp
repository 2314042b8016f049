#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <set>

#include <fmt/format.h>

#include "svc/base/data_marks.h"
#include "svc/base/files.h"
#include "svc/base/system_error.h"
#include "svc/base/user_name.h"
#include "svc/common/data_remains.h"
#include "svc/common/data_schema.h"

#include "doctor/findings.h"
#include "processes.h"
#include "text.h"

namespace svc::client {
namespace {

constexpr std::size_t kStatFile = 16UL * 1024;

namespace fs = std::filesystem;

constexpr const char* kDatabase = "database";
// Where a file of SQLite has the size of its pages, and how many it has.
constexpr std::size_t kPageSizeOffset = 16;
constexpr std::size_t kPagesOffset = 28;
constexpr std::uint64_t kLargestPage = 65'536;  ///< written as 1

constexpr std::uintmax_t kMega = 1'000'000;
constexpr std::uintmax_t kTooLittle = 100 * kMega;
constexpr std::uintmax_t kLittle = 1000 * kMega;
constexpr std::uintmax_t kLargeLogs = 500 * kMega;

Status makePrivate(const fs::path& directory) {
  return ::chmod(directory.c_str(), S_IRWXU) == 0
             ? Status()
             : Status(base::systemError("the mode of " + directory.string() + " stays", errno));
}

/// Gives their user the right to read what belongs to them, and to enter directories.
Status makeReadable(const fs::path& data) {
  std::error_code failed;
  // What is below a directory is seen only once it can be entered: each is opened before it is looked into.
  for (auto entry = fs::recursive_directory_iterator(
           data, fs::directory_options::skip_permission_denied, failed);
       !failed && entry != fs::recursive_directory_iterator(); entry.increment(failed)) {
    struct stat facts {};
    if (::lstat(entry->path().c_str(), &facts) != 0 || S_ISLNK(facts.st_mode)) {
      continue;
    }
    const mode_t wanted = S_ISDIR(facts.st_mode) ? S_IRWXU : S_IRUSR | S_IWUSR;
    if ((facts.st_mode & S_IRUSR) != 0 &&
        (!S_ISDIR(facts.st_mode) || (facts.st_mode & S_IXUSR) != 0)) {
      continue;
    }
    if (::chmod(entry->path().c_str(), (facts.st_mode & 07777U) | wanted) != 0) {
      return base::systemError("the mode of " + entry->path().string() + " stays", errno);
    }
  }
  return failed ? Status(Error{errc::kUnavailable, data.string() + ": " + failed.message()})
                : Status();
}

/// Only what nobody holds: between the look and now a server may have started.
Status removeRecord(const fs::path& data) {
  if (lockOwner(data)) {
    return Error{errc::kConflict, "a server has started meanwhile"};
  }
  std::error_code failed;
  fs::remove(data / "server.json", failed);
  return failed ? Status(Error{errc::kUnavailable, "server.json stays: " + failed.message()})
                : Status();
}

void checkDirectory(const fs::path& data, Findings& findings) {
  constexpr const char* kCheck = "data directory";
  struct stat facts {};
  if (::stat(data.c_str(), &facts) != 0) {
    findings.push_back(fine(kCheck, data.string() + " does not exist yet"));
    return;
  }
  const auto shown = data.string();
  if (!S_ISDIR(facts.st_mode)) {
    findings.push_back(
        problem(kCheck, shown + " is not a directory", "mv " + shown + " elsewhere"));
  } else if (facts.st_uid != ::geteuid()) {
    const auto owner = base::userName(facts.st_uid);
    findings.push_back(problem(
        kCheck, fmt::format("{} belongs to the user {}", shown, owner),
        fmt::format("look as that user: sudo -u {} -H svc doctor; or name a directory of your own "
                    "(--data-dir, SVC_DATA_DIR)",
                    owner)));
  } else if (::access(data.c_str(), W_OK) != 0 && errno == EROFS) {
    findings.push_back(problem(kCheck, shown + " is on a file system that is read only",
                               "mount it for writing, or name another directory (--data-dir)"));
  } else if (::access(data.c_str(), R_OK | W_OK | X_OK) != 0) {
    findings.push_back(
        repairable(problem(kCheck, shown + " cannot be written", "chmod 700 " + shown),
                   [data] { return makePrivate(data); }));
  } else if ((facts.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    findings.push_back(
        repairable(problem(kCheck,
                           fmt::format("other users can look into {} (mode {:o}): it holds "
                                       "secrets",
                                       shown, facts.st_mode & 07777U),
                           "chmod 700 " + shown),
                   [data] { return makePrivate(data); }));
  } else {
    findings.push_back(fine(kCheck, shown));
  }
}

void checkSpace(const fs::path& data, Findings& findings) {
  constexpr const char* kCheck = "free space";
  auto existing = data;
  std::error_code failed;
  while (!fs::exists(existing, failed) && existing.has_relative_path()) {
    existing = existing.parent_path();
  }
  const auto space = fs::space(existing, failed);
  if (failed) {
    findings.push_back(
        warning(kCheck, "cannot be read: " + failed.message(), "df " + data.string()));
    return;
  }
  const auto text = sizeText(space.available);
  if (space.available < kTooLittle) {
    findings.push_back(problem(kCheck, "only " + text + " are left where the data is",
                               "free space; svc plugin prune deletes unused packages"));
  } else if (space.available < kLittle) {
    findings.push_back(warning(kCheck, "only " + text + " are left where the data is",
                               "svc plugin prune deletes unused packages"));
  } else {
    findings.push_back(fine(kCheck, text));
  }
}

void checkLock(const fs::path& data, Findings& findings) {
  constexpr const char* kCheck = "lock";
  const auto owner = lockOwner(data);
  const auto record = readServerRecord(data);
  if (owner) {
    findings.push_back(fine(kCheck, fmt::format("held by pid {}", *owner)));
  } else if (record) {
    findings.push_back(
        repairable(warning(kCheck,
                           fmt::format("server.json names pid {}, but no server runs here: the "
                                       "last one ended without cleaning up, or the directory is a "
                                       "copy of that one's",
                                       record->pid),
                           "svc server start replaces it"),
                   [data] { return removeRecord(data); }));
  } else {
    findings.push_back(fine(kCheck, "free"));
  }
}

void checkLogs(const fs::path& data, Findings& findings) {
  std::uintmax_t total = 0;
  std::error_code failed;
  for (auto entry = fs::recursive_directory_iterator(
           data, fs::directory_options::skip_permission_denied, failed);
       !failed && entry != fs::recursive_directory_iterator(); entry.increment(failed)) {
    const auto name = entry->path().filename().string();
    if (name == "cache" || name == "snapshots" || name == "node_modules") {
      entry.disable_recursion_pending();
    } else if (name.find(".log") != std::string::npos && entry->is_regular_file(failed)) {
      total += entry->file_size(failed);
    }
  }
  findings.push_back(total > kLargeLogs ? warning("logs", "they take " + sizeText(total),
                                                  "rm " + (data / "logs").string() + "/*.[0-9]*")
                                        : fine("logs", sizeText(total)));
}

Finding damagedDatabase(const fs::path& data) {
  return problem(kDatabase,
                 (data / "svc.db").string() +
                     " is damaged or not a database: the server does not start with it",
                 common::restoreByHand(data));
}

/// A database of a newer version, or what is none, keeps the server from starting.
void checkDatabase(const fs::path& data, Findings& findings) {
  constexpr std::string_view kMagic{"SQLite format 3", 16};
  const auto file = data / "svc.db";
  std::array<char, common::kSchemaOffset + 4> header{};
  std::error_code ignored;
  if (const auto remains = common::remainsWithoutDatabase(data); !remains.empty()) {
    findings.push_back(problem(
        kDatabase,
        fmt::format("{} is missing or empty, and only it knows what is in {}: the server does not "
                    "start",
                    file.string(), remains.string()),
        fmt::format("put it back from {}, or: {}", (data / "backups").string(),
                    common::restoreByHand(data))));
    return;
  }
  if (fs::is_directory(file, ignored)) {
    findings.push_back(damagedDatabase(data));
    return;
  }
  std::ifstream in;
  if (fs::is_regular_file(file, ignored)) {
    in.open(file, std::ios::binary);
  }
  if (!in.is_open() || fs::file_size(file, ignored) == 0) {
    return;  // there is none yet; what cannot be read is among the files
  }
  if (!in.read(header.data(), header.size()) ||
      std::string_view(header.data(), kMagic.size()) != kMagic) {
    findings.push_back(damagedDatabase(data));
    return;
  }
  const auto number = [&header](std::size_t at, std::size_t bytes) {
    std::uint64_t out = 0;
    for (const auto end = at + bytes; at < end; ++at) {
      out = out << 8U | static_cast<unsigned char>(header.at(at));
    }
    return out;
  };
  // The header is of the file's last state only where no log of later ones stands beside it.
  const auto page = number(kPageSizeOffset, 2);
  const auto bytes = number(kPagesOffset, 4) * (page == 1 ? kLargestPage : page);
  if (fs::file_size(file, ignored) < bytes && !fs::exists(file.string() + "-wal", ignored)) {
    findings.push_back(damagedDatabase(data));
    return;
  }
  const auto schema = number(common::kSchemaOffset, 4);
  findings.push_back(
      schema > common::kCoreSchema
          ? problem(kDatabase,
                    fmt::format("{} was written by a newer version of svc (its schema is {}, this "
                                "version knows up to {}): the server does not start with it",
                                file.string(), schema, common::kCoreSchema),
                    fmt::format("install that version again, or rm {0}-wal {0}-shm and replace {0} "
                                "with a copy from {1}",
                                file.string(), (data / "backups").string()))
          : fine(kDatabase, file.string()));
}

struct ProcessFacts {
  int pid = 0;
  int parent = 0;
  std::string name;
};

std::optional<ProcessFacts> factsOf(const fs::path& entry) {
  int pid = 0;
  const auto text = entry.filename().string();
  if (std::from_chars(text.data(), text.data() + text.size(), pid).ptr !=
      text.data() + text.size()) {
    return std::nullopt;
  }
  // A process may end between the opening of its file and the reading.
  const auto read = base::readFile(entry / "stat", kStatFile);
  const std::string stat = read ? read.value() : std::string();
  const auto open = stat.find('(');
  const auto close = stat.rfind(')');
  constexpr std::size_t kToParent = 4;  // ") S "
  if (open == std::string::npos || close == std::string::npos || close + kToParent > stat.size()) {
    return std::nullopt;
  }
  ProcessFacts facts{pid, 0, stat.substr(open + 1, close - open - 1)};
  const auto* const from = stat.data() + close + kToParent;
  std::from_chars(from, stat.data() + stat.size(), facts.parent);
  return facts;
}

/// Processes that work in the data directory and whose parent is gone, and, when no server has the directory, all that one has started
/// on it, by their mark.
void checkOrphans(const fs::path& data, Findings& findings) {
  const auto owner = lockOwner(data);
  std::set<int> marked;
  if (!owner) {
    for (const auto& process : base::processesMarkedBelow(base::marksOf(data))) {
      marked.insert(process.pid);
    }
  }
  std::string list;
  std::string pids;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator("/proc", failed)) {
    const auto facts = factsOf(entry.path());
    if (!facts || facts->pid == owner) {
      continue;
    }
    std::error_code unreadable;
    const auto directory = fs::read_symlink(entry.path() / "cwd", unreadable).string();
    const bool inside = !unreadable && (directory + "/").starts_with(data.string() + "/");
    if ((inside && facts->parent == 1) || marked.contains(facts->pid)) {
      list +=
          fmt::format("{}{} (pid {})", list.empty() ? "" : ", ", oneLine(facts->name), facts->pid);
      pids += fmt::format(" {}", facts->pid);
    }
  }
  findings.push_back(
      list.empty()
          ? fine("processes", "none left behind")
          : warning("processes", "left behind by a server that ended: " + list, "kill" + pids));
}

/// What another user has left in the directory, such as a server that once ran as root.
void checkFiles(const fs::path& data, Findings& findings) {
  constexpr const char* kCheck = "files";
  std::size_t wrong = 0;
  std::string first;
  std::error_code failed;
  if (!fs::exists(data, failed) && !failed) {
    return;  // The server makes it.
  }
  for (auto entry = fs::recursive_directory_iterator(
           data, fs::directory_options::skip_permission_denied, failed);
       !failed && entry != fs::recursive_directory_iterator(); entry.increment(failed)) {
    std::error_code ignored;
    const bool directory = entry->is_directory(ignored);
    if (entry->is_symlink(ignored) ||
        ::faccessat(AT_FDCWD, entry->path().c_str(), directory ? R_OK | X_OK : R_OK, AT_EACCESS) ==
            0) {
      continue;
    }
    if (wrong++ == 0) {
      first = entry->path().string();
    }
  }
  if (failed) {
    findings.push_back(
        problem(kCheck, "cannot be listed: " + failed.message(), "ls -lR " + data.string()));
  } else if (wrong > 0) {
    findings.push_back(repairable(
        problem(kCheck,
                fmt::format("{} of them cannot be read, {} is one: a backup fails, and so does "
                            "what needs them",
                            wrong, oneLine(first)),
                fmt::format("sudo chown -R {} {} and chmod -R u+rwX {}", ::geteuid(), data.string(),
                            data.string())),
        [data] { return makeReadable(data); }));
  } else {
    findings.push_back(fine(kCheck, "all can be read"));
  }
}

}  // namespace

std::string sizeText(std::uintmax_t bytes) {
  constexpr double kKilo = 1000;
  auto number = static_cast<double>(bytes);
  const char* unit = "B";
  for (const char* const next : {"kB", "MB", "GB", "TB"}) {
    if (number < kKilo) {
      break;
    }
    number /= kKilo;
    unit = next;
  }
  return bytes < 1000 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", number, unit);
}

void checkData(const Context& context, Findings& findings) {
  const auto data = dataDir(context.choice, context.environment);
  checkDirectory(data, findings);
  checkSpace(data, findings);
  checkLock(data, findings);
  checkDatabase(data, findings);
  checkFiles(data, findings);
  checkLogs(data, findings);
  checkOrphans(data, findings);
}

}  // namespace svc::client
