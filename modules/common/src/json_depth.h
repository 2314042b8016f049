#pragma once

#include <cstddef>

namespace svc::common {

/// Values that cross have 128 levels at most, and a message puts them two levels down.
inline constexpr std::size_t kMaxSliceDepth = 132;

}  // namespace svc::common
