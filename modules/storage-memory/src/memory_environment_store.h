#pragma once

#include <map>
#include <mutex>
#include <string>

#include "svc/storage/environment_store.h"

namespace svc::storage_memory {

/// Keeps records of environments for as long as the object lives. Thread-safe.
class MemoryEnvironmentStore final : public storage::IEnvironmentStore {
 public:
  [[nodiscard]] Result<std::vector<storage::EnvironmentRow>> environments() override;
  [[nodiscard]] Status apply(const storage::EnvironmentChange& change) override;

 private:
  std::mutex mutex_;
  std::map<std::string, storage::EnvironmentRow> rows_;
};

}  // namespace svc::storage_memory
