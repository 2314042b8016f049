#pragma once

#include <string_view>

namespace svc::common {

/// Whether two JSON texts, both as JSON.stringify() writes them, are the same value: members of objects have no order. Quick where the
/// texts are equal, or of different lengths.
[[nodiscard]] bool isSameJson(std::string_view left, std::string_view right);

}  // namespace svc::common
