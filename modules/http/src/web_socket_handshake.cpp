#include "web_socket_handshake.h"

#include <algorithm>
#include <string>

#include "svc/common/codes.h"

#include "header_token.h"
#include "unknown_route.h"

namespace svc::http {
namespace {

/// A quoted value must be a token as well, so that nothing is lost without the quotes.
std::string_view unquoted(std::string_view value) {
  const bool quoted = value.size() >= 2 && value.front() == '"' && value.back() == '"';
  return quoted ? value.substr(1, value.size() - 2) : value;
}

bool isParameter(std::string_view text) {
  const auto equals = text.find('=');
  return equals == std::string_view::npos ? isToken(text)
                                          : isToken(trimmed(text.substr(0, equals))) &&
                                                isToken(unquoted(trimmed(text.substr(equals + 1))));
}

bool isExtension(std::string_view text) {
  const auto name_end = std::min(text.find(';'), text.size());
  if (!isToken(trimmed(text.substr(0, name_end)))) {
    return false;
  }
  while (text.find(';') != std::string_view::npos) {
    text.remove_prefix(text.find(';') + 1);
    if (!isParameter(trimmed(text.substr(0, text.find(';'))))) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool isWebSocketKey(std::string_view text) {
  // The last of the 22 characters holds two bits.
  return text.size() == 24 && text.ends_with("==") &&
         std::string_view("AQgw").find(text[21]) != std::string_view::npos &&
         std::all_of(text.begin(), text.begin() + 22,
                     [](char c) { return isAlphaNumeric(c) || c == '+' || c == '/'; });
}

bool isExtensionList(std::string_view text) {
  bool any = false;
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    const auto item = trimmed(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
    if (item.empty()) {
      continue;  // lists may have empty elements
    }
    if (!isExtension(item)) {
      return false;
    }
    any = true;
  }
  return any;
}

Response upgradeRequired(std::string_view why) {
  auto response = errorResponse(Error{errc::kInvalidInput, std::string(why)},
                                {{"upgrade", "websocket"}, {"sec-websocket-version", "13"}});
  response.status = 426;
  return response;
}

}  // namespace svc::http
