#include "data_owner.h"

#include <pwd.h>
#include <sys/stat.h>

#include <array>
#include <optional>
#include <system_error>

#include <fmt/format.h>

namespace svc::kernel {
namespace {

/// As sudo takes it on a command line: the name, or the number of a user that has none here.
std::string nameOf(uid_t user) {
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 16384> texts{};
  ::getpwuid_r(user, &entry, texts.data(), texts.size(), &found);
  return found == nullptr ? fmt::format("'#{}'", user) : found->pw_name;
}

/// Of what is in it; nothing when all of it is root's, or there is nothing: the mount of a container may itself be anybody's.
std::optional<uid_t> otherOwner(const std::filesystem::path& directory) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(directory, ignored)) {
    struct stat status {};
    if (::lstat(entry.path().c_str(), &status) == 0 && status.st_uid != 0) {
      return status.st_uid;
    }
  }
  return std::nullopt;
}

}  // namespace

Status checkOwner(const std::filesystem::path& data, const std::string& program, uid_t self) {
  struct stat entry {};
  if (self != 0 || ::stat(data.c_str(), &entry) != 0 || entry.st_uid == 0) {
    return {};
  }
  const auto other = otherOwner(data);
  if (!other) {
    return {};
  }
  const auto owner = nameOf(*other);
  return Error{
      errc::kInvalidArgument,
      fmt::format("{} belongs to the user {}, and {} runs as root: what root creates in it, "
                  "that user cannot open any more. Run it as that user (sudo -u {} {}), "
                  "choose another directory with --data-dir, or make this one root's for "
                  "good (chown -R root {})",
                  data.string(), owner, program, owner, program, data.string())};
}

}  // namespace svc::kernel
