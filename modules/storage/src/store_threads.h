#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include <spdlog/logger.h>

#include "group_commit.h"
#include "unsettled.h"

namespace svc::storage {

/// For each of the two queues.
struct StoreLimits {
  std::size_t requests = 65'536;
  /// Keys and values of the waiting requests.
  std::size_t bytes = 256UL * 1024 * 1024;
  /// From this length of the write-ahead log on, reads wait while it is folded into the file: as long as some read
  /// overlaps every commit, the log only grows.
  std::size_t log_pages = 16'384;
  /// Between two looks at a disk that refuses writes while nobody writes.
  std::chrono::milliseconds retry{1000};
};

/// The two threads that run every request. One writes, one batch after another: what arrives during a commit shares the
/// next one. The other reads beside it, so that a commit which takes long holds up only the reads of what it writes:
/// reads of a scope with unsettled writes go behind these, and a write waits for the earlier reads of its scope.
/// Thread-safe.
class StoreThreads {
 public:
  /// Both connections to the same database, each used by its own thread only.
  StoreThreads(ITransactions& writer, ITransactions& reader, StoreLimits limits,
               std::shared_ptr<spdlog::logger> log);
  StoreThreads(const StoreThreads&) = delete;
  StoreThreads& operator=(const StoreThreads&) = delete;
  /// stop() comes first.
  ~StoreThreads();

  /// A refused request (`overloaded`, `unavailable` after stop()) is answered before this returns.
  void submit(std::unique_ptr<StoreRequest> request);
  /// Fires on a store thread when everything submitted before has been answered.
  void flush(Completion<void> done);
  /// Refuses new requests, finishes the waiting ones, and joins the threads. What is not finished after `grace` is
  /// answered `aborted`. Called by the owner; a second call does nothing.
  void stop(std::chrono::milliseconds grace);
  /// Why nothing can be written since the last write ("disk full …"); empty when writes succeed.
  [[nodiscard]] std::string problem() const;

 private:
  struct Lane {
    Batch queue;
    std::size_t bytes = 0;
    std::condition_variable wake;
    bool finished = false;
  };

  void write();
  void read();
  /// Empty = the end; nullopt = none has come for a while, and the last ones were refused.
  std::optional<Batch> takeWrites();
  Batch takeReads();
  void settle(const Batch& batch, Side side);
  void foldLongLog();
  void report(const Status& outcome);
  // With the lock held.
  [[nodiscard]] Status admit(const StoreRequest& request, const Lane& lane) const;
  static void enqueue(std::unique_ptr<StoreRequest> request, Lane& lane);
  static Batch take(Lane& lane);
  void finish(Lane& lane);
  Batch abandon();

  ITransactions& writer_;
  ITransactions& reader_;
  const StoreLimits limits_;
  const std::shared_ptr<spdlog::logger> log_;

  mutable std::mutex mutex_;
  Lane writes_;
  Lane reads_;
  Unsettled unsettled_;
  std::condition_variable reads_settled_;
  std::condition_variable reader_rests_;
  std::condition_variable finished_changed_;
  bool stopping_ = false;
  bool abandoned_ = false;
  bool reading_ = false;
  bool folding_ = false;

  std::string problem_;
  std::thread write_thread_;
  std::thread read_thread_;
};

}  // namespace svc::storage
