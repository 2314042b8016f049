#include "svc/common/sort_key.h"

#include "svc/kernel/assert.h"

namespace svc::common {
namespace {

constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuvwxyz";
constexpr std::size_t kBase = kDigits.size();

std::size_t valueOf(std::string_view key, std::size_t at) {
  const auto value = at < key.size() ? kDigits.find(key[at]) : 0;
  return value == std::string_view::npos ? 0 : value;
}

/// Lists grow at their end: the next digit, so that keys stay short.
std::string after(std::string_view below) {
  std::string out;
  for (std::size_t at = 0;; ++at) {
    const auto digit = valueOf(below, at);
    if (digit + 1 < kBase) {
      return out + kDigits[digit + 1];
    }
    out += kDigits[digit];
  }
}

}  // namespace

// A key is a fraction without its "0.": no key ends with 0, so that there is always something before it.
std::string sortKeyBetween(std::string_view below, std::string_view above) {
  if (above.empty()) {
    return after(below);
  }
  SVC_ASSERT(below < above);
  std::string out;
  std::size_t at = 0;
  for (; valueOf(below, at) == valueOf(above, at); ++at) {
    out += kDigits[valueOf(above, at)];
  }
  const auto low = valueOf(below, at);
  const auto high = valueOf(above, at);
  if (high - low > 1) {
    return out + kDigits[(low + high) / 2];
  }
  return out + kDigits[low] + after(below.size() > at + 1 ? below.substr(at + 1) : "");
}

std::vector<std::string> sortKeys(std::size_t count) {
  std::vector<std::string> out;
  out.reserve(count);
  std::string last;
  for (std::size_t made = 0; made < count; ++made) {
    last = sortKeyBetween(last, {});
    out.push_back(last);
  }
  return out;
}

}  // namespace svc::common
