#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <vector>

#include <v8.h>

namespace svc::jsruntime {

/// What the worker_threads of one environment hold beside their heaps. Node gives each worker an allocator of its own without a
/// limit, so somebody has to look. Thread-safe.
class WorkerMemory {
 public:
  explicit WorkerMemory(std::size_t limit) : limit_(limit) {}

  /// A worker has begun, or is about to end. On its thread.
  void enter(v8::Isolate* isolate);
  void leave(v8::Isolate* isolate);

  /// Takes room for a SharedArrayBuffer, which V8 counts nowhere. False when there is none.
  [[nodiscard]] bool takeShared(std::size_t bytes);
  void giveShared(std::size_t bytes);

  [[nodiscard]] std::size_t limit() const { return limit_; }
  /// Buffers, WebAssembly and SharedArrayBuffers of all workers.
  [[nodiscard]] std::size_t bytes() const;

  /// Asked about once a second, on any thread. Over the limit the workers are told to collect first: true when that has not
  /// helped, or cannot help in time.
  [[nodiscard]] bool exceeded();

 private:
  const std::size_t limit_;
  mutable std::mutex mutex_;
  std::vector<v8::Isolate*> workers_;
  std::atomic<std::size_t> shared_{0};
  int looks_over_ = 0;
};

}  // namespace svc::jsruntime
