#pragma once

#include "svc/storage/host_store.h"

#include "host_tables.h"
#include "store_thread.h"

namespace svc::storage {

/// Thread-safe: every call waits for a request of the store thread.
class SqliteHostStore final : public IHostStore {
 public:
  SqliteHostStore(HostTables& tables, StoreThread& thread) : tables_(tables), thread_(thread) {}

  [[nodiscard]] Result<std::vector<HostRow>> hosts() override;
  [[nodiscard]] Result<std::vector<HostKeyRow>> keys() override;
  [[nodiscard]] Status apply(const HostChange& change) override;

 private:
  HostTables& tables_;
  StoreThread& thread_;
};

}  // namespace svc::storage
