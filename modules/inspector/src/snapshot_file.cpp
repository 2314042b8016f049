#include "snapshot_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace svc::inspector {
namespace {

constexpr int kOwnerOnly = 0600;

Error failed(const std::string& doing) {
  return {errc::kUnavailable,
          doing + " the heap snapshot: " + std::generic_category().message(errno)};
}

}  // namespace

Result<SnapshotFile> SnapshotFile::create(const std::filesystem::path& directory) {
  int fd = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, kOwnerOnly);
  if (fd < 0) {
    // Not every file system has files without a name.
    auto pattern = (directory / ".snapshot-XXXXXX").string();
    fd = ::mkostemp(pattern.data(), O_CLOEXEC);
    if (fd < 0) {
      return failed("cannot store");
    }
    ::unlink(pattern.c_str());
  }
  return SnapshotFile(fd);
}

SnapshotFile::SnapshotFile(SnapshotFile&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

SnapshotFile::~SnapshotFile() {
  if (fd_ >= 0) {
    ::close(fd_);
  }
}

Status SnapshotFile::append(std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(fd_, text.data(), text.size());
    if (written < 0 && errno != EINTR) {
      return failed("cannot store");
    }
    text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
  }
  return {};
}

Result<std::string> SnapshotFile::read(std::uint64_t offset, std::size_t most) const {
  std::string text(most, '\0');
  for (;;) {
    const auto size = ::pread(fd_, text.data(), text.size(), static_cast<off_t>(offset));
    if (size >= 0) {
      text.resize(static_cast<std::size_t>(size));
      return text;
    }
    if (errno != EINTR) {
      return failed("cannot read");
    }
  }
}

}  // namespace svc::inspector
