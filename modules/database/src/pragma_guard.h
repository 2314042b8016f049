#pragma once

#include <cstddef>
#include <string>

#include <sqlite3.h>

namespace svc::database {

/// Keeps pragmas of one connection from what reaches beyond it: locks that nobody else gets past, a backup least of all, and the
/// heap limits, which SQLite has once for the process. They change nothing and answer what holds. Script thread.
class PragmaGuard {
 public:
  /// `memory_limit` in bytes, of all databases of the plugin; 0 is none.
  explicit PragmaGuard(std::size_t memory_limit) : memory_limit_(memory_limit) {}
  PragmaGuard(const PragmaGuard&) = delete;
  PragmaGuard& operator=(const PragmaGuard&) = delete;

  /// For as long as the connection is open.
  void watch(sqlite3* handle) { sqlite3_set_authorizer(handle, authorize, this); }
  /// As sqlite3_prepare_v3.
  [[nodiscard]] int prepare(sqlite3* handle, const char* sql, unsigned int flags,
                            sqlite3_stmt** statement, const char** rest);

 private:
  static int authorize(void* self, int action, const char* name, const char* value,
                       const char* schema, const char* trigger);

  const std::size_t memory_limit_;
  std::string instead_;  // what is prepared in place of the statement that authorize() has emptied
};

}  // namespace svc::database
