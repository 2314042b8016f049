#include "table.h"

#include <algorithm>
#include <utility>

#include "text.h"

namespace svc::client {

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
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 == row.size()) {
        break;
      }
      line += layout == Layout::kTabs ? std::string("\t")
                                      : std::string(widths[i] - displayWidth(row[i]) + 2, ' ');
    }
    if (layout == Layout::kAligned) {
      line.erase(line.find_last_not_of(' ') + 1);
    }
    result += line + '\n';
  }
  return result;
}

}  // namespace svc::client
