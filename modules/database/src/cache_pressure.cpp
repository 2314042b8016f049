#include "cache_pressure.h"

#include <sqlite3.h>

#include "memory_account.h"

namespace svc::database {

namespace {

/// SQLite's own, which do the work.
sqlite3_pcache_methods2 own{};

bool isNearlyFull(const MemoryAccount& account) {
  return account.limit() != 0 && account.used() > account.limit() / 4 * 3;
}

sqlite3_pcache_page* fetch(sqlite3_pcache* cache, unsigned int key, int create) {
  const auto* account = MemoryAccount::ofThisThread();
  if (create == 0 || account == nullptr || !isNearlyFull(*account)) {
    return own.xFetch(cache, key, create);
  }
  if (auto* page = own.xFetch(cache, key, 0)) {
    return page;
  }
  own.xShrink(cache);
  return own.xFetch(cache, key, create);
}

}  // namespace

int watchCaches() {
  if (const int code = sqlite3_config(SQLITE_CONFIG_GETPCACHE2, &own); code != SQLITE_OK) {
    return code;
  }
  auto methods = own;
  methods.xFetch = fetch;
  return sqlite3_config(SQLITE_CONFIG_PCACHE2, &methods);
}

}  // namespace svc::database
