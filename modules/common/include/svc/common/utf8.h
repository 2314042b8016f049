#pragma once

#include <string>
#include <string_view>

namespace svc::common {

/// The text with U+FFFD for every byte that is not part of well-formed UTF-8.
[[nodiscard]] std::string replaceInvalidUtf8(std::string_view text);

}  // namespace svc::common
