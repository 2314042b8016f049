#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/beast/core/detail/base64.hpp>

namespace svc::hostprotocol {

// Contents of files and output of terminals on their way through JSON.

[[nodiscard]] inline std::string encodeBase64(std::string_view bytes) {
  namespace base64 = boost::beast::detail::base64;
  std::string text(base64::encoded_size(bytes.size()), '\0');
  text.resize(base64::encode(text.data(), bytes.data(), bytes.size()));
  return text;
}

/// Nothing when it is not Base64 with its padding, from the first character to the last.
[[nodiscard]] inline std::optional<std::string> decodeBase64(std::string_view text) {
  namespace base64 = boost::beast::detail::base64;
  constexpr std::size_t kGroup = 4;
  if (text.size() % kGroup != 0) {
    return std::nullopt;
  }
  const auto padding = text.ends_with("==") ? 2U : text.ends_with('=') ? 1U : 0U;
  std::string bytes(base64::decoded_size(text.size()), '\0');
  const auto [written, read] = base64::decode(bytes.data(), text.data(), text.size());
  if (written != text.size() / kGroup * 3 - padding || read < text.size() - padding) {
    return std::nullopt;
  }
  bytes.resize(written);
  return bytes;
}

}  // namespace svc::hostprotocol
