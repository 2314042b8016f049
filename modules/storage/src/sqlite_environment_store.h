#pragma once

#include "svc/storage/environment_store.h"

#include "environment_table.h"
#include "sides.h"
#include "store_threads.h"

namespace svc::storage {

/// Thread-safe: every call waits for a request of the store threads.
class SqliteEnvironmentStore final : public IEnvironmentStore {
 public:
  SqliteEnvironmentStore(OnBothSides<EnvironmentTable>& table, StoreThreads& threads)
      : table_(table), threads_(threads) {}

  [[nodiscard]] Result<std::vector<EnvironmentRow>> environments() override;
  [[nodiscard]] Status apply(const EnvironmentChange& change) override;

 private:
  OnBothSides<EnvironmentTable>& table_;
  StoreThreads& threads_;
};

}  // namespace svc::storage
