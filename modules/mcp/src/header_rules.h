#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "svc/http/http.h"

#include "envelope.h"
#include "message.h"

namespace svc::mcp {

/// A header's value, `=?base64?…?=` unwrapped; nullopt when the wrapped text is not Base64.
[[nodiscard]] std::optional<std::string> headerValue(std::string_view value);

/// What the headers of a request of revision 2026-07-28 must say about its body; nullopt when they do. The refusal has no id yet.
[[nodiscard]] std::optional<Refusal> headerMismatch(const http::Request& request,
                                                    const Message& message, const Meta& meta);

}  // namespace svc::mcp
