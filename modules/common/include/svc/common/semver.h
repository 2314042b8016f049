#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::common::semver {

/// One dot-separated part of a pre-release: a number or a word. Numbers sort before words.
struct Identifier {
  bool numeric = false;
  std::uint64_t number = 0;
  std::string word;

  friend bool operator==(const Identifier&, const Identifier&) = default;
  friend std::strong_ordering operator<=>(const Identifier& left, const Identifier& right);
};

/// A semantic version; build metadata is dropped because it never takes part in a comparison.
struct Version {
  std::uint64_t major = 0;
  std::uint64_t minor = 0;
  std::uint64_t patch = 0;
  std::vector<Identifier> prerelease{};

  /// As npm reads versions: surrounding blanks and a leading "v" are accepted.
  [[nodiscard]] static std::optional<Version> parse(std::string_view text);
  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool sameTuple(const Version& other) const;

  friend bool operator==(const Version&, const Version&) = default;
  friend std::strong_ordering operator<=>(const Version& left, const Version& right);
};

enum class Operator : std::uint8_t { kLess, kLessEqual, kEqual, kGreaterEqual, kGreater };

struct Comparator {
  Operator op = Operator::kEqual;
  Version version;

  [[nodiscard]] bool matches(const Version& candidate) const;
};

/// A range with the semantics of node-semver without options: `^ ~ x-ranges`, hyphens, `||`,
/// comparators, and the rule that a pre-release matches only when a comparator of the same
/// major.minor.patch names one.
class Range {
 public:
  [[nodiscard]] static std::optional<Range> parse(std::string_view text);

  [[nodiscard]] bool matches(const Version& version) const;
  /// The lowest version the range can match; nullopt when nothing matches.
  [[nodiscard]] std::optional<Version> minimum() const;

 private:
  /// All comparators of a set have to match; an empty set matches every release.
  using Set = std::vector<Comparator>;
  std::vector<Set> sets_;
};

}  // namespace svc::common::semver
