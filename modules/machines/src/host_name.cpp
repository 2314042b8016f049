#include "host_name.h"

#include <unistd.h>

#include <array>

#include <fmt/format.h>

#include "svc/base/text.h"
#include "svc/common/codes.h"
#include "svc/common/limits/hosts.h"
#include "svc/common/shown_text.h"

namespace svc::machines {
namespace {

bool startsCharacter(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

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
  const auto name = base::trimmed(text);
  const auto characters = common::countCharacters(name);
  if (characters == 0 || characters > limits::kHostName) {
    return Error{errc::kInvalidInput,
                 fmt::format("a host name has 1 to {} characters, this one {} (limit host-name)",
                             limits::kHostName, characters)};
  }
  if (const auto odd = common::oddCharacterOf(name)) {
    return Error{errc::kInvalidInput, "a host name is text without control characters: " + *odd};
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
