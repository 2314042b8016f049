#include "table.h"

#include <algorithm>
#include <utility>

#include "console.h"
#include "text.h"

namespace svc::client {
namespace {

constexpr std::size_t kGap = 2;

void trimEnd(std::string& line) { line.erase(line.find_last_not_of(' ') + 1); }

/// What stands last goes on below itself where the terminal ends, or below the row where there is no room for it.
void addLastCell(std::string& line, const std::string& cell, std::size_t start,
                 std::size_t columns) {
  constexpr std::size_t kLeastRoom = 20;
  constexpr std::size_t kBelow = 4;
  if (columns == 0 || cell.empty() || start + displayWidth(cell) <= columns) {
    line += cell;
  } else if (start + kLeastRoom <= columns) {
    line += wrapped(cell, columns, start);
  } else {
    trimEnd(line);
    line += "\n" + std::string(kBelow, ' ') + wrapped(cell, columns, kBelow);
  }
}

}  // namespace

void Table::add(std::vector<std::string> row) {
  for (auto& cell : row) {
    cell = oneLine(cell);
  }
  rows_.push_back(std::move(row));
}

std::string Table::render(Layout layout) const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], displayWidth(row[i]));
    }
  }
  std::string result;
  for (const auto& row : rows_) {
    std::string line;
    std::size_t used = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i + 1 == row.size()) {
        addLastCell(line, row[i], used, layout.is_aligned ? layout.columns : 0);
        break;
      }
      line += row[i];
      line += layout.is_aligned ? std::string(widths[i] - displayWidth(row[i]) + kGap, ' ')
                                : std::string("\t");
      used += widths[i] + kGap;
    }
    if (layout.is_aligned) {
      trimEnd(line);
    }
    result += line + '\n';
  }
  return result;
}

Table::Layout layoutFor(const Console& console) {
  return {.is_aligned = console.out_terminal, .columns = console.columns};
}

}  // namespace svc::client
