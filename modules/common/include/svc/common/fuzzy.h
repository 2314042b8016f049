#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::common {

struct FuzzyMatch {
  std::int64_t score = 0;
  /// Of the matched characters, in UTF-16 units, ascending.
  std::vector<std::size_t> positions;
};

/// A text that many others are looked through for.
class FuzzyQuery {
 public:
  explicit FuzzyQuery(std::string_view query);

  [[nodiscard]] bool empty() const { return wanted_.empty(); }
  /// Whether all characters of the query are in the path in their order, whatever the case, and how well: ones beside each other, at the
  /// beginning of words and in the last name count most. Nothing when they are not. Spaces of the query match nothing.
  [[nodiscard]] std::optional<FuzzyMatch> match(std::string_view path) const;

 private:
  std::u32string wanted_;
};

}  // namespace svc::common
