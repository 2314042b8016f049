#include "snapshot_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "svc/base/system_error.h"

namespace svc::inspector {
namespace {

constexpr int kOwnerOnly = 0600;

Error failed(const std::string& doing) {
  return base::systemError(doing + " the heap snapshot", errno);
}

}  // namespace

Result<SnapshotFile> SnapshotFile::create(const std::filesystem::path& directory) {
  base::Fd file(::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, kOwnerOnly));
  if (!file) {
    // Not every file system has files without a name.
    auto pattern = (directory / ".snapshot-XXXXXX").string();
    file.reset(::mkostemp(pattern.data(), O_CLOEXEC));
    if (!file) {
      return failed("cannot store");
    }
    ::unlink(pattern.c_str());
  }
  return SnapshotFile(std::move(file));
}

Status SnapshotFile::append(std::string_view text) {
  return base::writeAll(file_.get(), text) ? Status() : failed("cannot store");
}

Result<std::string> SnapshotFile::read(std::uint64_t offset, std::size_t most) const {
  std::string text(most, '\0');
  for (;;) {
    const auto size = ::pread(file_.get(), text.data(), text.size(), static_cast<off_t>(offset));
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
