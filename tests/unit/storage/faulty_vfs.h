#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>

#include <sqlite3.h>

namespace svc::storage {

/// While it lives, SQLite's default file layer is this one: it counts writes, syncs and truncations, fails the chosen
/// ones and holds syncs, as a slow disk does. Syncs are not passed on, which keeps the tests quick. One at a time.
class FaultyVfs {
 public:
  FaultyVfs();
  FaultyVfs(const FaultyVfs&) = delete;
  FaultyVfs& operator=(const FaultyVfs&) = delete;
  /// Every file opened through it is closed by then.
  ~FaultyVfs();

  /// The n-th change from now (counted from 1) fails with the code.
  void failOnce(int n, int code) { arm(n, n, code); }
  /// All changes from the n-th on fail.
  void failFrom(int n, int code);
  void heal() { arm(0, 0, SQLITE_OK); }
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] int syncs() const { return syncs_; }

  /// From now on every sync waits.
  void holdSyncs();
  /// Returns when a sync waits.
  void awaitHeldSync();
  void releaseSyncs();

  /// SQLITE_OK, or the code this change fails with.
  int change();
  void enterSync();
  [[nodiscard]] sqlite3_vfs* base() const { return base_; }

 private:
  void arm(int first, int last, int code);

  sqlite3_vfs* base_;
  sqlite3_vfs vfs_;
  std::atomic<int> changes_{0};
  std::atomic<int> first_{0};
  std::atomic<int> last_{0};
  std::atomic<int> code_{SQLITE_OK};
  std::atomic<int> syncs_{0};
  std::atomic<bool> failed_{false};

  std::mutex mutex_;
  std::condition_variable changed_;
  bool holding_ = false;
  bool held_ = false;
};

}  // namespace svc::storage
