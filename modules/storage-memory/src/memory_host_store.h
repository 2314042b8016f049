#pragma once

#include <map>
#include <mutex>
#include <string>

#include "svc/storage/host_store.h"

namespace svc::storage_memory {

/// Keeps machines and their keys for as long as the object lives. Thread-safe.
class MemoryHostStore final : public storage::IHostStore {
 public:
  [[nodiscard]] Result<std::vector<storage::HostRow>> hosts() override;
  [[nodiscard]] Result<std::vector<storage::HostKeyRow>> keys() override;
  [[nodiscard]] Status apply(const storage::HostChange& change) override;

 private:
  std::mutex mutex_;
  std::map<std::string, storage::HostRow> hosts_;
  std::map<std::string, storage::HostKeyRow> keys_;
};

}  // namespace svc::storage_memory
