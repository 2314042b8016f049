#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "svc/storage/mcp_token_store.h"

#include "database.h"

namespace svc::storage {

/// The table mcp_tokens, through statements prepared once. Thread of the connection; throws SqliteFailure.
class McpTokenTable {
 public:
  explicit McpTokenTable(const Database& database);

  [[nodiscard]] std::vector<McpTokenRow> list();
  /// False when another row has the id, the name or the hash.
  [[nodiscard]] bool insert(const McpTokenRow& row);
  void remove(const std::string& id);
  void used(const std::string& id, std::int64_t at);

 private:
  Statement list_;
  Statement taken_;
  Statement insert_;
  Statement remove_;
  Statement used_;
};

}  // namespace svc::storage
