#include "secret_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits.h"

#include "plugin_files.h"

namespace svc::plugins {
namespace {

namespace fs = std::filesystem;

class File {
 public:
  File(const fs::path& path, int flags, mode_t mode = 0)
      : descriptor_(::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, mode)) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor_ >= 0) {
      ::close(descriptor_);
    }
  }
  [[nodiscard]] int get() const { return descriptor_; }
  [[nodiscard]] bool isOpen() const { return descriptor_ >= 0; }

 private:
  int descriptor_;
};

Error failure(std::string_view action, const fs::path& path, int code) {
  return {errc::kUnavailable, fmt::format("cannot {} {}: {}", action, path.string(),
                                          std::generic_category().message(code))};
}

constexpr std::string_view kNew = ".new-";

fs::path temporary(const fs::path& directory, const std::string& key) {
  return directory / (std::string(kNew) + key);
}

Status writeAll(int file, std::string_view bytes, const fs::path& path) {
  while (!bytes.empty()) {
    const auto written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) {
      return failure("write", path, errno);
    }
    bytes.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
  }
  return {};
}

Status writeNew(const fs::path& path, const std::string& value) {
  constexpr mode_t kOwnerOnly = 0600;
  const File file(path, O_WRONLY | O_CREAT | O_TRUNC, kOwnerOnly);
  if (!file.isOpen()) {
    return failure("create", path, errno);
  }
  // A file that a crash has left behind keeps its old mode.
  if (::fchmod(file.get(), kOwnerOnly) != 0) {
    return failure("protect", path, errno);
  }
  if (auto status = writeAll(file.get(), value, path); !status) {
    return status;
  }
  return ::fsync(file.get()) == 0 ? Status() : Status(failure("write", path, errno));
}

Result<std::string> readFile(const fs::path& path) {
  const File file(path, O_RDONLY);
  if (!file.isOpen()) {
    return failure("read", path, errno);
  }
  std::string out;
  std::string piece(64UL * 1024, '\0');
  for (;;) {
    const auto got = ::read(file.get(), piece.data(), piece.size());
    if (got == 0) {
      return out;
    }
    if (got < 0 && errno != EINTR) {
      return failure("read", path, errno);
    }
    out.append(piece, 0, got > 0 ? static_cast<std::size_t>(got) : 0);
    if (out.size() > limits::kSettingValue) {
      return Error{errc::kTooLarge, fmt::format("{} has more bytes than the limit settingValue, {}",
                                                path.string(), limits::kSettingValue)};
    }
  }
}

}  // namespace

Result<std::map<std::string, std::string>> SecretFiles::read() const {
  std::map<std::string, std::string> out;
  std::error_code error;
  for (fs::directory_iterator it(directory_, error), end; !error && it != end;
       it.increment(error)) {
    const auto name = it->path().filename().string();
    if (name.starts_with('.') || !it->is_regular_file(error)) {
      continue;
    }
    auto value = readFile(it->path());
    if (!value) {
      return std::move(value).error();
    }
    out.emplace(name, std::move(value).value());
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    return failure("read", directory_, error.value());
  }
  return out;
}

void SecretFiles::removeLeftovers() const {
  std::error_code ignored;
  std::vector<fs::path> leftovers;
  for (const auto& entry : fs::directory_iterator(directory_, ignored)) {
    if (entry.path().filename().string().starts_with(kNew)) {
      leftovers.push_back(entry.path());
    }
  }
  for (const auto& path : leftovers) {
    ::unlink(path.c_str());
  }
}

Result<SecretFiles::Staged> SecretFiles::stage(std::vector<SecretChange> changes) const {
  Staged staged(directory_, std::move(changes));
  if (!staged.changes_.empty()) {
    if (auto status = makePrivateDirectory(directory_); !status) {
      return std::move(status).error();
    }
  }
  for (const auto& [key, value] : staged.changes_) {
    if (!value) {
      continue;
    }
    if (auto status = writeNew(temporary(directory_, key), *value); !status) {
      return std::move(status).error();
    }
  }
  return staged;
}

SecretFiles::Staged::~Staged() {
  for (const auto& change : changes_) {
    if (change.value) {
      ::unlink(temporary(directory_, change.key).c_str());
    }
  }
}

Status SecretFiles::Staged::commit() {
  for (const auto& [key, value] : changes_) {
    const auto path = directory_ / key;
    if (value && ::rename(temporary(directory_, key).c_str(), path.c_str()) != 0) {
      return failure("write", path, errno);
    }
    if (!value && ::unlink(path.c_str()) != 0 && errno != ENOENT) {
      return failure("delete", path, errno);
    }
    ++taken_;
  }
  changes_.clear();
  const File directory(directory_, O_RDONLY | O_DIRECTORY);
  if (directory.isOpen() && ::fsync(directory.get()) != 0) {
    return failure("write", directory_, errno);
  }
  return {};
}

}  // namespace svc::plugins
