#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fmt/format.h>

#include "svc/base/fd.h"
#include "svc/base/system_error.h"
#include "svc/common/codes.h"

#include "changes.h"

namespace svc::worktrees {
namespace {

/// As many bytes as git looks at.
constexpr std::size_t kBinaryProbe = 8000;
constexpr std::size_t kLinkText = 4096;

Error cannotRead(std::string_view path, int code) {
  const auto message = fmt::format("{} cannot be read: {}", path, base::systemText(code));
  return {code == ENOENT || code == ENOTDIR || code == ELOOP ? errc::kNotFound : errc::kForbidden,
          message};
}

}  // namespace

bool isBinary(std::string_view bytes) {
  return bytes.substr(0, kBinaryProbe).find('\0') != std::string_view::npos;
}

Status checkRelative(std::string_view path) {
  const auto refuse = [path] {
    return Error{errc::kInvalidInput,
                 fmt::format("\"{}\" is no path of the folder: expected a relative one without "
                             "\".\" and \"..\"",
                             path)};
  };
  if (path.empty() || path.find('\0') != std::string_view::npos) {
    return refuse();
  }
  for (std::size_t at = 0; at <= path.size();) {
    const auto end = std::min(path.find('/', at), path.size());
    const auto name = path.substr(at, end - at);
    if (name.empty() || name == "." || name == "..") {
      return refuse();
    }
    at = end + 1;
  }
  return {};
}

Result<FileContent> readInFolder(const std::filesystem::path& folder, std::string_view path,
                                 std::size_t limit) {
  if (auto checked = checkRelative(path); !checked) {
    return std::move(checked).error();
  }
  base::Fd at(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  std::size_t begin = 0;
  for (auto slash = path.find('/'); at && slash != std::string_view::npos;
       slash = path.find('/', begin)) {
    const std::string name(path.substr(begin, slash - begin));
    at = base::Fd(::openat(at.get(), name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    begin = slash + 1;
  }
  if (!at) {
    return cannotRead(path, errno);
  }
  const std::string name(path.substr(begin));
  const base::Fd held(::openat(at.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  if (!held || ::fstat(held.get(), &status) != 0) {
    return cannotRead(path, errno);
  }
  FileContent out;
  if (S_ISLNK(status.st_mode)) {
    out.is_link = true;
    out.bytes.resize(kLinkText);
    const auto size = ::readlinkat(held.get(), "", out.bytes.data(), out.bytes.size());
    out.bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    return out;
  }
  if (!S_ISREG(status.st_mode)) {
    return Error{errc::kInvalidInput, fmt::format("{} is not a file", path)};
  }
  if (static_cast<std::size_t>(status.st_size) > limit) {
    return Error{errc::kTooLarge,
                 fmt::format("{} has {} bytes, {} are shown", path, status.st_size, limit)};
  }
  const base::Fd file(
      ::open(fmt::format("/proc/self/fd/{}", held.get()).c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) {
    return cannotRead(path, errno);
  }
  auto bytes = base::readAll(file.get(), limit);
  if (!bytes) {
    return std::move(bytes).error();
  }
  out.bytes = std::move(bytes).value();
  out.executable = (status.st_mode & S_IXUSR) != 0;
  return out;
}

}  // namespace svc::worktrees
