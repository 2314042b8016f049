#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "svc/kernel/completion.h"
#include "svc/kernel/result.h"
#include "svc/kernel/service_id.h"

namespace svc::storage {

/// One bearer token of an MCP client, known by its hash only. Times are milliseconds since the epoch; 0 = not yet.
struct McpTokenRow {
  std::string id;
  std::string name;  ///< unique
  std::string hash;  ///< SHA-256, hex
  /// JSON of whoever checks tokens; empty = no restriction.
  std::string scope{};
  std::int64_t created_at = 0;
  std::int64_t last_used_at = 0;

  friend bool operator==(const McpTokenRow&, const McpTokenRow&) = default;
};

/// Bearer tokens of MCP clients. Thread-safe; completions fire on a store thread, or at once when the request is refused.
class IMcpTokenStore {
 public:
  static constexpr ServiceId kId{"svc.storage.McpTokenStore", 1};
  virtual ~IMcpTokenStore() = default;

  /// Ascending by name. Blocks: never from the io thread or a script thread.
  [[nodiscard]] virtual Result<std::vector<McpTokenRow>> list() = 0;
  /// Durable when it fires. `conflict` when the id, the name or the hash is there already, `invalid_argument` when one is empty.
  virtual void insert(McpTokenRow row, Completion<void> done) = 0;
  /// Durable when it fires. What is already gone is no error.
  virtual void remove(std::string id, Completion<void> done) = 0;
  /// A time that is earlier than the one that is kept changes nothing, and so does one of a token that is gone.
  virtual void used(std::string id, std::int64_t at, Completion<void> done) = 0;
};

/// What every implementation answers to a row without its keys; success when they are there.
[[nodiscard]] inline Status checkMcpToken(const McpTokenRow& row) {
  if (row.id.empty() || row.name.empty() || row.hash.empty()) {
    return Error{errc::kInvalidArgument, "a token needs an id, a name and a hash"};
  }
  return {};
}

/// What every implementation answers to a row whose id, name or hash another one has.
[[nodiscard]] inline Error mcpTokenThere(const McpTokenRow& row) {
  return {errc::kConflict, "there is a token \"" + row.name + "\" already"};
}

}  // namespace svc::storage
