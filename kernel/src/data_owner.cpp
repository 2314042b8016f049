#include "data_owner.h"

#include <pwd.h>
#include <sys/stat.h>

#include <array>

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

}  // namespace

Status checkOwner(const std::filesystem::path& data, const std::string& program, uid_t self) {
  struct stat entry {};
  if (self != 0 || ::stat(data.c_str(), &entry) != 0 || entry.st_uid == 0) {
    return {};
  }
  const auto owner = nameOf(entry.st_uid);
  return Error{
      errc::kInvalidArgument,
      fmt::format("{} belongs to the user {}, and {} runs as root: what root creates in it, "
                  "that user cannot open any more. Run it as that user (sudo -u {} {}), "
                  "choose another directory with --data-dir, or make this one root's for "
                  "good (chown -R root {})",
                  data.string(), owner, program, owner, program, data.string())};
}

}  // namespace svc::kernel
