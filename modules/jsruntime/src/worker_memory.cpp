#include "worker_memory.h"

#include <algorithm>

namespace svc::jsruntime {

namespace {

/// So often a collection may leave too much: some of it is freed on other threads, after the collection.
constexpr int kLooks = 2;

}  // namespace

void WorkerMemory::enter(v8::Isolate* isolate) {
  const std::lock_guard lock(mutex_);
  workers_.push_back(isolate);
}

void WorkerMemory::leave(v8::Isolate* isolate) {
  const std::lock_guard lock(mutex_);
  std::erase(workers_, isolate);
}

bool WorkerMemory::takeShared(std::size_t bytes) {
  auto used = shared_.load(std::memory_order_relaxed);
  while (bytes <= limit_ && used <= limit_ - bytes) {
    if (shared_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed)) {
      return true;
    }
  }
  return false;
}

void WorkerMemory::giveShared(std::size_t bytes) {
  shared_.fetch_sub(bytes, std::memory_order_relaxed);
}

std::size_t WorkerMemory::bytes() const {
  std::size_t sum = shared_.load(std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  for (auto* worker : workers_) {
    // Nothing is adjusted: of all that tells the amount this is what any thread may ask, it reads one atomic number.
    sum += static_cast<std::size_t>(
        std::max<std::int64_t>(worker->AdjustAmountOfExternalAllocatedMemory(0), 0));
  }
  return sum;
}

bool WorkerMemory::exceeded() {
  const auto now = bytes();
  if (now <= limit_) {
    looks_over_ = 0;
    return false;
  }
  if (++looks_over_ > kLooks || now / 2 > limit_) {
    return true;
  }
  const std::lock_guard lock(mutex_);
  for (auto* worker : workers_) {
    worker->MemoryPressureNotification(v8::MemoryPressureLevel::kCritical);
  }
  return false;
}

}  // namespace svc::jsruntime
