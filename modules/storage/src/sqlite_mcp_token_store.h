#pragma once

#include "svc/storage/mcp_token_store.h"

#include "mcp_token_table.h"
#include "sides.h"
#include "store_threads.h"

namespace svc::storage {

/// Thread-safe.
class SqliteMcpTokenStore final : public IMcpTokenStore {
 public:
  SqliteMcpTokenStore(OnBothSides<McpTokenTable>& table, StoreThreads& threads)
      : table_(table), threads_(threads) {}

  [[nodiscard]] Result<std::vector<McpTokenRow>> list() override;
  void insert(McpTokenRow row, Completion<void> done) override;
  void remove(std::string id, Completion<void> done) override;
  void used(std::string id, std::int64_t at, Completion<void> done) override;

 private:
  OnBothSides<McpTokenTable>& table_;
  StoreThreads& threads_;
};

}  // namespace svc::storage
