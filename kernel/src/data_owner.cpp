#include "data_owner.h"

#include <sys/stat.h>

#include <cerrno>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "svc/base/system_error.h"
#include "svc/base/user_name.h"

namespace svc::kernel {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kRoot = 0;

/// Of the entry itself, not of what a link leads to.
std::optional<uid_t> ownerOf(const fs::path& entry) {
  struct stat status {};
  return ::lstat(entry.c_str(), &status) == 0 ? std::optional(status.st_uid) : std::nullopt;
}

/// Of what is in it; nothing when all of it is root's, or there is nothing: the mount of a container may itself be anybody's.
std::optional<uid_t> otherOwner(const fs::path& directory) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(directory, ignored)) {
    if (const auto owner = ownerOf(entry.path()); owner && *owner != kRoot) {
      return owner;
    }
  }
  return std::nullopt;
}

Error ofAnother(const std::string& whose, uid_t other, const std::string& program,
                const std::string& instead) {
  const auto owner = base::userName(other);
  return {errc::kInvalidArgument,
          fmt::format("{} belongs to the user {}, and {} runs as root: what root creates in it, "
                      "that user cannot open any more. Run it as that user (sudo -u {} -H {}), {}",
                      whose, owner, program, owner, program, instead)};
}

}  // namespace

Status checkOwner(const fs::path& data, const std::string& program, uid_t self) {
  struct stat entry {};
  if (self != kRoot || ::stat(data.c_str(), &entry) != 0 || entry.st_uid == kRoot) {
    return {};
  }
  const auto other = otherOwner(data);
  return other ? ofAnother(data.string(), *other, program,
                           fmt::format("choose another directory with --data-dir, or make this one "
                                       "root's for good (chown -R root {})",
                                       data.string()))
               : Status();
}

Status checkHome(const fs::path& home, const fs::path& data, const std::string& program,
                 uid_t self) {
  std::error_code ignored;
  if (self != kRoot || home.empty() || fs::exists(data, ignored)) {
    return {};
  }
  struct stat entry {};
  return ::stat(home.c_str(), &entry) == 0 && entry.st_uid != kRoot
             ? ofAnother(fmt::format("the home directory {} (HOME)", home.string()), entry.st_uid,
                         program, "or choose a directory with --data-dir")
             : Status();
}

Status checkContents(const fs::path& data, Depth depth, const std::string& program, uid_t self) {
  if (ownerOf(data) != self) {
    return {};  // on a file system that has one owner for everything, or of a container
  }
  constexpr int kTopDepth = 1;
  std::error_code ignored;
  std::size_t others = 0;
  fs::path first;
  fs::recursive_directory_iterator entry(data, fs::directory_options::skip_permission_denied,
                                         ignored);
  for (; entry != fs::recursive_directory_iterator(); entry.increment(ignored)) {
    const auto owner = ownerOf(entry->path());
    if (owner && *owner != self && *owner != kRoot && others++ == 0) {
      first = entry->path();
    }
    if (depth == Depth::kTop && entry.depth() == kTopDepth) {
      entry.disable_recursion_pending();
    }
  }
  if (others == 0) {
    return {};
  }
  return Error{
      errc::kInvalidArgument,
      fmt::format("{} of what is in {} belongs to other users, {} to {} is one: secrets, logs and "
                  "skills are there, and who could put that there could have put anything. Look at "
                  "it (find {} ! -user {} -ls), remove it or make it yours (chown), then start {} "
                  "again",
                  others, data.string(), first.string(), base::userName(*ownerOf(first)),
                  data.string(), base::userName(self), program)};
}

}  // namespace svc::kernel
