#pragma once

#include "svc/storage/terminal_store.h"

#include "sides.h"
#include "store_threads.h"
#include "terminal_table.h"

namespace svc::storage {

/// Thread-safe: every call waits for a request of the store threads.
class SqliteTerminalStore final : public ITerminalStore {
 public:
  SqliteTerminalStore(OnBothSides<TerminalTable>& table, StoreThreads& threads)
      : table_(table), threads_(threads) {}

  [[nodiscard]] Result<std::vector<TerminalRow>> terminals() override;
  [[nodiscard]] Status apply(const TerminalChange& change) override;

 private:
  OnBothSides<TerminalTable>& table_;
  StoreThreads& threads_;
};

}  // namespace svc::storage
