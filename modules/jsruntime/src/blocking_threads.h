#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

namespace svc::jsruntime {

/// Something that may block.
class BlockingJob {
 public:
  BlockingJob() = default;
  BlockingJob(const BlockingJob&) = delete;
  BlockingJob& operator=(const BlockingJob&) = delete;
  virtual ~BlockingJob() = default;

  /// On a thread of its own.
  virtual void work() = 0;
  /// In its place when the environment ends before it has begun.
  virtual void skip() = 0;
  /// After work() or skip(), on the same thread; it is the threads' no more.
  virtual void worked() = 0;

 private:
  friend class BlockingThreads;
  std::list<BlockingJob*>::iterator place_;
  bool waits_ = false;
};

/// The threads on which one environment reads files, asks for names and computes keys: what blocks them stops nobody else. They
/// begin when they are needed and end when they are not. Thread-safe; owned by a shared_ptr, which the threads hold as well:
/// one that never returns is all that stays.
class BlockingThreads final : public std::enable_shared_from_this<BlockingThreads> {
 public:
  /// Jobs of one environment that run at once. Others wait in their order.
  static constexpr std::size_t kMostThreads = 32;
  /// Jobs that wait. They are cheap beside what the script holds for each of them, but not free.
  static constexpr std::size_t kMostWaiting = 100'000;

  enum class Taken : unsigned char {
    kYes,
    kFull,      ///< kMostWaiting wait
    kNoThread,  ///< the system has none left
  };
  [[nodiscard]] Taken take(BlockingJob& job);
  /// True when it has not begun: it is the caller's again.
  [[nodiscard]] bool withdraw(BlockingJob& job);

  /// The environment ends: threads do not wait for further jobs and skip those that have not begun, what they still compute
  /// gives way to everybody else, and interrupt() may be called.
  void end();
  [[nodiscard]] bool ending() const;
  /// Makes system calls of running jobs return EINTR, if they heed signals at all: once each, and not when they are only
  /// about to begin. False when no job runs.
  bool interrupt();
  struct Use {
    std::size_t jobs = 0;      ///< that run or wait
    std::uint64_t cpu_ms = 0;  ///< of all there were
  };
  [[nodiscard]] Use use() const;
  /// For interrupt(). Once per process, before the first environment.
  static void prepareProcess();

 private:
  struct Working {
    pthread_t thread;
    pid_t id;
    clockid_t clock;
    std::uint64_t begun_ns;  ///< what the clock said when its job began
  };

  void run();

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::list<BlockingJob*> waiting_;
  std::vector<Working> working_;
  std::size_t threads_ = 0;
  std::size_t idle_ = 0;
  std::uint64_t worked_ns_ = 0;  // of jobs that are done
  bool ending_ = false;
};

}  // namespace svc::jsruntime
