#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace svc::client {

struct Console;

/// Rows of text: columns aligned with two spaces for a terminal, separated by one tab for a pipe.
class Table {
 public:
  struct Layout {
    bool is_aligned = false;
    /// Of the terminal; the last column of a wider table goes on below itself. 0 = as wide as it is.
    std::size_t columns = 0;
    static const Layout kAligned;
    static const Layout kTabs;
  };

  /// Cells are made safe for a terminal here, so callers pass them as received.
  void add(std::vector<std::string> row);
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  [[nodiscard]] std::string render(Layout layout) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

inline constexpr Table::Layout Table::Layout::kAligned{.is_aligned = true};
inline constexpr Table::Layout Table::Layout::kTabs{};

/// Aligned on a terminal, as wide as that is.
[[nodiscard]] Table::Layout layoutFor(const Console& console);

}  // namespace svc::client
