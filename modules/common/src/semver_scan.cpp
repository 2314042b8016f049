#include "semver_scan.h"

#include <algorithm>
#include <charconv>

namespace svc::common::semver {
namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool isWordCharacter(char c) {
  return isDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
}

std::optional<std::uint64_t> toNumber(std::string_view digits) {
  std::uint64_t value = 0;
  const auto* end = digits.data() + digits.size();
  const auto [stop, failure] = std::from_chars(digits.data(), end, value);
  const bool leading_zero = digits.size() > 1 && digits.front() == '0';
  if (digits.empty() || failure != std::errc{} || stop != end || leading_zero ||
      value > kMaxNumber) {
    return std::nullopt;
  }
  return value;
}

}  // namespace

bool Scanner::accept(char wanted) {
  if (peek() != wanted || rest_.empty()) {
    return false;
  }
  rest_.remove_prefix(1);
  return true;
}

bool Scanner::accept(std::string_view wanted) {
  if (!rest_.starts_with(wanted)) {
    return false;
  }
  rest_.remove_prefix(wanted.size());
  return true;
}

bool Scanner::skipBlanks() {
  const auto before = rest_.size();
  while (!rest_.empty() && isBlank(rest_.front())) {
    rest_.remove_prefix(1);
  }
  return rest_.size() != before;
}

std::string_view Scanner::word() {
  const auto end = std::find_if_not(rest_.begin(), rest_.end(), isWordCharacter);
  const auto out = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
  rest_.remove_prefix(out.size());
  return out;
}

std::optional<std::uint64_t> Scanner::number() {
  const auto end = std::find_if_not(rest_.begin(), rest_.end(), isDigit);
  const auto digits = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
  rest_.remove_prefix(digits.size());
  return toNumber(digits);
}

bool Scanner::component(int index, Partial& out) {
  if (accept('x') || accept('X') || accept('*')) {
    return true;
  }
  if (out.parts != index) {
    // What follows an open component means nothing, however large it is.
    out.misordered = true;
    const auto digits = rest_.substr(0, rest_.find_first_not_of("0123456789"));
    rest_.remove_prefix(digits.size());
    return !digits.empty() && (digits.size() == 1 || digits.front() != '0');
  }
  const auto value = number();
  if (!value) {
    return false;
  }
  out.parts = index + 1;
  (index == 0 ? out.version.major : index == 1 ? out.version.minor : out.version.patch) = *value;
  return true;
}

bool Scanner::prerelease(Version& out) {
  do {
    const auto text = word();
    if (text.empty()) {
      return false;
    }
    if (!std::all_of(text.begin(), text.end(), isDigit)) {
      out.prerelease.push_back({.numeric = false, .number = 0, .word = std::string(text)});
    } else if (const auto value = toNumber(text)) {
      out.prerelease.push_back({.numeric = true, .number = *value, .word = {}});
    } else {
      return false;
    }
  } while (accept('.'));
  return true;
}

bool Scanner::build() {
  do {
    if (word().empty()) {
      return false;
    }
  } while (accept('.'));
  return true;
}

std::optional<Partial> Scanner::partial() {
  Partial out;
  for (int index = 0; index < 3; ++index) {
    if (index > 0 && !accept('.')) {
      break;
    }
    if (!component(index, out)) {
      return std::nullopt;
    }
    const bool complete = index == 2;
    if (complete && accept('-') && !prerelease(out.version)) {
      return std::nullopt;
    }
  }
  if (accept('+') && !build()) {
    return std::nullopt;
  }
  const bool word_ends = rest_.empty() || isBlank(rest_.front()) || rest_.front() == '|';
  return word_ends ? std::optional(out) : std::nullopt;
}

}  // namespace svc::common::semver
