#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "process_tree.h"

namespace svc::jsruntime {

using SteadyTime = std::chrono::steady_clock::time_point;

/// Something the supervisor looks at again and again.
class IWatched {
 public:
  virtual ~IWatched() = default;
  /// On the supervisor's thread; must not block. Returns when to look next; SteadyTime::max() ends the watch.
  [[nodiscard]] virtual SteadyTime inspect(SteadyTime now) = 0;
};

/// One thread for all environments: watches event loops, and waits for child processes that were told to end.
/// Thread-safe. Sleeps without a time limit while there is nothing to look at.
class Supervisor {
 public:
  explicit Supervisor(std::chrono::milliseconds kill_after);
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;
  ~Supervisor();

  void watch(std::weak_ptr<IWatched> subject);
  /// Looks at every subject soon.
  void wake();
  /// Sends SIGTERM now and SIGKILL `kill_after` later to those still there, and to all processes with this mark
  /// (base::processesMarked; empty for none). Their status is collected once `*abandoned` is true: before that, the loop that
  /// started them does it.
  void endProcesses(std::vector<ProcessHandle> processes, std::string mark,
                    std::shared_ptr<const std::atomic<bool>> abandoned);
  /// How long a thread that was told to end has for it: longer than the children it may wait for.
  [[nodiscard]] std::chrono::milliseconds patience() const { return kill_after_ + kill_after_ / 2; }

 private:
  struct Subject {
    std::weak_ptr<IWatched> subject;
    SteadyTime due;
  };
  struct Ending {
    std::vector<ProcessHandle> processes;
    std::string mark;
    std::shared_ptr<const std::atomic<bool>> abandoned;
    SteadyTime kill_at;
    bool killed = false;
  };

  /// Adds those with its mark that it does not know yet, and sends them the signal.
  static void findMarked(Ending& ending, int signal);

  void run();
  void inspectSubjects(SteadyTime now);
  void followEndings(SteadyTime now);
  [[nodiscard]] SteadyTime nextDue() const;

  const std::chrono::milliseconds kill_after_;
  std::vector<Subject> subjects_;  // supervisor thread only, like endings_
  std::vector<Ending> endings_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::weak_ptr<IWatched>> new_subjects_;
  std::vector<Ending> new_endings_;
  bool poked_ = false;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace svc::jsruntime
