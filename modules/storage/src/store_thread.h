#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <thread>

#include <spdlog/logger.h>

#include "group_commit.h"

namespace svc::storage {

struct StoreLimits {
  std::size_t requests = 65'536;
  /// Keys and values of the waiting requests.
  std::size_t bytes = 256UL * 1024 * 1024;
};

/// The thread that runs every request, one batch after another: what arrives during a commit shares the next one.
/// Thread-safe.
class StoreThread {
 public:
  StoreThread(ITransactions& transactions, StoreLimits limits, std::shared_ptr<spdlog::logger> log);
  StoreThread(const StoreThread&) = delete;
  StoreThread& operator=(const StoreThread&) = delete;
  /// stop() comes first.
  ~StoreThread();

  /// A refused request (`overloaded`, `unavailable` after stop()) is answered before this returns.
  void submit(std::unique_ptr<StoreRequest> request);
  /// Fires on the store thread when everything submitted before has been answered.
  void flush(Completion<void> done);
  /// Refuses new requests, finishes the waiting ones, and joins the thread. What is not finished after `grace` is
  /// answered `aborted`. Called by the owner; a second call does nothing.
  void stop(std::chrono::milliseconds grace);

 private:
  void run();
  Batch takeBatch();
  void report(const Status& outcome);
  // Both with the lock held.
  void enqueue(std::unique_ptr<StoreRequest> request);
  [[nodiscard]] Status admit(const StoreRequest& request) const;

  ITransactions& transactions_;
  const StoreLimits limits_;
  const std::shared_ptr<spdlog::logger> log_;

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable finished_changed_;
  Batch queue_;
  std::size_t queued_bytes_ = 0;
  bool stopping_ = false;
  bool finished_ = false;

  /// Store thread only.
  bool failing_ = false;
  std::thread thread_;
};

}  // namespace svc::storage
