#pragma once

#include <string>
#include <vector>

namespace svc::client {

/// Rows of text: columns aligned with two spaces for a terminal, separated by one tab for a pipe.
class Table {
 public:
  enum class Layout { kAligned, kTabs };

  /// Cells are made safe for a terminal here, so callers pass them as received.
  void add(std::vector<std::string> row);
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  [[nodiscard]] std::string render(Layout layout) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace svc::client
