#include "svc/common/platform.h"

#include <sys/utsname.h>

namespace svc::common {

std::string platformName() {
  struct utsname facts {};
  if (::uname(&facts) != 0) {
    return "linux";
  }
  const std::string machine(facts.machine);
  return "linux-" + (machine == "x86_64" ? "x64" : machine == "aarch64" ? "arm64" : machine);
}

}  // namespace svc::common
