#include "directory_commands.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/json.h"

namespace svc::serverlink {
namespace {

namespace fs = std::filesystem;
using common::Json;

Error invalid(std::string text) { return Error{errc::kInvalidInput, std::move(text)}; }

/// As shells do it, for this user only.
Result<fs::path> resolved(const std::string& path, const std::string& home) {
  if (path.find('\0') != std::string::npos) {
    return invalid("path: a path has no null characters");
  }
  fs::path whole = path == "~" || path.starts_with("~/") ? home + path.substr(1) : path;
  if (!whole.is_absolute()) {
    return invalid(fmt::format("path: \"{}\" is not absolute; begin it with / or ~/", path));
  }
  whole = whole.lexically_normal();
  return whole.has_filename() ? whole : whole.parent_path();
}

Error describe(const std::error_code& failure, const fs::path& path) {
  if (failure == std::errc::no_such_file_or_directory) {
    return Error{errc::kNotFound, fmt::format("{} does not exist", path.string())};
  }
  if (failure == std::errc::not_a_directory) {
    return invalid(fmt::format("{} is not a directory", path.string()));
  }
  if (failure == std::errc::permission_denied || failure == std::errc::operation_not_permitted) {
    return Error{errc::kForbidden, fmt::format("no permission to read {}", path.string())};
  }
  return Error{errc::kUnavailable,
               fmt::format("cannot read {}: {}", path.string(), failure.message())};
}

struct Entry {
  std::string name;
  bool is_directory = false;
  bool is_symlink = false;
  /// A pipe, socket or device.
  bool is_special = false;
  std::optional<std::int64_t> size{};         ///< bytes, of a file
  std::optional<std::int64_t> modified_at{};  ///< epoch milliseconds
};

/// What is known of a path without asking the machine that a mounted file system is on: one that is away would hold up the whole list.
std::optional<struct statx> factsOf(const fs::path& path, int more_flags) {
  struct statx facts {};
  const int flags = AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT | more_flags;
  const bool known = ::statx(AT_FDCWD, path.c_str(), flags,
                             STATX_TYPE | STATX_MODE | STATX_SIZE | STATX_MTIME, &facts) == 0;
  return known ? std::optional(facts) : std::nullopt;
}

/// A link is what it leads to; one that leads nowhere is a file.
Entry read(const fs::directory_entry& entry) {
  std::error_code unknown;
  Entry out{.name = entry.path().filename().string(),
            .is_directory = entry.is_directory(unknown),
            .is_symlink = entry.is_symlink(unknown)};
  const auto led_to = factsOf(entry.path(), 0);
  const auto facts = led_to ? led_to : factsOf(entry.path(), AT_SYMLINK_NOFOLLOW);
  if (facts) {
    constexpr std::int64_t kMsPerSecond = 1000;
    constexpr std::int64_t kNsPerMs = 1'000'000;
    const auto mode = facts->stx_mode;
    out.is_special = !S_ISREG(mode) && !S_ISDIR(mode) && !S_ISLNK(mode);
    out.modified_at = facts->stx_mtime.tv_sec * kMsPerSecond + facts->stx_mtime.tv_nsec / kNsPerMs;
    if (S_ISREG(mode)) {
      out.size = static_cast<std::int64_t>(facts->stx_size);
    }
  }
  return out;
}

Json entryJson(const Entry& entry, const fs::path& directory) {
  auto json = Json::object()
                  .set("name", entry.name)
                  .set("path", (directory / entry.name).string())
                  .set("kind", entry.is_directory ? "directory" : "file");
  if (entry.is_symlink) {
    json.set("isSymlink", true);
  }
  if (entry.is_special) {
    json.set("isSpecial", true);
  }
  // What JSON shows of it names nothing.
  if (!common::isUtf8(entry.name)) {
    json.set("isNameBroken", true);
  }
  if (entry.size) {
    json.set("sizeBytes", *entry.size);
  }
  if (entry.modified_at) {
    json.set("modifiedAt", *entry.modified_at);
  }
  return json;
}

Result<std::vector<Entry>> entriesOf(const fs::path& directory) {
  std::error_code failure;
  fs::directory_iterator at(directory, failure);
  std::vector<Entry> entries;
  for (; !failure && at != fs::directory_iterator(); at.increment(failure)) {
    entries.push_back(read(*at));
  }
  if (failure) {
    return describe(failure, directory);
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& left, const Entry& right) { return left.name < right.name; });
  return entries;
}

}  // namespace

Result<std::string> listDirectory(const std::string& command, const base::PathBounds& bounds,
                                  std::size_t most) {
  const auto parsed = Json::parse(command);
  const auto* path = parsed ? parsed.value().find("path") : nullptr;
  if (path != nullptr && !path->isString() && !path->isNull()) {
    return invalid("path: expected a string");
  }
  auto directory =
      resolved(path == nullptr || path->asString().empty() ? bounds.start() : path->asString(),
               bounds.home());
  if (!directory) {
    return std::move(directory).error();
  }
  if (!bounds.allows(directory.value())) {
    return Error{errc::kForbidden, fmt::format("{} is outside of what may be reached (files.roots)",
                                               directory.value().string())};
  }
  auto entries = entriesOf(directory.value());
  if (!entries) {
    return std::move(entries).error();
  }
  auto list = Json::array();
  for (const auto& entry : entries.value()) {
    if (list.items().size() == most) {
      break;
    }
    list.push(entryJson(entry, directory.value()));
  }
  const bool is_root = directory.value() == directory.value().root_path() ||
                       !bounds.allows(directory.value().parent_path());
  auto result =
      Json::object()
          .set("directory", directory.value().string())
          .set("parent", is_root ? Json() : Json(directory.value().parent_path().string()))
          .set("entries", std::move(list));
  if (entries.value().size() > most) {
    result.set("truncated", true);
  }
  return result.dump();
}

Result<std::string> pathsExist(const std::string& command, const base::PathBounds& bounds) {
  const auto parsed = Json::parse(command);
  const auto* paths = parsed ? parsed.value().find("paths") : nullptr;
  if (paths == nullptr || !paths->isArray()) {
    return invalid("paths: expected an array of strings");
  }
  if (paths->items().size() > limits::kPathsExist) {
    return invalid(
        fmt::format("paths: at most {}, got {}", limits::kPathsExist, paths->items().size()));
  }
  auto existence = Json::object();
  for (const auto& path : paths->items()) {
    if (!path.isString()) {
      return invalid("paths: expected an array of strings");
    }
    const auto whole = resolved(path.asString(), bounds.home());
    if (!whole) {
      return whole.error();
    }
    std::error_code unreachable;
    existence.set(path.asString(),
                  bounds.allows(whole.value()) && fs::exists(whole.value(), unreachable));
  }
  return Json::object().set("existence", std::move(existence)).dump();
}

}  // namespace svc::serverlink
