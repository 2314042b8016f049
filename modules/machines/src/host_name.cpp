#include "host_name.h"

#include <unistd.h>

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/json.h"
#include "svc/common/limits.h"

namespace svc::machines {
namespace {

bool startsCharacter(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

std::size_t countCharacters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), startsCharacter));
}

bool hasControl(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    // U+0080 to U+009F are control characters too.
    const bool second =
        byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (byte < 0x20 || byte == 0x7F || second) {
      return true;
    }
  }
  return false;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const auto first = text.find_first_not_of(kSpace);
  return first == std::string_view::npos
             ? std::string_view()
             : text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

/// The first `count` characters.
std::string_view headOf(std::string_view text, std::size_t count) {
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    if (startsCharacter(text[end]) && count-- == 0) {
      break;
    }
  }
  return text.substr(0, end);
}

}  // namespace

Result<std::string> readHostName(std::string_view text) {
  const auto name = trimmed(text);
  const auto characters = countCharacters(name);
  if (characters == 0 || characters > limits::kHostName) {
    return Error{errc::kInvalidInput,
                 fmt::format("a host name has 1 to {} characters, this one {} (limit host-name)",
                             limits::kHostName, characters)};
  }
  if (hasControl(name) || !common::isUtf8(name)) {
    return Error{errc::kInvalidInput, "a host name is text without control characters"};
  }
  return std::string(name);
}

std::string uniqueName(const std::string& wanted,
                       const std::function<bool(const std::string&)>& is_taken) {
  auto name = wanted;
  for (int number = 2; is_taken(name); ++number) {
    const auto suffix = fmt::format("-{}", number);
    name = std::string(headOf(wanted, limits::kHostName - suffix.size())) + suffix;
  }
  return name;
}

std::string nameOfThisMachine() {
  std::array<char, 256> buffer{};
  if (::gethostname(buffer.data(), buffer.size() - 1) != 0) {
    return "server";
  }
  auto name = readHostName(headOf(buffer.data(), limits::kHostName));
  return name ? std::move(name).value() : "server";
}

}  // namespace svc::machines
