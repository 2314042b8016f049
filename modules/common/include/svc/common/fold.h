#pragma once

#include <string>
#include <string_view>

namespace svc::common {

/// In lower case, of whatever script: "É" → "é". A character whose lower case takes another number of bytes of UTF-8 stays, so that
/// places in a folded text are places in the text.
[[nodiscard]] char32_t foldCase(char32_t character);
/// Bytes that are no characters stay.
[[nodiscard]] std::string foldCase(std::string_view text);

}  // namespace svc::common
