#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "svc/common/json.h"
#include "svc/kernel/completion.h"
#include "svc/kernel/executor.h"

#include "thread_book.h"

namespace svc::threads {

/// The log of a thread for those who read it. Thread-safe; waits end on the executor.
class EventLog {
 public:
  /// `timers` outlives it.
  EventLog(ThreadBook& book, IExecutor& timers) : book_(book), timers_(timers) {}

  /// Blocks.
  [[nodiscard]] Result<common::Json> list(const storage::ThreadEventQuery& query) const;
  /// The first event of the type after that seq, or null when none comes in time. Blocks to look, then fires on the thread that writes
  /// or on the executor. `overloaded` when too many wait.
  void wait(const std::string& thread_id, const std::string& type, std::int64_t after_seq,
            std::int64_t wait_ms, Completion<common::Json> done);
  /// Lines that are new.
  void added(const std::vector<storage::ThreadEventRow>& events);
  /// The thread is deleted: who waits in it hears so.
  void removed(const std::string& thread_id);
  /// Answers all with null: the server stops. On the executor's thread.
  void release();

  /// All that was said: `{ items, maxSeq }`. Blocks.
  [[nodiscard]] Result<common::Json> outline(const std::string& thread_id,
                                             const std::stop_token& stop = {}) const;
  /// The user's messages, newest first. Blocks.
  [[nodiscard]] Result<common::Json> promptHistory(const std::string& thread_id,
                                                   std::size_t limit) const;
  /// The same of all threads of a project that lists show.
  [[nodiscard]] Result<common::Json> projectHistory(const std::string& project_id,
                                                    std::size_t limit) const;
  /// `{ providerId, model, …, source, seq }`.
  [[nodiscard]] Result<common::Json> executionOptions(const std::string& thread_id) const;

 private:
  struct Waiter {
    std::string thread_id;
    std::string type;
    std::int64_t after_seq = 0;
    Completion<common::Json> done;
    Handle timer{};
  };
  using Waiters = std::map<int, Waiter>;

  void answer(int number, common::Json event);
  void startTimer(int number, std::chrono::milliseconds wait);

  ThreadBook& book_;
  IExecutor& timers_;
  std::mutex mutex_;
  int last_ = 0;
  Waiters waiters_;
};

}  // namespace svc::threads
