#include "places.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "svc/base/path_bounds.h"
#include "svc/base/system_error.h"
#include "svc/common/codes.h"
#include "svc/common/json.h"

namespace svc::hostfiles {
namespace {

namespace fs = std::filesystem;

std::string handlePath(const base::Fd& handle) {
  return fmt::format("/proc/self/fd/{}", handle.get());
}

/// Where what is held is by now; nothing when it has no name any more.
std::optional<fs::path> pathOf(const base::Fd& handle) {
  struct stat status {};
  std::array<char, PATH_MAX> text{};
  const auto size = ::readlink(handlePath(handle).c_str(), text.data(), text.size());
  if (size <= 0 || ::fstat(handle.get(), &status) != 0 || status.st_nlink == 0) {
    return std::nullopt;
  }
  return fs::path(std::string(text.data(), static_cast<std::size_t>(size)));
}

Error outside(const fs::path& path) {
  return Error{errc::kForbidden,
               fmt::format("{} is outside of what may be reached", path.string())};
}

/// An errno when it cannot be opened.
std::variant<fs::path, int> realRoot(const std::string& root) {
  const base::Fd handle(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!handle) {
    return errno;
  }
  if (auto real = pathOf(handle)) {
    return *std::move(real);
  }
  return ENOENT;
}

/// As shells do it, for this user only.
std::string withHome(const std::string& path, const std::string& home) {
  return path == "~" || path.starts_with("~/") ? home + path.substr(1) : path;
}

Status checkText(const std::string& path) {
  if (path.empty() || path.find('\0') != std::string::npos) {
    return Error{errc::kInvalidInput, path.empty() ? "path: a path is not empty"
                                                   : "path: a path has no null characters"};
  }
  return {};
}

}  // namespace

Error pathFailure(std::string_view doing, const std::string& path, int code) {
  switch (code) {
    case ENOENT:
      return {errc::kNotFound, fmt::format("{} does not exist", path)};
    case ENOTDIR:
      return {errc::kInvalidInput, fmt::format("{}: a part of it is not a directory", path)};
    case EISDIR:
      return {errc::kInvalidInput, fmt::format("{} is a directory", path)};
    case ELOOP:
      return {errc::kInvalidInput, fmt::format("{}: too many links", path)};
    case ENAMETOOLONG:
      return {errc::kInvalidInput, "path: the name is too long for this machine"};
    case EINVAL:
    case EXDEV:
      return {errc::kInvalidInput,
              code == EXDEV ? fmt::format("cannot {} {} to another file system", doing, path)
                            : fmt::format("cannot {} {} there", doing, path)};
    case EEXIST:
      return {errc::kConflict, fmt::format("{} exists already", path)};
    case ENOTEMPTY:
      return {errc::kConflict, fmt::format("{} is not empty", path)};
    case EACCES:
    case EPERM:
    case EROFS:
      return {errc::kForbidden, fmt::format("no permission to {} {}", doing, path)};
    case ENOSPC:
    case EDQUOT:
      return {errc::kUnavailable, fmt::format("cannot {} {}: the disk is full ({})", doing, path,
                                              base::systemText(code))};
    default:
      return base::systemError(fmt::format("cannot {} {}", doing, path), code);
  }
}

fs::path Place::anchored() const { return fs::path(handlePath(directory)) / name; }

Result<Reach> Reach::of(const Bounds& bounds, const std::optional<std::string>& root) {
  Reach reach;
  reach.home_ = bounds.home;
  for (const auto& each : bounds.roots) {
    auto real = realRoot(withHome(each, bounds.home));
    auto* const path = std::get_if<fs::path>(&real);
    // One that is not there leaves the others as they are.
    reach.roots_.push_back(path != nullptr ? std::move(*path) : fs::path(each) / "..gone");
  }
  if (!root) {
    return reach;
  }
  if (auto checked = checkText(*root); !checked) {
    return std::move(checked).error();
  }
  const auto text = withHome(*root, bounds.home);
  if (!text.starts_with('/')) {
    return Error{errc::kInvalidInput, fmt::format("rootPath: \"{}\" is not absolute", *root)};
  }
  auto real = realRoot(text);
  if (const int* const code = std::get_if<int>(&real)) {
    return reach.failure(text, *root, *code);
  }
  auto& path = std::get<fs::path>(real);
  if (!reach.allows(path)) {
    return outside(text);
  }
  reach.root_ = text;
  reach.real_root_ = std::move(path);
  return reach;
}

/// Of what cannot be opened: by where links on the way lead, and by the deepest directory above it that is there.
bool Reach::wouldBeOutside(fs::path path) const {
  for (int steps = 0; steps < PATH_MAX && path.has_relative_path(); ++steps) {
    std::error_code is_no_link;
    const auto target = fs::read_symlink(path, is_no_link);
    path = is_no_link ? path.parent_path() : path.parent_path() / target;
    const base::Fd handle(::open(path.c_str(), O_PATH | O_CLOEXEC));
    if (const auto real = handle ? pathOf(handle) : std::nullopt) {
      return !allows(*real);
    }
  }
  return true;
}

Error Reach::failure(const fs::path& path, const std::string& shown, int code) const {
  const bool is_confined = !roots_.empty() || real_root_;
  return is_confined && wouldBeOutside(path) ? outside(path) : pathFailure("open", shown, code);
}

bool Reach::allows(const fs::path& real) const {
  const auto holds = [&real](const fs::path& root) {
    return base::isWithin(real.native(), root.native());
  };
  return (roots_.empty() || std::any_of(roots_.begin(), roots_.end(), holds)) &&
         (!real_root_ || holds(*real_root_));
}

Result<fs::path> Reach::whole(const std::string& path) const {
  if (auto checked = checkText(path); !checked) {
    return std::move(checked).error();
  }
  const auto text = withHome(path, home_);
  if (text.starts_with('/')) {
    return fs::path(text);
  }
  if (!root_) {
    return Error{errc::kInvalidInput,
                 fmt::format("path: \"{}\" is not absolute; begin it with / or ~/", path)};
  }
  return *root_ / text;
}

Result<Object> Reach::held(const fs::path& path, int flags) const {
  Object object{.handle = base::Fd(::open(path.c_str(), O_PATH | O_CLOEXEC | flags)), .path = {}};
  if (!object.handle) {
    return failure(path, path.string(), errno);
  }
  auto real = pathOf(object.handle);
  if (!real) {
    return failure(path, path.string(), ENOENT);
  }
  if (!allows(*real)) {
    return outside(path);
  }
  object.path = *std::move(real);
  return object;
}

Result<Object> Reach::object(const std::string& path) const {
  const auto full = whole(path);
  return full ? held(full.value(), 0) : Result<Object>(full.error());
}

Result<Object> Reach::directory(const fs::path& path) const { return held(path, O_DIRECTORY); }

Result<Object> Reach::madeDirectory(const fs::path& path) const {
  auto there = directory(path);
  if (there || there.error().code != errc::kNotFound || !path.has_relative_path()) {
    return there;
  }
  const auto name = path.filename().string();
  if (name == "." || name == "..") {
    return there;
  }
  // "a/" is a directory without name in "a".
  auto above = madeDirectory(path.parent_path());
  if (!above || name.empty()) {
    return above;
  }
  if (::mkdirat(above.value().handle.get(), name.c_str(), S_IRWXU | S_IRWXG | S_IRWXO) != 0 &&
      errno != EEXIST) {
    return pathFailure("create", path.string(), errno);
  }
  Object made{.handle = base::Fd(::openat(above.value().handle.get(), name.c_str(),
                                          O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)),
              .path = above.value().path / name};
  return made.handle ? Result<Object>(std::move(made))
                     : pathFailure("create", path.string(), errno);
}

namespace {

/// Directory and name; `invalid_input` for what is no name.
Result<std::pair<fs::path, std::string>> split(fs::path path) {
  while (path.has_relative_path() && !path.has_filename()) {
    path = path.parent_path();
  }
  auto name = path.filename().string();
  if (!path.has_relative_path() || name == "." || name == "..") {
    return Error{errc::kInvalidInput, fmt::format("path: {} has no name", path.string())};
  }
  if (!common::isUtf8(name)) {
    return Error{errc::kInvalidInput, "path: a name is UTF-8"};
  }
  return std::pair(path.parent_path(), std::move(name));
}

}  // namespace

Result<Place> Reach::place(const std::string& path) const {
  const auto full = whole(path);
  if (!full) {
    return full.error();
  }
  auto parts = split(full.value());
  if (!parts) {
    return std::move(parts).error();
  }
  auto above = directory(parts.value().first);
  if (!above) {
    return std::move(above).error();
  }
  auto& [handle, real] = above.value();
  return Place{std::move(handle), parts.value().second, real / parts.value().second};
}

Result<Place> Reach::placeWithParents(const std::string& path) const {
  const auto full = whole(path);
  if (!full) {
    return full.error();
  }
  auto parts = split(full.value());
  if (!parts) {
    return std::move(parts).error();
  }
  auto above = madeDirectory(parts.value().first);
  if (!above) {
    return std::move(above).error();
  }
  auto& [handle, real] = above.value();
  return Place{std::move(handle), parts.value().second, real / parts.value().second};
}

Status Reach::makeDirectories(const std::string& path) const {
  const auto full = whole(path);
  if (!full) {
    return full.error();
  }
  auto made = madeDirectory(full.value());
  return made ? Status() : Status(std::move(made).error());
}

}  // namespace svc::hostfiles
