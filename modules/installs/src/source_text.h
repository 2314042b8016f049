#pragma once

#include <algorithm>
#include <string_view>

/// Characters of sources.
namespace svc::installs {

inline bool isLower(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
inline bool isUpper(char c) { return c >= 'A' && c <= 'Z'; }
inline bool isNameCharacter(char c) {
  return isLower(c) || isUpper(c) || c == '-' || c == '_' || c == '.' || c == '~';
}
inline bool isControl(char c) { return static_cast<unsigned char>(c) < 0x20U || c == '\x7f'; }

/// "user@host:path" and "host:path", as ssh and git read them; never a drive, a scheme or a path.
inline bool isHostPath(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == text.size()) {
    return false;
  }
  const auto host = text.substr(0, colon);
  return text.substr(colon + 1, 2) != "//" && text[colon + 1] != ':' &&
         std::all_of(host.begin(), host.end(),
                     [](char c) { return isNameCharacter(c) || c == '@'; });
}

}  // namespace svc::installs
