#pragma once

#include "svc/storage/project_store.h"

#include "project_tables.h"
#include "sides.h"
#include "store_threads.h"

namespace svc::storage {

/// Thread-safe: every call waits for a request of the store threads.
class SqliteProjectStore final : public IProjectStore {
 public:
  SqliteProjectStore(OnBothSides<ProjectTables>& tables, StoreThreads& threads)
      : tables_(tables), threads_(threads) {}

  [[nodiscard]] Result<std::vector<ProjectRow>> projects() override;
  [[nodiscard]] Result<std::vector<ProjectSourceRow>> sources() override;
  [[nodiscard]] Status apply(const ProjectChange& change) override;

 private:
  OnBothSides<ProjectTables>& tables_;
  StoreThreads& threads_;
};

}  // namespace svc::storage
