#pragma once

#include "svc/storage/host_store.h"

#include "host_tables.h"
#include "sides.h"
#include "store_threads.h"

namespace svc::storage {

/// Thread-safe: every call waits for a request of the store threads.
class SqliteHostStore final : public IHostStore {
 public:
  SqliteHostStore(OnBothSides<HostTables>& tables, StoreThreads& threads)
      : tables_(tables), threads_(threads) {}

  [[nodiscard]] Result<std::vector<HostRow>> hosts() override;
  [[nodiscard]] Result<std::vector<HostKeyRow>> keys() override;
  [[nodiscard]] Status apply(const HostChange& change) override;

 private:
  OnBothSides<HostTables>& tables_;
  StoreThreads& threads_;
};

}  // namespace svc::storage
