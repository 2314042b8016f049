#pragma once

#include <string>
#include <string_view>

namespace svc::common {

/// By the end of a file's name; empty when nothing is known.
[[nodiscard]] std::string_view mediaTypeOf(std::string_view name);

/// The type of an image that agents and windows take, by its first bytes: PNG, JPEG, GIF or WebP. Empty for all else.
[[nodiscard]] std::string_view imageType(std::string_view bytes);

/// The header of an answer for a file of that type, whose text is UTF-8; one for bytes when nothing is known.
[[nodiscard]] std::string contentTypeOf(std::string_view media_type);

}  // namespace svc::common
