#include "svc/common/semver.h"

#include <algorithm>
#include <charconv>

#include "semver_scan.h"

namespace svc::common::semver {

std::strong_ordering operator<=>(const Identifier& left, const Identifier& right) {
  if (left.numeric != right.numeric) {
    return left.numeric ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  if (left.numeric) {
    return left.number <=> right.number;
  }
  return left.word.compare(right.word) <=> 0;
}

std::strong_ordering operator<=>(const Version& left, const Version& right) {
  if (const auto order = left.major <=> right.major; std::is_neq(order)) {
    return order;
  }
  if (const auto order = left.minor <=> right.minor; std::is_neq(order)) {
    return order;
  }
  if (const auto order = left.patch <=> right.patch; std::is_neq(order)) {
    return order;
  }
  if (left.prerelease.empty() != right.prerelease.empty()) {
    return left.prerelease.empty() ? std::strong_ordering::greater : std::strong_ordering::less;
  }
  return std::lexicographical_compare_three_way(left.prerelease.begin(), left.prerelease.end(),
                                                right.prerelease.begin(), right.prerelease.end());
}

std::optional<Version> Version::parse(std::string_view text) {
  constexpr std::size_t kMaxLength = 256;
  Scanner scan(text);
  scan.skipBlanks();
  if (text.size() > kMaxLength) {
    return std::nullopt;
  }
  scan.accept('v');
  const auto partial = scan.partial();
  scan.skipBlanks();
  if (!partial || !scan.atEnd() || partial->parts != 3) {
    return std::nullopt;
  }
  return partial->version;
}

std::string Version::text() const {
  std::string out =
      std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
  char separator = '-';
  for (const auto& part : prerelease) {
    out += separator;
    out += part.numeric ? std::to_string(part.number) : part.word;
    separator = '.';
  }
  return out;
}

bool Version::sameTuple(const Version& other) const {
  return major == other.major && minor == other.minor && patch == other.patch;
}

bool Comparator::matches(const Version& candidate) const {
  const auto order = candidate <=> version;
  switch (op) {
    case Operator::kLess:
      return std::is_lt(order);
    case Operator::kLessEqual:
      return std::is_lteq(order);
    case Operator::kEqual:
      return std::is_eq(order);
    case Operator::kGreaterEqual:
      return std::is_gteq(order);
    case Operator::kGreater:
      return std::is_gt(order);
  }
  return false;
}

}  // namespace svc::common::semver
