#pragma once

#include <algorithm>
#include <string_view>

namespace svc::http {

inline bool isAlphaNumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// Whether a text is a token of HTTP: the name of a header or a method, a word that needs no quotes.
inline bool isToken(std::string_view text) {
  constexpr std::string_view kSymbols = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return isAlphaNumeric(c) || kSymbols.find(c) != std::string_view::npos;
  });
}

}  // namespace svc::http
