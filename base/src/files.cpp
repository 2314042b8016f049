#include "svc/base/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <functional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "svc/base/fd.h"
#include "svc/base/system_error.h"

namespace svc::base {
namespace {

namespace fs = std::filesystem;

Error failure(std::string_view doing, const fs::path& path, int code) {
  return systemError(fmt::format("cannot {} {}", doing, path.string()), code);
}

/// A file of root in place of a user's would lock that user out. Best effort.
void keepOwner(int descriptor, const fs::path& replaced) {
  struct stat before {};
  if (::geteuid() == 0 && ::lstat(replaced.c_str(), &before) == 0 && S_ISREG(before.st_mode) &&
      before.st_uid != 0) {
    [[maybe_unused]] const int kept = ::fchown(descriptor, before.st_uid, before.st_gid);
  }
}

/// Writes and syncs; errno in an error.
bool fill(int descriptor, std::string_view text, const NewFile& options) {
  // The mode of open() is what the umask leaves of it.
  return ::fchmod(descriptor, options.mode) == 0 && writeAll(descriptor, text) &&
         (options.durability == Durability::kLoose || ::fsync(descriptor) == 0);
}

/// Beside the file. A name that is as long as names may be has no room for an ending.
fs::path stagedFor(const fs::path& path) {
  constexpr std::string_view kEnding = ".tmp";
  auto name = path.filename().string();
  if (name.size() + kEnding.size() > NAME_MAX) {
    const auto sum = std::to_string(std::hash<std::string>{}(name));
    name.resize(NAME_MAX - kEnding.size() - sum.size());
    name += sum;
  }
  return path.parent_path() / (name += kEnding);
}

}  // namespace

Result<StagedFile> StagedFile::write(const fs::path& path, std::string_view text,
                                     const NewFile& options) {
  const auto staged = options.staged.empty() ? stagedFor(path) : options.staged;
  ::unlink(staged.c_str());
  Fd file(::open(staged.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                 S_IRUSR | S_IWUSR));
  if (!file) {
    return failure("create", staged, errno);
  }
  StagedFile result(path, staged, options.durability);
  if (options.keeps_owner) {
    keepOwner(file.get(), path);
  }
  if (!fill(file.get(), text, options)) {
    return failure("write", path, errno);
  }
  // Some file systems tell only here that there was no room.
  if (::close(file.release()) != 0) {
    return failure("write", path, errno);
  }
  return result;
}

StagedFile::StagedFile(StagedFile&& other) noexcept
    : path_(std::move(other.path_)),
      staged_(std::exchange(other.staged_, {})),
      durability_(other.durability_) {}

StagedFile::~StagedFile() {
  if (!staged_.empty()) {
    ::unlink(staged_.c_str());
  }
}

Status StagedFile::commit() {
  if (::rename(staged_.c_str(), path_.c_str()) != 0) {
    return failure("write", path_, errno);
  }
  staged_.clear();
  return durability_ == Durability::kSynced ? syncDirectory(path_.parent_path()) : Status();
}

Status replaceFile(const fs::path& path, std::string_view text, const NewFile& options) {
  auto staged = StagedFile::write(path, text, options);
  return staged ? staged.value().commit() : Status(std::move(staged).error());
}

Result<std::string> readFile(const fs::path& path, std::size_t limit, Links links) {
  // Not a FIFO: that would be waited for.
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY |
                                         (links == Links::kRefused ? O_NOFOLLOW : 0)));
  if (!file) {
    auto error = failure("read", path, errno);
    if (errno == ENOENT || errno == ENOTDIR) {
      error.code = errc::kNotFound;
    }
    return error;
  }
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) {
    return failure("read", path, errno);
  }
  if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
    return Error{errc::kUnavailable,
                 fmt::format("cannot read {}: it is not a file", path.string())};
  }
  auto text = readAll(file.get(), limit);
  if (text) {
    return text;
  }
  return Error{text.error().code, fmt::format("{}: {}", path.string(), text.error().message)};
}

std::optional<Error> unreadable(const fs::path& path) {
  if (::faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS) == 0 || errno == ENOENT ||
      errno == ENOTDIR) {
    return std::nullopt;
  }
  return failure("read", path, errno);
}

Status makePrivateDirectory(const fs::path& path) {
  std::error_code failed;
  if (path.has_parent_path()) {
    fs::create_directories(path.parent_path(), failed);
  }
  if (!failed && ::mkdir(path.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
    failed.assign(errno, std::generic_category());
  }
  if (failed) {
    return failure("create", path, failed.value());
  }
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && !S_ISDIR(status.st_mode)) {
    return failure("create", path, ENOTDIR);
  }
  if (::chmod(path.c_str(), S_IRWXU) != 0) {
    return failure("create", path, errno);
  }
  return {};
}

Status syncFileSystem(const fs::path& path) {
  const Fd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return directory && ::syncfs(directory.get()) == 0 ? Status() : failure("write", path, errno);
}

Status syncDirectory(const fs::path& path) {
  const Fd directory(::open(path.empty() ? "." : path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return directory && ::fsync(directory.get()) == 0 ? Status() : failure("write", path, errno);
}

}  // namespace svc::base
