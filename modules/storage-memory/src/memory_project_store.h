#pragma once

#include <map>
#include <mutex>
#include <string>

#include "svc/storage/project_store.h"

namespace svc::storage_memory {

/// Keeps projects and their sources for as long as the object lives. Thread-safe.
class MemoryProjectStore final : public storage::IProjectStore {
 public:
  [[nodiscard]] Result<std::vector<storage::ProjectRow>> projects() override;
  [[nodiscard]] Result<std::vector<storage::ProjectSourceRow>> sources() override;
  [[nodiscard]] Status apply(const storage::ProjectChange& change) override;

 private:
  std::mutex mutex_;
  std::map<std::string, storage::ProjectRow> projects_;
  std::map<std::string, storage::ProjectSourceRow> sources_;
};

}  // namespace svc::storage_memory
