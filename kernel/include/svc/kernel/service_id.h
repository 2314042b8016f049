#pragma once

#include <cstdint>
#include <string_view>

namespace svc {

/// Names one interface and its major version. An interface declares `static constexpr ServiceId kId`.
struct ServiceId {
  std::string_view name;
  std::uint32_t major = 0;

  friend constexpr bool operator==(const ServiceId&, const ServiceId&) = default;
};

}  // namespace svc
