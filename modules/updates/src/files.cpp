#include "files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "svc/base/fd.h"
#include "svc/base/files.h"
#include "svc/base/system_error.h"
#include "svc/common/codes.h"

namespace svc::updates {
namespace {

namespace fs = std::filesystem;
using base::Fd;

/// Calls `take` with one piece of the file after another.
template <class Take>
Status readPieces(const fs::path& file, Take take) {
  const Fd in(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!in) {
    return systemError("cannot read", file, errno);
  }
  std::array<char, 65'536> buffer{};
  for (;;) {
    const auto count = base::readSome(in.get(), buffer.data(), buffer.size());
    if (count < 0) {
      return systemError("cannot read", file, errno);
    }
    if (count == 0) {
      return {};
    }
    if (auto status = take(std::string_view(buffer.data(), static_cast<std::size_t>(count)));
        !status) {
      return status;
    }
  }
}

Status sync(int descriptor, const fs::path& file) {
  return ::fsync(descriptor) == 0 ? Status() : systemError("cannot write", file, errno);
}

}  // namespace

Error systemError(std::string_view what, const fs::path& path, int code) {
  return {code == ENOENT ? errc::kNotFound : errc::kUnavailable,
          fmt::format("{} {}: {}", what, path.string(), base::systemText(code))};
}

Error stopped() {
  return {errc::kUnavailable, "the server is shutting down; try again when it runs"};
}

Result<fs::path> createFresh(const fs::path& file) {
  constexpr int kTries = 100;
  auto path = file;
  for (int number = 2; number <= kTries; ++number) {
    const Fd out(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                        S_IRUSR | S_IWUSR));
    if (out) {
      return path;
    }
    if (errno != EEXIST) {
      break;
    }
    path = fmt::format("{}-{}", file.string(), number);
  }
  return systemError("cannot write", path, errno);
}

Status copyFile(const fs::path& from, const fs::path& to, const std::stop_token& stop) {
  const Fd out(::open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!out) {
    return systemError("cannot write", to, errno);
  }
  // What is a program stays one, for its owner.
  struct stat info {};
  const auto program = ::stat(from.c_str(), &info) == 0 ? info.st_mode & S_IXUSR : 0;
  if (::fchmod(out.get(), S_IRUSR | S_IWUSR | program) != 0) {
    return systemError("cannot write", to, errno);
  }
  const auto copy = [&](std::string_view piece) -> Status {
    if (stop.stop_requested()) {
      return stopped();
    }
    return base::writeAll(out.get(), piece) ? Status() : systemError("cannot write", to, errno);
  };
  if (auto status = readPieces(from, copy); !status) {
    return status;
  }
  return sync(out.get(), to);
}

Status copyDirectory(const fs::path& from, const fs::path& to, const std::stop_token& stop) {
  if (auto status = base::makePrivateDirectory(to); !status) {
    return status;
  }
  std::error_code failure;
  for (fs::directory_iterator entry(from, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    if (entry->symlink_status(failure).type() != fs::file_type::regular) {
      continue;
    }
    if (auto status = copyFile(entry->path(), to / entry->path().filename(), stop); !status) {
      return status;
    }
  }
  if (failure && failure != std::errc::no_such_file_or_directory) {
    return systemError("cannot read", from, failure.value());
  }
  return base::syncDirectory(to);
}

Status syncFile(const fs::path& file) {
  const Fd open(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!open) {
    return systemError("cannot open", file, errno);
  }
  return sync(open.get(), file);
}

Status renamePath(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) {
    return systemError(fmt::format("cannot rename {} to", from.string()), to, errno);
  }
  return base::syncDirectory(to.parent_path());
}

Status removeTree(const fs::path& path) {
  std::error_code failure;
  fs::remove_all(path, failure);
  return failure ? Status(systemError("cannot remove", path, failure.value())) : Status();
}

}  // namespace svc::updates
