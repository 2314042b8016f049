#include "private_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include <fmt/format.h>

namespace svc::hostlink {
namespace {

Error systemError(std::string_view what, const std::filesystem::path& path) {
  return Error{errc::kUnavailable, fmt::format("cannot {} {}: {}", what, path.string(),
                                               std::generic_category().message(errno))};
}

bool writeAll(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      return false;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

Status writePrivateFile(const std::filesystem::path& path, std::string_view text) {
  const auto staged = path.string() + ".tmp";
  ::unlink(staged.c_str());
  const int descriptor =
      ::open(staged.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (descriptor < 0) {
    return systemError("create", staged);
  }
  const bool written = writeAll(descriptor, text) && ::fsync(descriptor) == 0;
  const auto failure = systemError("write", staged);
  ::close(descriptor);
  if (!written) {
    ::unlink(staged.c_str());
    return failure;
  }
  if (::rename(staged.c_str(), path.c_str()) != 0) {
    const auto renamed = systemError("replace", path);
    ::unlink(staged.c_str());
    return renamed;
  }
  return {};
}

}  // namespace svc::hostlink
