#include "svc/base/user_name.h"

#include <pwd.h>

#include <array>

#include <fmt/format.h>

namespace svc::base {

std::string userName(uid_t user) {
  constexpr std::size_t kTexts = 16UL * 1024;
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, kTexts> texts{};
  ::getpwuid_r(user, &entry, texts.data(), texts.size(), &found);
  return found == nullptr ? fmt::format("'#{}'", user) : found->pw_name;
}

}  // namespace svc::base
