#pragma once

#include <map>
#include <mutex>
#include <string>

#include "svc/storage/terminal_store.h"

namespace svc::storage_memory {

/// Keeps records of terminals for as long as the object lives. Thread-safe.
class MemoryTerminalStore final : public storage::ITerminalStore {
 public:
  [[nodiscard]] Result<std::vector<storage::TerminalRow>> terminals() override;
  [[nodiscard]] Status apply(const storage::TerminalChange& change) override;

 private:
  std::mutex mutex_;
  std::map<std::string, storage::TerminalRow> rows_;
};

}  // namespace svc::storage_memory
