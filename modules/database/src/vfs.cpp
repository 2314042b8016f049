#include "vfs.h"

#include <sqlite3.h>

namespace svc::database {

namespace {

constexpr const char* kName = "svc-plugin";

thread_local const std::atomic<bool>* sleep_cancelled = nullptr;

const sqlite3_vfs* defaultVfs() {
  static const sqlite3_vfs* const kVfs = sqlite3_vfs_find(nullptr);
  return kVfs;
}

int sleepUnlessCancelled(sqlite3_vfs* vfs, int microseconds) {
  if (sleep_cancelled != nullptr && sleep_cancelled->load(std::memory_order_relaxed)) {
    return 0;
  }
  return defaultVfs()->xSleep(vfs, microseconds);
}

/// SQLite asks for this kind of access only when a pragma is to set the directory of temporary files, for the whole process.
int accessUnlessForAll(sqlite3_vfs* vfs, const char* path, int flags, int* allowed) {
  if (flags == SQLITE_ACCESS_READWRITE) {
    *allowed = 0;
    return SQLITE_OK;
  }
  return defaultVfs()->xAccess(vfs, path, flags, allowed);
}

}  // namespace

const char* pluginVfs() {
  static sqlite3_vfs vfs = [] {
    sqlite3_vfs own = *defaultVfs();
    own.zName = kName;
    own.pNext = nullptr;
    own.xSleep = sleepUnlessCancelled;
    own.xAccess = accessUnlessForAll;
    return own;
  }();
  static const int kRegistered = sqlite3_vfs_register(&vfs, 0);
  return kRegistered == SQLITE_OK ? kName : nullptr;
}

void setSleepCancelled(const std::atomic<bool>* cancelled) { sleep_cancelled = cancelled; }

}  // namespace svc::database
