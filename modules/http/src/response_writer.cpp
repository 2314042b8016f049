#include "response_writer.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "header_token.h"

namespace svc::http {
namespace {

void appendNumber(std::string& out, std::uint64_t number, int base = 10) {
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, base).ptr;
  out.append(digits.data(), end);
}

void appendField(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(": ").append(value).append("\r\n");
}

bool isFieldValue(std::string_view value) {
  constexpr std::string_view kForbidden{"\r\n\0", 3};
  return value.find_first_of(kForbidden) == std::string_view::npos;
}

/// Headers that the transport sets itself.
bool isReserved(std::string_view name, const Response& response, const ResponseFacts& facts) {
  return equalsIgnoreCase(name, "content-length") || equalsIgnoreCase(name, "transfer-encoding") ||
         equalsIgnoreCase(name, "connection") || equalsIgnoreCase(name, "x-request-id") ||
         (!response.content_type.empty() && equalsIgnoreCase(name, "content-type")) ||
         (!facts.cors_origin.empty() && equalsIgnoreCase(name, "access-control-allow-origin"));
}

void appendFraming(std::string& out, const Response& response, const ResponseFacts& facts,
                   Framing framing) {
  if (framing == Framing::kLength && !isBodyless(response.status)) {
    out.append("content-length: ");
    appendNumber(out, response.body.size());
    out.append("\r\n");
  } else if (framing == Framing::kChunked) {
    out.append("transfer-encoding: chunked\r\n");
  }
  if (!facts.keep_alive) {
    out.append("connection: close\r\n");
  } else if (facts.version < 11) {
    out.append("connection: keep-alive\r\n");
  }
}

constexpr std::string_view kResourcePolicy = "cross-origin-resource-policy";

bool has(const Response& response, std::string_view name) {
  return std::any_of(response.headers.begin(), response.headers.end(),
                     [name](const Header& header) { return equalsIgnoreCase(header.name, name); });
}

void appendCors(std::string& out, std::string_view origin) {
  appendField(out, "access-control-allow-origin", origin);
  out.append("access-control-expose-headers: x-request-id\r\nvary: origin\r\n");
}

}  // namespace

bool isBodyless(unsigned status) { return status == 204 || status == 304; }

void appendHead(std::string& out, const Response& response, const ResponseFacts& facts,
                Framing framing) {
  if (response.status == 200) {
    out.append("HTTP/1.1 200 OK\r\n");
  } else {
    out.append("HTTP/1.1 ");
    appendNumber(out, response.status);
    out.append(" ").append(reasonPhrase(response.status)).append("\r\n");
  }
  if (!response.content_type.empty() && !isBodyless(response.status) &&
      isFieldValue(response.content_type)) {
    appendField(out, "content-type", response.content_type);
  }
  appendFraming(out, response, facts, framing);
  appendField(out, "x-request-id", facts.request_id);
  appendField(out, "date", facts.date);
  if (!facts.cors_origin.empty()) {
    appendCors(out, facts.cors_origin);
  }
  if (facts.own_pages_only && facts.cors_origin.empty() && !has(response, kResourcePolicy)) {
    appendField(out, kResourcePolicy, "same-origin");
  }
  for (const auto& header : response.headers) {
    if (!isReserved(header.name, response, facts) && isToken(header.name) &&
        isFieldValue(header.value)) {
      appendField(out, header.name, header.value);
    }
  }
  out.append("\r\n");
}

void appendChunk(std::string& out, std::string_view piece) {
  if (piece.empty()) {
    return;
  }
  appendNumber(out, piece.size(), 16);
  out.append("\r\n").append(piece).append("\r\n");
}

std::string_view reasonPhrase(unsigned status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 206:
      return "Partial Content";
    case 301:
      return "Moved Permanently";
    case 302:
      return "Found";
    case 303:
      return "See Other";
    case 304:
      return "Not Modified";
    case 307:
      return "Temporary Redirect";
    case 308:
      return "Permanent Redirect";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 409:
      return "Conflict";
    case 413:
      return "Payload Too Large";
    case 415:
      return "Unsupported Media Type";
    case 422:
      return "Unprocessable Entity";
    case 426:
      return "Upgrade Required";
    case 429:
      return "Too Many Requests";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    default:
      return "Status";
  }
}

}  // namespace svc::http
