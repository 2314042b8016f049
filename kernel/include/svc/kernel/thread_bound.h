#pragma once

#include <atomic>
#include <thread>

#include "svc/kernel/assert.h"

namespace svc {

/// Member of an object that lives on one thread: the first check() binds it to the caller's, and one on another thread ends
/// the process. Builds for use (NDEBUG) check nothing. For objects whose thread outlives them: what a stop on another thread
/// does to them, when theirs has ended, is not to be told from a mistake.
class ThreadBound {
 public:
  ThreadBound() = default;
  // A copy is another object, which may live elsewhere.
  ThreadBound(const ThreadBound& /*other*/) noexcept {}
  ThreadBound& operator=(const ThreadBound& /*other*/) noexcept { return *this; }
  ~ThreadBound() = default;

  void check() const noexcept {
#ifndef NDEBUG
    std::thread::id owner;
    const auto self = std::this_thread::get_id();
    SVC_ASSERT(owner_.compare_exchange_strong(owner, self, std::memory_order_relaxed) ||
               owner == self);
#endif
  }

 private:
  mutable std::atomic<std::thread::id> owner_{};
};

}  // namespace svc
