#include "svc/kernel/config_rules.h"

#include <algorithm>

#include <fmt/format.h>

namespace svc::config_rules {

Status integerWithin(std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value >= least && value <= most) {
    return {};
  }
  return Error{errc::kInvalidArgument,
               most == std::numeric_limits<std::int64_t>::max()
                   ? fmt::format("expected a number of at least {}, got {}", least, value)
                   : fmt::format("expected a number from {} to {}, got {}", least, most, value)};
}

Status oneOf(std::string_view value, std::initializer_list<std::string_view> choices) {
  if (std::find(choices.begin(), choices.end(), value) != choices.end()) {
    return {};
  }
  return Error{errc::kInvalidArgument,
               fmt::format("expected one of {}, got \"{}\"", fmt::join(choices, ", "), value)};
}

}  // namespace svc::config_rules
