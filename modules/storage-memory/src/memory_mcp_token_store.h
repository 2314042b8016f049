#pragma once

#include <map>
#include <mutex>
#include <string>

#include "svc/storage/mcp_token_store.h"

#include "memory_thread.h"

namespace svc::storage_memory {

/// Keeps tokens of MCP clients for as long as the object lives. Thread-safe.
class MemoryMcpTokenStore final : public storage::IMcpTokenStore {
 public:
  explicit MemoryMcpTokenStore(MemoryThread& thread) : thread_(thread) {}

  [[nodiscard]] Result<std::vector<storage::McpTokenRow>> list() override;
  void insert(storage::McpTokenRow row, Completion<void> done) override;
  void remove(std::string id, Completion<void> done) override;
  void used(std::string id, std::int64_t at, Completion<void> done) override;

 private:
  MemoryThread& thread_;
  std::mutex mutex_;
  std::map<std::string, storage::McpTokenRow> rows_;  // by name
};

}  // namespace svc::storage_memory
