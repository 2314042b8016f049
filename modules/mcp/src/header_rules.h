#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "svc/http/http.h"

#include "envelope.h"
#include "message.h"

namespace svc::mcp {

/// A header's value, `=?base64?…?=` unwrapped; nullopt when the wrapped text is not Base64.
[[nodiscard]] std::optional<std::string> headerValue(std::string_view value);

/// What the headers of a request of revision 2026-07-28 must say about its body; nullopt when they do. The refusal has no id yet.
[[nodiscard]] std::optional<Refusal> headerMismatch(const http::Request& request,
                                                    const Message& message, const Meta& meta);

/// An argument of a tool that a header repeats, because its schema has `x-mcp-header`.
struct ParamHeader {
  std::string name;               ///< "Mcp-Param-Region"
  std::vector<std::string> path;  ///< of members in the arguments
};
using ParamHeaders = std::vector<ParamHeader>;

/// Those of a tool, from what clients get of it (`inputSchema`); null when it has none.
[[nodiscard]] std::shared_ptr<const ParamHeaders> paramHeadersOf(const common::RawJson& tool);

/// Whether each of them says what its argument says, and is there only with it; `params` are those of tools/call. The data of the refusal
/// has all that are expected, `{"headers":{name: value}}`, for clients that do not know the schema.
[[nodiscard]] std::optional<Refusal> paramMismatch(const http::Request& request,
                                                   const ParamHeaders& headers,
                                                   std::string_view params);

}  // namespace svc::mcp
