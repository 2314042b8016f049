#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace svc::common {

// Places in an order that people arrange, as texts that are compared as bytes: between any two there is room for another.

/// Longer ones are replaced, those of the whole list together (see sortKeys).
inline constexpr std::size_t kSortKeyLength = 64;

/// A key behind `below` and before `above`; empty for the beginning and the end of the list. `below` < `above`, both made here.
[[nodiscard]] std::string sortKeyBetween(std::string_view below, std::string_view above);

/// As many short keys, ascending, for a list that is written anew.
[[nodiscard]] std::vector<std::string> sortKeys(std::size_t count);

}  // namespace svc::common
