#include "worker_memory.h"

#include <algorithm>

#include <fmt/format.h>

namespace svc::jsruntime {

namespace {

/// So often a collection may leave too much: some of it is freed on other threads, after the collection.
constexpr int kLooks = 2;

}  // namespace

void WorkerMemory::enter(v8::Isolate* isolate) {
  const std::lock_guard lock(mutex_);
  auto& worker = workers_.emplace_back(isolate);
  isolate->AddGCEpilogueCallback(noteCollection, &worker);
}

void WorkerMemory::leave(v8::Isolate* isolate) {
  const std::lock_guard lock(mutex_);
  const auto left = std::find_if(workers_.begin(), workers_.end(),
                                 [&](const Worker& worker) { return worker.isolate == isolate; });
  if (left != workers_.end()) {
    isolate->RemoveGCEpilogueCallback(noteCollection, &*left);
    workers_.erase(left);
  }
}

void WorkerMemory::noteCollection(v8::Isolate* isolate, v8::GCType /*type*/,
                                  v8::GCCallbackFlags /*flags*/, void* worker) {
  v8::HeapStatistics heap;
  isolate->GetHeapStatistics(&heap);
  static_cast<Worker*>(worker)->heap.store(heap.used_heap_size(), std::memory_order_relaxed);
}

bool WorkerMemory::takeShared(std::size_t bytes) {
  auto used = shared_.load(std::memory_order_relaxed);
  while (bytes <= buffer_limit_ && used <= buffer_limit_ - bytes) {
    if (shared_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed)) {
      return true;
    }
  }
  return false;
}

void WorkerMemory::giveShared(std::size_t bytes) {
  shared_.fetch_sub(bytes, std::memory_order_relaxed);
}

std::size_t WorkerMemory::heapBytes() const {
  std::size_t sum = 0;
  const std::lock_guard lock(mutex_);
  for (const auto& worker : workers_) {
    sum += worker.heap.load(std::memory_order_relaxed);
  }
  return sum;
}

std::size_t WorkerMemory::bufferBytes() const {
  std::size_t sum = shared_.load(std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  for (const auto& worker : workers_) {
    // Nothing is adjusted: of all that tells the amount this is what any thread may ask, it reads one atomic number.
    sum += static_cast<std::size_t>(
        std::max<std::int64_t>(worker.isolate->AdjustAmountOfExternalAllocatedMemory(0), 0));
  }
  return sum;
}

void WorkerMemory::terminateScripts() {
  const std::lock_guard lock(mutex_);
  for (const auto& worker : workers_) {
    worker.isolate->TerminateExecution();
  }
}

std::optional<std::string> WorkerMemory::exceeded() {
  const auto buffers = bufferBytes();
  const bool heaps_over = heapBytes() > heap_limit_;
  if (buffers <= buffer_limit_ && !heaps_over) {
    looks_over_ = 0;
    return std::nullopt;
  }
  if (++looks_over_ > kLooks || buffers / 2 > buffer_limit_ || heapBytes() / 2 > heap_limit_) {
    return heaps_over ? fmt::format(
                            "the heaps of worker threads together reached their limit of {} "
                            "MiB, which follows from plugins.heapMiB",
                            heap_limit_ >> 20U)
                      : fmt::format(
                            "the Buffers and SharedArrayBuffers of worker threads reached "
                            "their limit of {} MiB",
                            buffer_limit_ >> 20U);
  }
  const std::lock_guard lock(mutex_);
  for (const auto& worker : workers_) {
    worker.isolate->MemoryPressureNotification(v8::MemoryPressureLevel::kCritical);
  }
  return std::nullopt;
}

}  // namespace svc::jsruntime
