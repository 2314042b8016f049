#include "files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"

namespace svc::updates {
namespace {

namespace fs = std::filesystem;

/// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) {
      ::close(number_);
    }
  }
  [[nodiscard]] int get() const { return number_; }
  [[nodiscard]] bool valid() const { return number_ >= 0; }

 private:
  int number_;
};

Status writeAll(int descriptor, const fs::path& file, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) {
      return systemError("cannot write", file, errno);
    }
    bytes.remove_prefix(count > 0 ? static_cast<std::size_t>(count) : 0);
  }
  return {};
}

/// Calls `take` with one piece of the file after another.
template <class Take>
Status readPieces(const fs::path& file, Take take) {
  const Descriptor in(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!in.valid()) {
    return systemError("cannot read", file, errno);
  }
  std::array<char, 65'536> buffer{};
  for (;;) {
    const auto count = ::read(in.get(), buffer.data(), buffer.size());
    if (count == 0) {
      return {};
    }
    if (count < 0 && errno != EINTR) {
      return systemError("cannot read", file, errno);
    }
    if (count > 0) {
      if (auto status = take(std::string_view(buffer.data(), static_cast<std::size_t>(count)));
          !status) {
        return status;
      }
    }
  }
}

int createPrivate(const fs::path& file) {
  return ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
}

Status sync(int descriptor, const fs::path& file) {
  return ::fsync(descriptor) == 0 ? Status() : systemError("cannot write", file, errno);
}

}  // namespace

Error systemError(std::string_view what, const fs::path& path, int code) {
  return {code == ENOENT ? errc::kNotFound : errc::kUnavailable,
          fmt::format("{} {}: {}", what, path.string(), std::generic_category().message(code))};
}

Error stopped() {
  return {errc::kUnavailable, "the server is shutting down; try again when it runs"};
}

Status makePrivateDirectory(const fs::path& directory) {
  std::error_code failure;
  fs::create_directories(directory, failure);
  if (!failure) {
    fs::permissions(directory, fs::perms::owner_all, failure);
  }
  return failure ? Status(systemError("cannot create", directory, failure.value())) : Status();
}

Result<fs::path> createFresh(const fs::path& file) {
  constexpr int kTries = 100;
  auto path = file;
  for (int number = 2; number <= kTries; ++number) {
    const Descriptor out(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                                S_IRUSR | S_IWUSR));
    if (out.valid()) {
      return path;
    }
    if (errno != EEXIST) {
      break;
    }
    path = fmt::format("{}-{}", file.string(), number);
  }
  return systemError("cannot write", path, errno);
}

Status writeFile(const fs::path& file, std::string_view text) {
  auto temporary = file;
  temporary += ".tmp";
  {
    const Descriptor out(createPrivate(temporary));
    if (!out.valid()) {
      return systemError("cannot write", temporary, errno);
    }
    if (auto status = writeAll(out.get(), temporary, text); !status) {
      return status;
    }
    if (auto status = sync(out.get(), temporary); !status) {
      return status;
    }
  }
  return renamePath(temporary, file);
}

Result<std::string> readFile(const fs::path& file) {
  std::string text;
  auto status = readPieces(file, [&](std::string_view piece) {
    text += piece;
    return Status();
  });
  if (!status) {
    return std::move(status).error();
  }
  return text;
}

Status copyFile(const fs::path& from, const fs::path& to, const std::stop_token& stop) {
  const Descriptor out(createPrivate(to));
  if (!out.valid()) {
    return systemError("cannot write", to, errno);
  }
  if (auto status = readPieces(from,
                               [&](std::string_view piece) {
                                 return stop.stop_requested() ? Status(stopped())
                                                              : writeAll(out.get(), to, piece);
                               });
      !status) {
    return status;
  }
  return sync(out.get(), to);
}

Status copyDirectory(const fs::path& from, const fs::path& to, const std::stop_token& stop) {
  if (auto status = makePrivateDirectory(to); !status) {
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
  return syncDirectory(to);
}

Status syncFile(const fs::path& file) {
  const Descriptor open(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!open.valid()) {
    return systemError("cannot open", file, errno);
  }
  return sync(open.get(), file);
}

Status syncDirectory(const fs::path& directory) {
  const Descriptor open(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!open.valid()) {
    return systemError("cannot open", directory, errno);
  }
  return sync(open.get(), directory);
}

Status renamePath(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) {
    return systemError(fmt::format("cannot rename {} to", from.string()), to, errno);
  }
  return syncDirectory(to.parent_path());
}

Status removeTree(const fs::path& path) {
  std::error_code failure;
  fs::remove_all(path, failure);
  return failure ? Status(systemError("cannot remove", path, failure.value())) : Status();
}

}  // namespace svc::updates
