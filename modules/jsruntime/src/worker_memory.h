#pragma once

#include <atomic>
#include <cstddef>
#include <list>
#include <mutex>
#include <optional>
#include <string>

#include <v8.h>

namespace svc::jsruntime {

/// What the worker_threads of one environment hold together. Each has a heap limit of its own, and Node gives each an allocator of
/// its own without a limit, so somebody has to look at the sums. Thread-safe.
class WorkerMemory {
 public:
  /// In bytes: of their heaps, and of what they hold beside them.
  WorkerMemory(std::size_t heap_limit, std::size_t buffer_limit)
      : heap_limit_(heap_limit), buffer_limit_(buffer_limit) {}

  /// A worker has begun, or is about to end. On its thread.
  void enter(v8::Isolate* isolate);
  void leave(v8::Isolate* isolate);

  /// Takes room for a SharedArrayBuffer, which V8 counts nowhere. False when there is none.
  [[nodiscard]] bool takeShared(std::size_t bytes);
  void giveShared(std::size_t bytes);

  /// Heaps of all workers, each as its last collection has left it.
  [[nodiscard]] std::size_t heapBytes() const;
  /// Buffers, WebAssembly and SharedArrayBuffers of all workers.
  [[nodiscard]] std::size_t bufferBytes() const;

  /// Asked about once a second, on any thread. Over a limit the workers are told to collect first; when that has not helped, or
  /// cannot help in time: what has reached which limit.
  [[nodiscard]] std::optional<std::string> exceeded();
  /// Ends the script that each worker runs now. Node ends them one after the other, each when the one before has gone: until
  /// then the others would go on taking memory. Any thread.
  void terminateScripts();

 private:
  struct Worker {
    explicit Worker(v8::Isolate* of) : isolate(of) {}
    v8::Isolate* isolate;
    std::atomic<std::size_t> heap{0};  ///< after the last collection, of whatever kind
  };

  static void noteCollection(v8::Isolate* isolate, v8::GCType type, v8::GCCallbackFlags flags,
                             void* worker);

  const std::size_t heap_limit_;
  const std::size_t buffer_limit_;
  mutable std::mutex mutex_;
  std::list<Worker> workers_;
  std::atomic<std::size_t> shared_{0};
  int looks_over_ = 0;
};

}  // namespace svc::jsruntime
