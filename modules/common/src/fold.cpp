#include "svc/common/fold.h"

#include <algorithm>
#include <array>

#include <Poco/UTF8Encoding.h>
#include <Poco/Unicode.h>

#include "svc/base/text.h"

namespace svc::common {
namespace {

constexpr char32_t kAsciiEnd = 0x80;

constexpr std::size_t lengthOf(char32_t character) {
  return character < kAsciiEnd ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
}

constexpr std::size_t lengthFrom(unsigned char lead) {
  return lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
}

}  // namespace

char32_t foldCase(char32_t character) {
  if (character < kAsciiEnd) {
    return static_cast<unsigned char>(base::toLowerAscii(static_cast<char>(character)));
  }
  const auto lower = static_cast<char32_t>(Poco::Unicode::toLower(static_cast<int>(character)));
  return lengthOf(lower) == lengthOf(character) ? lower : character;
}

std::string foldCase(std::string_view text) {
  static const Poco::UTF8Encoding kEncoding;
  std::string out(text);
  for (std::size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at]);
    if (lead < kAsciiEnd) {
      out[at] = base::toLowerAscii(text[at]);
      ++at;
      continue;
    }
    const auto length = lengthFrom(lead);
    std::array<unsigned char, 4> bytes{};
    std::copy_n(text.begin() + static_cast<std::ptrdiff_t>(at), std::min(length, text.size() - at),
                bytes.begin());
    const int character = kEncoding.queryConvert(bytes.data(), static_cast<int>(length));
    if (character < 0 || length > text.size() - at) {
      ++at;
      continue;
    }
    kEncoding.convert(static_cast<int>(foldCase(static_cast<char32_t>(character))), bytes.data(),
                      static_cast<int>(length));
    std::copy_n(bytes.begin(), length, out.begin() + static_cast<std::ptrdiff_t>(at));
    at += length;
  }
  return out;
}

}  // namespace svc::common
