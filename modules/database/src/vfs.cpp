#include "vfs.h"

#include <map>
#include <memory>
#include <mutex>

#include <sqlite3.h>

#include "memory_account.h"

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

// Files are those of the default file system, but for the way they are closed: the account whose they are stands behind each.

struct CountedMethods {
  sqlite3_io_methods methods;  // first: what a file points to
  const sqlite3_io_methods* original;
};

/// Behind the default file system's own structure, whose size is a multiple of that of a pointer.
MemoryAccount*& accountOf(sqlite3_file* file) {
  auto* const end = reinterpret_cast<char*>(file) + defaultVfs()->szOsFile;
  return *reinterpret_cast<MemoryAccount**>(end);
}

int closeCounted(sqlite3_file* file) {
  auto* const account = accountOf(file);
  file->pMethods = reinterpret_cast<const CountedMethods*>(file->pMethods)->original;
  const int result = file->pMethods->xClose(file);
  account->fileClosed();
  return result;
}

const sqlite3_io_methods* counted(const sqlite3_io_methods* original) {
  static std::mutex mutex;
  static std::map<const sqlite3_io_methods*, std::unique_ptr<CountedMethods>> all;
  const std::lock_guard lock(mutex);
  auto& found = all[original];
  if (!found) {
    found = std::make_unique<CountedMethods>(CountedMethods{*original, original});
    found->methods.xClose = closeCounted;
  }
  return &found->methods;
}

int openCounted(sqlite3_vfs* vfs, sqlite3_filename name, sqlite3_file* file, int flags,
                int* out_flags) {
  const int result = defaultVfs()->xOpen(vfs, name, file, flags, out_flags);
  auto* const account = MemoryAccount::ofThisThread();
  if (result == SQLITE_OK && file->pMethods != nullptr && account != nullptr) {
    accountOf(file) = account;
    file->pMethods = counted(file->pMethods);
    account->fileOpened();
  }
  return result;
}

}  // namespace

const char* pluginVfs() {
  static sqlite3_vfs vfs = [] {
    sqlite3_vfs own = *defaultVfs();
    own.zName = kName;
    own.pNext = nullptr;
    own.szOsFile += static_cast<int>(sizeof(MemoryAccount*));
    own.xOpen = openCounted;
    own.xSleep = sleepUnlessCancelled;
    own.xAccess = accessUnlessForAll;
    return own;
  }();
  static const int kRegistered = sqlite3_vfs_register(&vfs, 0);
  return kRegistered == SQLITE_OK ? kName : nullptr;
}

void setSleepCancelled(const std::atomic<bool>* cancelled) { sleep_cancelled = cancelled; }

}  // namespace svc::database
