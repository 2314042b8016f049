#include "backup.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <memory>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "svc/base/files.h"
#include "svc/common/codes.h"
#include "svc/common/limits/storage.h"

#include "backup_archive.h"
#include "backup_files.h"
#include "backup_manifest.h"
#include "core_database.h"
#include "database_copy.h"
#include "files.h"

namespace svc::updates {
namespace {

namespace fs = std::filesystem;
using common::Json;

constexpr const char* kCore = "svc.db";

fs::path withoutSlash(const fs::path& directory) {
  const auto normal = directory.lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

/// A directory that is removed in the end.
class Staging {
 public:
  explicit Staging(fs::path path) : path_(std::move(path)) {}
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging() { static_cast<void>(removeTree(path_)); }

 private:
  fs::path path_;
};

/// Requested as soon as one of two is.
class EitherStop {
 public:
  EitherStop(const std::stop_token& one, const std::stop_token& other)
      : by_one_(one, Request{source_}), by_other_(other, Request{source_}) {}
  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }

 private:
  struct Request {
    std::stop_source source;
    void operator()() { source.request_stop(); }
  };
  std::stop_source source_;
  std::stop_callback<Request> by_one_;
  std::stop_callback<Request> by_other_;
};

/// Whatever links lead there.
bool liesIn(const fs::path& directory, const fs::path& file) {
  std::error_code ignored;
  auto above = fs::weakly_canonical(file.parent_path(), ignored);
  while (!above.empty() && !fs::equivalent(above, directory, ignored)) {
    if (above == above.parent_path()) {
      return false;
    }
    above = above.parent_path();
  }
  return !above.empty();
}

/// What no restore would take: why, or empty.
std::string unfit(const BackupFile& file) {
  if (file.path == kManifestName) {
    return "the archive has its own list of this name";
  }
  return file.kind == BackupFile::Kind::kLink && !staysInside(file.path, file.link) ? kLeadsOut
                                                                                    : "";
}

/// Adds one file by way of `copy`, where it does not change any more. One that is gone by now is left out; `timeout` when it is a
/// database that stays locked.
Status addFile(ArchiveWriter& writer, const fs::path& data, const BackupFile& file,
               const fs::path& copy, const std::stop_token& stop) {
  if (file.kind == BackupFile::Kind::kLink) {
    return writer.addLink(file.path, file.link);
  }
  const auto source = data / file.path;
  if (file.kind == BackupFile::Kind::kDatabase) {
    const auto copied = copyDatabase(source, copy, stop);
    if (copied && !copied.value()) {
      return {};
    }
    // What only has the name of a database is a file like any other, on which nobody holds locks.
    if (copied || copied.error().code != errc::kInvalidInput) {
      return copied ? writer.addFile(file.path, copy) : Status(copied.error());
    }
  }
  // The files of installed versions never change.
  if (file.path.starts_with("plugins/cache/")) {
    return writer.addFile(file.path, source);
  }
  if (auto status = copyFile(source, copy, stop); !status) {
    return status.error().code == errc::kNotFound ? Status() : status;
  }
  return writer.addFile(file.path, copy);
}

/// Adds what can be restored. What else there is, is told instead.
Result<std::vector<LeftOut>> addFiles(ArchiveWriter& writer, const fs::path& data,
                                      const std::vector<BackupFile>& files, const fs::path& copy,
                                      const std::stop_token& stop) {
  std::vector<LeftOut> left_out;
  for (const auto& file : files) {
    if (file.kind == BackupFile::Kind::kEmptyDirectory) {
      continue;  // the manifest has it
    }
    if (auto reason = unfit(file); !reason.empty()) {
      left_out.push_back({file.path, std::move(reason)});
      continue;
    }
    auto status = addFile(writer, data, file, copy, stop);
    if (status) {
      continue;
    }
    // Without the core database there is nothing to restore.
    if (status.error().code != errc::kTimeout || file.path == kCore) {
      return std::move(status).error();
    }
    left_out.push_back(
        {file.path,
         fmt::format(
             "this database stayed locked for {} s; stop what "
             "holds it and back up again",
             std::chrono::duration_cast<std::chrono::seconds>(limits::kBusyTimeout).count())});
  }
  return left_out;
}

ArchiveWriter::Names namesOf(const std::vector<BackupFile>& files) {
  const auto ascii = [](const std::string& text) {
    return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80U; });
  };
  return std::ranges::all_of(
             files, [&](const BackupFile& file) { return ascii(file.path) && ascii(file.link); })
             ? ArchiveWriter::Names::kAscii
             : ArchiveWriter::Names::kBytes;
}

}  // namespace

Backup::Backup(const fs::path& data, std::string version, const IClock& clock,
               storage::IStartCheck* check, std::stop_token stop)
    : data_(withoutSlash(data)),
      version_(std::move(version)),
      clock_(clock),
      check_(check),
      stop_(std::move(stop)) {}

fs::path Backup::replacement() const { return data_.string() + ".restore"; }
fs::path Backup::replaced() const { return data_.string() + ".before-restore"; }

Status Backup::checkTarget(const fs::path& file, bool overwrite,
                           const std::stop_token& stop) const {
  if (!file.is_absolute() || !file.has_filename()) {
    return Error{errc::kInvalidInput,
                 fmt::format("\"{}\" is not the absolute path of a file", file.string())};
  }
  if (liesIn(data_, file)) {
    return Error{
        errc::kInvalidInput,
        fmt::format("{} is in the data directory {}: later backups would contain it, and a "
                    "restore puts it away with the data; choose a directory outside",
                    file.string(), data_.string())};
  }
  std::error_code ignored;
  const auto found = fs::symlink_status(file, ignored);
  if (!fs::exists(found)) {
    return {};
  }
  if (!overwrite) {
    return Error{errc::kConflict, fmt::format("{} exists already; choose another name, or allow "
                                              "to overwrite it",
                                              file.string())};
  }
  if (fs::is_regular_file(found) && fs::file_size(file, ignored) == 0) {
    return {};
  }
  const auto manifest = fs::is_regular_file(found)
                            ? readArchiveManifest(file, stop)
                            : Result<std::string>(Error{errc::kInvalidInput, "not a file"});
  if (stop.stop_requested()) {
    return stopped();
  }
  const auto says = manifest ? Json::parse(manifest.value()) : Result<Json>(manifest.error());
  if (!says || says.value()["format"].asString() != kBackupFormat) {
    return Error{errc::kConflict, fmt::format("{} exists and is no backup, so it is not "
                                              "overwritten; choose another name",
                                              file.string())};
  }
  return {};
}

Result<BackupInfo> Backup::write(const fs::path& file, bool overwrite,
                                 const std::stop_token& given_up) const {
  const EitherStop either(stop_, given_up);
  const auto stop = either.token();
  if (auto status = checkTarget(file, overwrite, stop); !status) {
    return std::move(status).error();
  }
  const auto core = readCoreDatabase(data_ / kCore);
  if (!core) {
    return core.error();
  }
  const auto files = listBackupFiles(data_);
  if (!files) {
    return files.error();
  }
  const auto staging = data_ / "backups" / ".backup";
  if (auto status = removeTree(staging); !status) {
    return std::move(status).error();
  }
  if (auto status = base::makePrivateDirectory(staging); !status) {
    return std::move(status).error();
  }
  const Staging cleanup(staging);
  auto writer = ArchiveWriter::create(file, stop, namesOf(files.value()));
  if (!writer) {
    return std::move(writer).error();
  }
  auto left_out = addFiles(*writer.value(), data_, files.value(), staging / "copy", stop);
  if (!left_out) {
    return std::move(left_out).error();
  }
  BackupInfo info{.file = file,
                  .created_at = clock_.nowMs(),
                  .version = version_,
                  .files = writer.value()->files().size(),
                  .plugins = core.value().plugins,
                  .left_out = std::move(left_out).value()};
  const auto bytes = writer.value()->finish(
      manifestJson(info, data_, core.value().schema, writer.value()->files(), files.value())
          .dumpPretty());
  if (!bytes) {
    return bytes.error();
  }
  info.bytes = bytes.value();
  return info;
}

Status Backup::checkReplaceable() const {
  struct stat inside {};
  struct stat outside {};
  const auto parent = data_.parent_path();
  if (::stat(data_.c_str(), &inside) != 0 || ::stat(parent.c_str(), &outside) != 0) {
    return systemError("cannot read", data_, errno);
  }
  if (inside.st_dev != outside.st_dev || ::access(parent.c_str(), W_OK | X_OK) != 0) {
    return Error{
        errc::kUnavailable,
        fmt::format("{} cannot be replaced: it is a mount point, or {} is not writable; stop the "
                    "server and start it with a data directory that can be renamed",
                    data_.string(), parent.string())};
  }
  return {};
}

Result<BackupInfo> Backup::prepareRestore(const fs::path& file,
                                          const std::stop_token& given_up) const {
  const EitherStop either(stop_, given_up);
  std::error_code ignored;
  if (!file.is_absolute()) {
    return Error{errc::kInvalidInput,
                 fmt::format("\"{}\" is not the absolute path of a file", file.string())};
  }
  if (auto failure = base::unreadable(file)) {
    return std::move(*failure);
  }
  if (!fs::is_regular_file(file, ignored)) {
    return Error{errc::kNotFound, fmt::format("there is no file {}", file.string())};
  }
  if (auto status = checkReplaceable(); !status) {
    return std::move(status).error();
  }
  const fs::path directory = replacement().string() + ".partial";
  for (const auto& old : {replacement(), directory}) {
    if (auto status = removeTree(old); !status) {
      return std::move(status).error();
    }
  }
  const Staging cleanup(directory);
  auto info = unpack(file, directory, either.token());
  if (!info) {
    return info;
  }
  // Under this name it is complete: the next start takes it.
  if (auto status = renamePath(directory, replacement()); !status) {
    return std::move(status).error();
  }
  return info;
}

Status Backup::checkStart(const fs::path& file, const fs::path& directory) const {
  const auto status = check_ != nullptr ? check_->check(directory) : Status();
  if (status) {
    return {};
  }
  const auto& cause = status.error();
  const auto why = fmt::format("the server would not start on its database: {}", cause.message);
  // What stops the start on any data says nothing about the archive.
  if (cause.code == errc::kUnavailable || cause.code == errc::kIncompatible) {
    return Error{cause.code, fmt::format("{} cannot be restored: {}", file.string(), why)};
  }
  return notABackup(file, why + "; nothing was changed: restore another backup");
}

Result<BackupInfo> Backup::unpack(const fs::path& file, const fs::path& directory,
                                  const std::stop_token& stop) const {
  const auto unpacked = unpackArchive(file, directory, stop);
  if (!unpacked) {
    return unpacked.error();
  }
  const auto manifest = Json::parse(unpacked.value().manifest);
  if (!manifest || manifest.value()["format"].asString() != kBackupFormat) {
    return notABackup(file, "it has no manifest of a backup");
  }
  const auto& says = manifest.value();
  if (says["formatVersion"].asInteger() > kBackupFormatVersion) {
    return Error{
        errc::kIncompatible,
        fmt::format("{} was written by version {}, in a format that this version ({}) does "
                    "not know",
                    file.string(), says["serviceVersion"].asString(), version_)};
  }
  if (auto status = compareFiles(file, says, unpacked.value().files); !status) {
    return std::move(status).error();
  }
  if (auto status = makeDirectories(file, directory, says); !status) {
    return std::move(status).error();
  }
  const auto core = readCoreDatabase(directory / kCore);
  const auto current = readCoreDatabase(data_ / kCore);
  if (!core) {
    return notABackup(file, core.error().message);
  }
  if (current && core.value().schema > current.value().schema) {
    return Error{errc::kIncompatible,
                 fmt::format("{} was written by the newer version {} (its schema is {}, this "
                             "version knows up to {}); update the service first",
                             file.string(), says["serviceVersion"].asString(), core.value().schema,
                             current.value().schema)};
  }
  if (auto status = checkStart(file, directory); !status) {
    return std::move(status).error();
  }
  // With it the directory is complete to the kernel, as one that was unpacked by hand is.
  if (auto status = base::replaceFile(directory / kManifestName, unpacked.value().manifest);
      !status) {
    return std::move(status).error();
  }
  auto left_out = notRestored(says, unpacked.value().files);
  const auto made =
      std::ranges::count(unpacked.value().files, std::string(), &ArchivedFile::left_out);
  std::error_code ignored;
  return BackupInfo{.file = file,
                    .bytes = fs::file_size(file, ignored),
                    .created_at = says["createdAt"].asInteger(),
                    .version = says["serviceVersion"].asString(),
                    .files = static_cast<std::size_t>(made),
                    .plugins = core.value().plugins,
                    .left_out = std::move(left_out)};
}

}  // namespace svc::updates
