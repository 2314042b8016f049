#pragma once

#include <vector>

#include "svc/storage/terminal_store.h"

#include "database.h"

namespace svc::storage {

/// The table terminals, through statements prepared once. Thread of the connection; throws SqliteFailure.
class TerminalTable {
 public:
  explicit TerminalTable(const Database& database);

  [[nodiscard]] std::vector<TerminalRow> terminals();
  void apply(const TerminalChange& change);

 private:
  Statement list_;
  Statement put_;
  Statement remove_;
};

}  // namespace svc::storage
