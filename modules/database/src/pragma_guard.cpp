#include "pragma_guard.h"

#include <utility>

#include <fmt/format.h>

namespace svc::database {

int PragmaGuard::prepare(sqlite3* handle, const char* sql, unsigned int flags,
                         sqlite3_stmt** statement, const char** rest) {
  instead_.clear();
  const int status = sqlite3_prepare_v3(handle, sql, -1, flags, statement, rest);
  if (status != SQLITE_OK || instead_.empty()) {
    return status;
  }
  sqlite3_finalize(std::exchange(*statement, nullptr));
  return sqlite3_prepare_v3(handle, instead_.c_str(), -1, flags, statement, nullptr);
}

int PragmaGuard::authorize(void* self, int action, const char* name, const char* value,
                           const char* /*schema*/, const char* /*trigger*/) {
  if (action != SQLITE_PRAGMA) {
    return SQLITE_OK;
  }
  auto& guard = *static_cast<PragmaGuard*>(self);
  if (sqlite3_stricmp(name, "locking_mode") == 0 && sqlite3_stricmp(value, "exclusive") == 0) {
    guard.instead_ = "SELECT 'normal' AS locking_mode";
  } else if (sqlite3_stricmp(name, "soft_heap_limit") == 0) {
    guard.instead_ = "SELECT 0 AS soft_heap_limit";
  } else if (sqlite3_stricmp(name, "hard_heap_limit") == 0) {
    guard.instead_ = fmt::format("SELECT {} AS hard_heap_limit", guard.memory_limit_);
  } else {
    return SQLITE_OK;
  }
  // Emptied, not refused: such a pragma is common in what authors copy into their plugins, and nothing depends on it.
  return SQLITE_IGNORE;
}

}  // namespace svc::database
