#pragma once

#include <optional>
#include <string>
#include <vector>

#include "svc/common/json.h"

#include "database.h"

namespace svc::storage {

/// The table plugin_kv, through statements prepared once. Thread of the connection; throws SqliteFailure.
class KvTable {
 public:
  explicit KvTable(const Database& database);

  [[nodiscard]] std::optional<common::RawJson> get(const std::string& plugin_id,
                                                   const std::string& key);
  void set(const std::string& plugin_id, const std::string& key, const std::string& value,
           std::int64_t now);
  void remove(const std::string& plugin_id, const std::string& key);
  [[nodiscard]] std::vector<std::string> list(const std::string& plugin_id,
                                              const std::string& prefix);
  /// The number of rows removed.
  [[nodiscard]] std::size_t clear(const std::string& plugin_id);

 private:
  sqlite3* connection_;
  Statement get_;
  Statement set_;
  Statement remove_;
  Statement list_;
  Statement clear_;
};

}  // namespace svc::storage
