#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string_view>

#include "svc/kernel/config.h"

/// What several keys ask of their values.
namespace svc::config_rules {

[[nodiscard]] Status integerWithin(std::int64_t value, std::int64_t least, std::int64_t most);
[[nodiscard]] Status oneOf(std::string_view value, std::initializer_list<std::string_view> choices);

/// As a rule: `ConfigKey{"listen.port", …, config_rules::integer<0, 65535>}`.
template <std::int64_t least, std::int64_t most = std::numeric_limits<std::int64_t>::max()>
[[nodiscard]] Status integer(const IConfig& config, std::string_view key) {
  return integerWithin(config.getInteger(key), least, most);
}

}  // namespace svc::config_rules
