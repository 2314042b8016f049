#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "svc/http/http.h"

namespace svc::http {

enum class Framing : std::uint8_t { kLength, kChunked, kUntilClose };

/// What surrounds a handler's response on the wire.
struct ResponseFacts {
  std::string_view request_id{};
  std::string_view date{};
  /// Origin that may read the answer; empty for none.
  std::string_view cors_origin{};
  /// Pages of other origins may not embed the answer, unless the handler says otherwise.
  bool own_pages_only = false;
  unsigned version = 11;
  bool keep_alive = true;
  /// The answer to HEAD: headers of the body, but no body.
  bool head_only = false;
};

/// Appends the status line and headers, ending with the empty line. Headers that frame the message, and headers that
/// are not valid, are left out.
void appendHead(std::string& out, const Response& response, const ResponseFacts& facts,
                Framing framing);
/// True when this status has no body (204, 304).
[[nodiscard]] bool isBodyless(unsigned status);
/// One piece of a chunked body; nothing for an empty piece, which would end the body.
void appendChunk(std::string& out, std::string_view piece);
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

[[nodiscard]] std::string_view reasonPhrase(unsigned status);

}  // namespace svc::http
