#include "svc/base/random.h"

#include <sys/random.h>

#include <cerrno>
#include <string_view>

#include "svc/base/assert.h"

namespace svc::base {

void fillRandom(void* bytes, std::size_t count) {
  auto* at = static_cast<char*>(bytes);
  while (count > 0) {
    const auto got = ::getrandom(at, count, 0);
    SVC_ASSERT(got > 0 || errno == EINTR);
    if (got > 0) {
      at += got;
      count -= static_cast<std::size_t>(got);
    }
  }
}

std::uint64_t randomNumber() {
  std::uint64_t number = 0;
  fillRandom(&number, sizeof number);
  return number;
}

std::string randomHex(std::size_t bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr unsigned kHalf = 4;
  std::string text(2 * bytes, '\0');
  // The upper half of the text is the bytes until they are written out, from the front.
  fillRandom(text.data() + bytes, bytes);
  for (std::size_t at = 0; at < bytes; ++at) {
    const auto byte = static_cast<unsigned char>(text[bytes + at]);
    text[2 * at] = kDigits[byte >> kHalf];
    text[2 * at + 1] = kDigits[byte & 0x0FU];
  }
  return text;
}

double randomShare() {
  // As many bits as a double has.
  constexpr unsigned kDropped = 11;
  constexpr double kAll = 9007199254740992.0;
  return static_cast<double>(randomNumber() >> kDropped) / kAll;
}

}  // namespace svc::base
