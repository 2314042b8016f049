#pragma once

#include <sys/types.h>

#include <cstdint>
#include <ctime>
#include <mutex>
#include <string>
#include <vector>

#include "process_tree.h"

namespace svc::jsruntime {

inline constexpr std::uint64_t kNanosecondsPerMillisecond = 1'000'000;

/// What a clock says, or 0.
[[nodiscard]] std::uint64_t clockNanoseconds(clockid_t clock);

/// The threads of one environment: its own, and those of its worker_threads. Knows their CPU time and their child
/// processes, also after a thread has gone. Thread-safe.
class ThreadAccounts {
 public:
  /// The calling thread is one of them from now on; a second time does nothing and answers false.
  bool enter();
  /// The calling thread is about to end.
  void leave();

  [[nodiscard]] std::size_t count() const;
  [[nodiscard]] std::uint64_t cpuMilliseconds() const;
  /// Processes they have started, with the descendants of those.
  [[nodiscard]] std::vector<ProcessHandle> takeProcesses();

  /// The mark of the programs that they start, in place of one of its own. Before the first is started.
  void setMark(std::string mark);
  /// What a program that is about to be started is marked with (base::kProcessMark).
  [[nodiscard]] std::string markForProgram();
  /// Empty when none was started.
  [[nodiscard]] std::string usedMark() const;

 private:
  struct Thread {
    pid_t id;
    clockid_t clock;
  };

  mutable std::mutex mutex_;
  std::vector<Thread> threads_;
  std::uint64_t ended_ns_ = 0;
  std::vector<ProcessHandle> orphans_;
  std::string mark_;
  bool mark_used_ = false;
};

}  // namespace svc::jsruntime
