#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include "svc/kernel/result.h"

namespace svc::database {

/// What SQLite has allocated for one owner, and its limit; and how many files it has open for it. A block is booked on the account of the thread that asks for it, and
/// off the same account, whichever thread frees it. Thread-safe but for enter().
class MemoryAccount {
 public:
  struct Close {
    void operator()(MemoryAccount* account) const { account->give(kOwner); }
  };
  /// Blocks may outlive the handle: what connections of several threads share, SQLite frees with the last of them.
  using Handle = std::unique_ptr<MemoryAccount, Close>;

  /// Replaces SQLite's allocator, for the whole process and before anything else uses SQLite. The same answer however often it is
  /// called.
  [[nodiscard]] static Status install();
  /// `limit` in bytes; 0 is none.
  [[nodiscard]] static Handle open(std::size_t limit) { return Handle(new MemoryAccount(limit)); }
  /// What the calling thread allocates from now on is booked on `account`; null for nobody, without a limit.
  static void enter(MemoryAccount* account);
  /// Of the calling thread; null for nobody.
  [[nodiscard]] static MemoryAccount* ofThisThread();

  MemoryAccount(const MemoryAccount&) = delete;
  MemoryAccount& operator=(const MemoryAccount&) = delete;

  /// False when there is no room.
  [[nodiscard]] bool take(std::size_t bytes);
  void give(std::size_t bytes);

  /// A file lives in a block of this account, so that the account is there when it is closed.
  void fileOpened() { files_.fetch_add(1, std::memory_order_relaxed); }
  void fileClosed() { files_.fetch_sub(1, std::memory_order_relaxed); }
  [[nodiscard]] std::size_t openFiles() const { return files_.load(std::memory_order_relaxed); }

  [[nodiscard]] std::size_t limit() const { return limit_; }
  /// While there is a handle.
  [[nodiscard]] std::size_t used() const { return held_.load(std::memory_order_relaxed) - kOwner; }
  /// The last request that was refused, in bytes.
  struct Refusal {
    std::size_t used;    ///< at that moment: what fails gives back what it had
    std::size_t wanted;  ///< 0 when nothing was refused
  };
  /// And forgets it.
  [[nodiscard]] Refusal takeRefusal() {
    return {refused_at_.load(std::memory_order_relaxed),
            refused_.exchange(0, std::memory_order_relaxed)};
  }

 private:
  /// The handle counts as a byte, so that one number says when nobody needs the account any more.
  static constexpr std::size_t kOwner = 1;

  explicit MemoryAccount(std::size_t limit) : limit_(limit) {}
  ~MemoryAccount() = default;

  const std::size_t limit_;
  std::atomic<std::size_t> held_{kOwner};
  std::atomic<std::size_t> files_{0};
  std::atomic<std::size_t> refused_at_{0};
  std::atomic<std::size_t> refused_{0};
};

}  // namespace svc::database
