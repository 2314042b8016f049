#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <node.h>
#include <uv.h>

#include "svc/kernel/result.h"

namespace svc::jsruntime {

/// What an isolate tells its owner. Called on the script thread.
struct IsolateEvents {
  /// process.exit() and friends.
  std::function<void(int code)> on_exit;
  /// The heap is nearly full. The owner stops the environment.
  std::function<void()> on_heap_limit;
  /// The same for the memory of ArrayBuffers.
  std::function<void()> on_buffer_limit;
  /// V8 has collected the whole heap; `external_bytes` are left beside it. Inside the collection.
  std::function<void(std::size_t external_bytes)> on_collected;
  /// V8 cannot go on (`what` says why). Must not return.
  std::function<void(const std::string& what)> on_fatal;
};

/// One uv loop, isolate, context and Node environment, in the order Node wants them. Lives on the script thread.
/// Its V8 parts need an entered locker and scopes: see enter().
class NodeIsolate {
 public:
  explicit NodeIsolate(IsolateEvents events) : events_(std::move(events)) {}
  NodeIsolate(const NodeIsolate&) = delete;
  NodeIsolate& operator=(const NodeIsolate&) = delete;
  ~NodeIsolate() { disposeIsolate(); }

  [[nodiscard]] Status open(std::size_t heap_bytes, std::size_t buffer_bytes);
  /// Calls `on_fatal` on this thread, which must not return from it, when V8 cannot go on in `isolate`.
  static void containFatalErrors(v8::Isolate* isolate,
                                 std::function<void(const std::string& what)> on_fatal);
  /// Creates context and environment, then runs `body` inside all scopes, then frees the environment.
  [[nodiscard]] Status enter(const std::string& name, const std::function<void()>& body,
                             const std::function<void()>& before_free);

  /// Frees the heap of an isolate that V8 has given up because it was full. On its thread, which never returns to the frames
  /// that stand on it. False when that is not safe: then it stays.
  [[nodiscard]] bool freeGivenUpHeap();
  /// V8 is about to abort the process for a check that failed on this thread. Returns on threads that are not contained.
  static void fatalCheck();

  [[nodiscard]] uv_loop_t* loop() { return &loop_; }
  [[nodiscard]] v8::Isolate* isolate() const { return isolate_; }
  [[nodiscard]] node::Environment* environment() const { return environment_; }

 private:
  [[nodiscard]] Result<v8::Local<v8::Context>> createEnvironment(const std::string& name);
  void disposeIsolate();
  template <bool running>  // NOLINT(readability-identifier-naming): a value, not a type
  static void noteCollection(v8::Isolate* isolate, v8::GCType type, v8::GCCallbackFlags flags,
                             void* self);
  static std::size_t nearHeapLimit(void* self, std::size_t current, std::size_t initial);
  static void outOfMemory(const char* location, bool is_heap_oom);
  static void fatalError(const char* location, const char* message);

  IsolateEvents events_;
  uv_loop_t loop_{};
  bool loop_open_ = false;
  bool collecting_ = false;
  std::optional<v8::HandleScope>* handles_ = nullptr;  // the outermost one, while enter() runs
  std::shared_ptr<node::ArrayBufferAllocator> allocator_;
  v8::Isolate* isolate_ = nullptr;
  node::IsolateData* isolate_data_ = nullptr;
  node::Environment* environment_ = nullptr;
};

}  // namespace svc::jsruntime
