#include "unit/storage/faulty_vfs.h"

#include <limits>

namespace svc::storage {
namespace {

// What SQLite gets as its file; the file of the real layer follows in the same memory.
struct FaultyFile {
  sqlite3_file file;
  FaultyVfs* vfs;
};

FaultyVfs& vfsOf(sqlite3_file* file) { return *reinterpret_cast<FaultyFile*>(file)->vfs; }

sqlite3_file* real(sqlite3_file* file) {
  return reinterpret_cast<sqlite3_file*>(reinterpret_cast<FaultyFile*>(file) + 1);
}

const sqlite3_io_methods& methods(sqlite3_file* file) { return *real(file)->pMethods; }

int write(sqlite3_file* file, const void* data, int size, sqlite3_int64 offset) {
  const int fault = vfsOf(file).change();
  return fault != SQLITE_OK ? fault : methods(file).xWrite(real(file), data, size, offset);
}

int truncate(sqlite3_file* file, sqlite3_int64 size) {
  const int fault = vfsOf(file).change();
  return fault != SQLITE_OK ? fault : methods(file).xTruncate(real(file), size);
}

int sync(sqlite3_file* file, int /*flags*/) {
  vfsOf(file).enterSync();
  return vfsOf(file).change();
}

const sqlite3_io_methods kMethods{
    .iVersion = 2,
    .xClose = [](sqlite3_file* file) { return methods(file).xClose(real(file)); },
    .xRead =
        [](sqlite3_file* file, void* data, int size, sqlite3_int64 offset) {
          return methods(file).xRead(real(file), data, size, offset);
        },
    .xWrite = write,
    .xTruncate = truncate,
    .xSync = sync,
    .xFileSize = [](sqlite3_file* file,
                    sqlite3_int64* size) { return methods(file).xFileSize(real(file), size); },
    .xLock = [](sqlite3_file* file, int lock) { return methods(file).xLock(real(file), lock); },
    .xUnlock = [](sqlite3_file* file, int lock) { return methods(file).xUnlock(real(file), lock); },
    .xCheckReservedLock =
        [](sqlite3_file* file, int* out) {
          return methods(file).xCheckReservedLock(real(file), out);
        },
    .xFileControl =
        [](sqlite3_file* file, int operation, void* data) {
          return methods(file).xFileControl(real(file), operation, data);
        },
    .xSectorSize = [](sqlite3_file* file) { return methods(file).xSectorSize(real(file)); },
    .xDeviceCharacteristics =
        [](sqlite3_file* file) { return methods(file).xDeviceCharacteristics(real(file)); },
    .xShmMap =
        [](sqlite3_file* file, int page, int size, int extend, volatile void** out) {
          return methods(file).xShmMap(real(file), page, size, extend, out);
        },
    .xShmLock = [](sqlite3_file* file, int offset, int count,
                   int flags) { return methods(file).xShmLock(real(file), offset, count, flags); },
    .xShmBarrier = [](sqlite3_file* file) { methods(file).xShmBarrier(real(file)); },
    .xShmUnmap = [](sqlite3_file* file,
                    int remove) { return methods(file).xShmUnmap(real(file), remove); },
    .xFetch = nullptr,
    .xUnfetch = nullptr,
};

int openFile(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  auto& owner = *static_cast<FaultyVfs*>(vfs->pAppData);
  auto* faulty = reinterpret_cast<FaultyFile*>(file);
  faulty->vfs = &owner;
  faulty->file.pMethods = nullptr;
  const int code = owner.base()->xOpen(owner.base(), name, real(file), flags, out_flags);
  if (real(file)->pMethods != nullptr) {
    faulty->file.pMethods = &kMethods;
  }
  return code;
}

}  // namespace

FaultyVfs::FaultyVfs() : base_(sqlite3_vfs_find(nullptr)), vfs_(*base_) {
  vfs_.zName = "faulty";
  vfs_.pNext = nullptr;
  vfs_.pAppData = this;
  vfs_.szOsFile = static_cast<int>(sizeof(FaultyFile)) + base_->szOsFile;
  vfs_.xOpen = openFile;
  sqlite3_vfs_register(&vfs_, 1);
}

FaultyVfs::~FaultyVfs() {
  sqlite3_vfs_unregister(&vfs_);
  sqlite3_vfs_register(base_, 1);
}

void FaultyVfs::failFrom(int n, int code) { arm(n, std::numeric_limits<int>::max(), code); }

void FaultyVfs::holdSyncs() {
  const std::lock_guard lock(mutex_);
  holding_ = true;
}

void FaultyVfs::awaitHeldSync() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return held_; });
}

void FaultyVfs::releaseSyncs() {
  const std::lock_guard lock(mutex_);
  holding_ = false;
  changed_.notify_all();
}

void FaultyVfs::enterSync() {
  ++syncs_;
  std::unique_lock lock(mutex_);
  held_ = holding_;
  changed_.notify_all();
  changed_.wait(lock, [this] { return !holding_; });
  held_ = false;
}

void FaultyVfs::arm(int first, int last, int code) {
  changes_ = 0;
  failed_ = false;
  first_ = first;
  last_ = last;
  code_ = code;
}

int FaultyVfs::change() {
  const int now = ++changes_;
  if (code_ == SQLITE_OK || now < first_ || now > last_) {
    return SQLITE_OK;
  }
  failed_ = true;
  return code_;
}

}  // namespace svc::storage
