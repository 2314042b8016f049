#include "cut_characters.h"

#include <algorithm>
#include <cstddef>

#include "svc/common/json.h"
#include "svc/common/surrogates.h"
#include "svc/common/utf8.h"

namespace svc::agentd {
namespace {

constexpr std::size_t kEscape = 6;  // \uXXXX
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// How many bytes at the end are the escape of the first half of a surrogate pair.
std::size_t halfOfPair(std::string_view text) {
  if (text.size() < kEscape) {
    return 0;
  }
  const auto at = text.size() - kEscape;
  const auto unit = common::escapedUnit(text, at);
  if (!unit || (*unit & 0xFC00U) != 0xD800U) {
    return 0;
  }
  // A backslash may be the character itself, written as two.
  const auto before = text.substr(0, at).find_last_not_of('\\');
  const auto backslashes = at - (before == std::string_view::npos ? 0 : before + 1);
  return backslashes % 2 == 0 ? kEscape : 0;
}

/// How many bytes at the end are the beginning of a longer sequence of UTF-8.
std::size_t beginOfSequence(std::string_view text) {
  constexpr std::size_t kLongestBegin = 3;
  for (std::size_t bytes = 1; bytes <= std::min(text.size(), kLongestBegin); ++bytes) {
    const auto byte = static_cast<unsigned char>(text[text.size() - bytes]);
    if ((byte & 0xC0U) == 0x80U) {
      continue;
    }
    const std::size_t length = byte < 0xC2U || byte > 0xF4U ? 1
                               : byte >= 0xF0U              ? 4
                               : byte >= 0xE0U              ? 3
                                                            : 2;
    return length > bytes ? bytes : 0;
  }
  return 0;
}

}  // namespace

std::string CutCharacters::add(std::string_view literal) {
  auto text = half_ + std::string(literal.substr(1, literal.size() - 2));
  const auto length = std::max(halfOfPair(text), beginOfSequence(text));
  half_ = text.substr(text.size() - length);
  text.resize(text.size() - length);
  const auto parsed = common::Json::parse(
      common::replaceLoneSurrogates('"' + common::replaceInvalidUtf8(text) + '"'));
  return parsed ? parsed.value().asString() : std::string();
}

std::string CutCharacters::end() {
  const bool waited = waits();
  half_.clear();
  return std::string(waited ? kReplacement : std::string_view());
}

}  // namespace svc::agentd
