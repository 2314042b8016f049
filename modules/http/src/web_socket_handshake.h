#pragma once

#include <string_view>

#include "svc/http/http.h"

namespace svc::http {

/// 16 bytes in base64, as the header has them.
[[nodiscard]] bool isWebSocketKey(std::string_view text);
/// `name; parameter; parameter=value, name`, with at least one name.
[[nodiscard]] bool isExtensionList(std::string_view text);
/// 426 with what the path takes.
[[nodiscard]] Response upgradeRequired(std::string_view why);

}  // namespace svc::http
