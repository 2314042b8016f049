#include "svc/base/user_name.h"

#include <pwd.h>

#include <optional>

#include <fmt/format.h>

namespace svc::base {
namespace {

std::optional<std::string> knownName(uid_t uid) {
  constexpr std::size_t kEntry = 16UL * 1024;
  std::string buffer(kEntry, '\0');
  passwd entry{};
  passwd* found = nullptr;
  return ::getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr
             ? std::optional<std::string>(found->pw_name)
             : std::nullopt;
}

}  // namespace

std::string userName(uid_t uid) {
  const auto name = knownName(uid);
  return name ? *name : fmt::format("'#{}'", uid);
}

std::string shownUser(uid_t uid) {
  const auto name = knownName(uid);
  return name ? fmt::format("{} ({})", *name, uid) : fmt::format("uid {}", uid);
}

}  // namespace svc::base
