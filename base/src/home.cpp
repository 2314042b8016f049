#include "svc/base/home.h"

#include <pwd.h>
#include <unistd.h>

namespace svc::base {

std::string homeDirectory(std::string variable) {
  if (!variable.empty()) {
    return variable;
  }
  constexpr std::size_t kTexts = 16UL * 1024;
  std::string texts(kTexts, '\0');
  passwd entry{};
  passwd* found = nullptr;
  const bool known = ::getpwuid_r(::getuid(), &entry, texts.data(), texts.size(), &found) == 0 &&
                     found != nullptr && found->pw_dir != nullptr && *found->pw_dir != '\0';
  return known ? found->pw_dir : "/";
}

}  // namespace svc::base
