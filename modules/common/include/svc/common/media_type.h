#pragma once

#include <string_view>

namespace svc::common {

/// By the end of a file's name; empty when nothing is known.
[[nodiscard]] std::string_view mediaTypeOf(std::string_view name);

}  // namespace svc::common
