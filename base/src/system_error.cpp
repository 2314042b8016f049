#include "svc/base/system_error.h"

#include <system_error>

#include <fmt/format.h>

namespace svc::base {

std::string systemText(int code) { return std::generic_category().message(code); }

Error systemError(std::string_view what, int code) {
  return {errc::kUnavailable, fmt::format("{}: {}", what, systemText(code))};
}

}  // namespace svc::base
