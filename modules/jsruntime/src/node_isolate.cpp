#include "node_isolate.h"

#include <malloc.h>

#include <filesystem>
#include <fstream>
#include <utility>

#include "blocking_work.h"
#include "buffer_allocator.h"
#include "node_process.h"

#if NODE_MAJOR_VERSION >= 22

namespace node {

// Not in the public headers: NewIsolate() of those takes no limit of the heap.
struct SnapshotData {
  static const SnapshotData* FromEmbedderWrapper(const EmbedderSnapshotData* data);
};
v8::Isolate* NewIsolate(v8::Isolate::CreateParams* params, uv_loop_t* loop,
                        MultiIsolatePlatform* platform, const SnapshotData* snapshot,
                        const IsolateSettings& settings);

}  // namespace node

#endif

namespace svc::jsruntime {

namespace {

/// What V8 may still allocate while the environment is being stopped for its heap limit. A native operation that
/// cannot be interrupted (a huge JSON.parse) asks several times.
constexpr std::size_t kHeapSlack = 16UL << 20;

/// Young objects are beside the limit of the heap. A newer V8 would give them four times as much.
constexpr std::size_t kYoungBytes = 48UL << 20;

/// V8's handlers for fatal errors carry no data: they are those of the isolate of this thread.
thread_local std::function<void(const std::string& what)> on_fatal_here;
/// The fatal error was no more than a heap without room.
thread_local bool heap_full_here = false;

/// Whether a thread of V8's CPU profiler looks at some isolate.
bool profilerRuns() {
  std::error_code ignored;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
    std::string name;
    if (std::ifstream(thread.path() / "comm") >> name && name.starts_with("v8:Prof")) {
      return true;
    }
  }
  return false;
}

#if NODE_MAJOR_VERSION >= 22

/// Node's own, from which every environment begins; empty in a Node that is built without.
const node::EmbedderSnapshotData* snapshot() {
  static const auto data = node::EmbedderSnapshotData::BuiltinSnapshotData();
  return data.get();
}

v8::Isolate* makeIsolate(node::MultiIsolatePlatform& platform, uv_loop_t* loop,
                         v8::Isolate::CreateParams& params) {
  return node::NewIsolate(&params, loop, &platform,
                          node::SnapshotData::FromEmbedderWrapper(snapshot()), {});
}

node::IsolateData* makeIsolateData(node::MultiIsolatePlatform& platform, v8::Isolate* isolate,
                                   uv_loop_t* loop, node::ArrayBufferAllocator& allocator) {
  return node::CreateIsolateData(isolate, loop, &platform, &allocator, snapshot());
}

bool hasSnapshot() { return node::SnapshotData::FromEmbedderWrapper(snapshot()) != nullptr; }

#else

v8::Isolate* makeIsolate(node::MultiIsolatePlatform& platform, uv_loop_t* loop,
                         v8::Isolate::CreateParams& params) {
  auto* const isolate = v8::Isolate::Allocate();
  platform.RegisterIsolate(isolate, loop);
  v8::Isolate::Initialize(isolate, params);
  node::SetIsolateUpForNode(isolate);
  return isolate;
}

node::IsolateData* makeIsolateData(node::MultiIsolatePlatform& platform, v8::Isolate* isolate,
                                   uv_loop_t* loop, node::ArrayBufferAllocator& allocator) {
  return node::CreateIsolateData(isolate, loop, &platform, &allocator);
}

bool hasSnapshot() { return false; }

#endif

void disposeOf(node::MultiIsolatePlatform& platform, v8::Isolate* isolate) {
#if NODE_MAJOR_VERSION >= 24
  platform.DisposeIsolate(isolate);
#else
  platform.UnregisterIsolate(isolate);
  isolate->Dispose();
#endif
}

}  // namespace

template <bool running>  // NOLINT(readability-identifier-naming): a value, not a type
void NodeIsolate::noteCollection(v8::Isolate* isolate, v8::GCType type,
                                 v8::GCCallbackFlags /*flags*/, void* self) {
  auto& node = *static_cast<NodeIsolate*>(self);
  node.collecting_ = running;
  if (!running && type == v8::kGCTypeMarkSweepCompact) {
    v8::HeapStatistics heap;
    isolate->GetHeapStatistics(&heap);
    node.events_.on_collected(heap.external_memory());
  }
}

Status NodeIsolate::open(std::size_t heap_bytes, std::size_t buffer_bytes) {
  const auto& process = NodeProcess::instance();
  if (!process) {
    return process.error();
  }
  auto& platform = process.value()->platform();
  if (uv_loop_init(&loop_) != 0) {
    return Error{errc::kUnavailable,
                 "an event loop cannot be created: too many open files or out of memory"};
  }
  loop_open_ = true;
  allocator_ = node::ArrayBufferAllocator::Create();
  v8::Isolate::CreateParams params;
  params.array_buffer_allocator_shared =
      makeBufferAllocator(allocator_, buffer_bytes, [this] { events_.on_buffer_limit(); });
  params.constraints.set_max_old_generation_size_in_bytes(heap_bytes);
  params.constraints.set_max_young_generation_size_in_bytes(kYoungBytes);
  isolate_ = makeIsolate(platform, &loop_, params);
  isolate_->AddNearHeapLimitCallback(nearHeapLimit, this);
  isolate_->AddGCPrologueCallback(noteCollection<true>, this);
  isolate_->AddGCEpilogueCallback(noteCollection<false>, this);
  containFatalErrors(isolate_, events_.on_fatal);
  return {};
}

Status NodeIsolate::enter(const std::string& name, const std::function<void()>& body,
                          const std::function<void()>& before_free) {
  const v8::Locker locker(isolate_);
  const v8::Isolate::Scope isolate_scope(isolate_);
  std::optional<v8::HandleScope> handles(std::in_place, isolate_);
  handles_ = &handles;
  const auto context = createEnvironment(name);
  if (!context) {
    return context.error();
  }
  const v8::Context::Scope context_scope(context.value());
  node::SetProcessExitHandler(environment_,
                              [this](node::Environment*, int code) { events_.on_exit(code); });
  body();
  before_free();
  node::FreeEnvironment(std::exchange(environment_, nullptr));
  node::FreeIsolateData(std::exchange(isolate_data_, nullptr));
  return {};
}

Result<v8::Local<v8::Context>> NodeIsolate::createEnvironment(const std::string& name) {
  isolate_data_ =
      makeIsolateData(NodeProcess::instance().value()->platform(), isolate_, &loop_, *allocator_);
  const bool from_snapshot = hasSnapshot();
  const auto context = from_snapshot ? v8::Local<v8::Context>() : node::NewContext(isolate_);
  if (from_snapshot || !context.IsEmpty()) {
    std::optional<v8::Context::Scope> scope;
    if (!from_snapshot) {
      scope.emplace(context);
    }
    // Not kOwnsProcessState: working directory, signals and title stay the server's. Not kTrackUnmanagedFds: Node closes
    // by number what it believes to be open still, and that number may be somebody else's.
    environment_ = node::CreateEnvironment(isolate_data_, context, {"svcd", name}, {},
                                           node::EnvironmentFlags::kNoNativeAddons);
  }
  if (environment_ == nullptr) {
    node::FreeIsolateData(std::exchange(isolate_data_, nullptr));
    return Error{errc::kUnavailable, "a Node environment cannot be created"};
  }
#if NODE_MAJOR_VERSION >= 22
  if (from_snapshot) {
    containFatalErrors(isolate_, events_.on_fatal);  // Node has set handlers of its own
    // What Node returns is its own handle, which ends with the environment.
    return v8::Local<v8::Context>::New(isolate_, node::GetMainContext(environment_));
  }
#endif
  return context;
}

void NodeIsolate::disposeIsolate() {
  if (isolate_ != nullptr) {
    auto& platform = NodeProcess::instance().value()->platform();
    bool finished = false;
    platform.AddIsolateFinishedCallback(
        isolate_, [](void* flag) { *static_cast<bool*>(flag) = true; }, &finished);
    disposeOf(platform, isolate_);
    while (!finished) {
      uv_run(&loop_, UV_RUN_ONCE);
    }
    isolate_ = nullptr;
  }
  if (loop_open_) {
    uv_run(&loop_, UV_RUN_NOWAIT);
    uv_loop_close(&loop_);
    loop_open_ = false;
  }
  on_fatal_here = nullptr;
}

bool NodeIsolate::freeGivenUpHeap() {
  // Otherwise a collection is half done, V8 is in an unknown state, or threads read and write what would be freed.
  if (!heap_full_here || collecting_ || loop_.active_reqs.count > 0 ||
      (BlockingWork::current() != nullptr && BlockingWork::current()->pending()) ||
      profilerRuns()) {
    return false;
  }
  handles_->reset();  // a native function may have made millions
  while (v8::Isolate::TryGetCurrent() == isolate_) {
    isolate_->Exit();
  }
  disposeOf(NodeProcess::instance().value()->platform(), isolate_);
  malloc_trim(0);
  return true;
}

void NodeIsolate::fatalCheck() {
  if (on_fatal_here) {
    on_fatal_here("the engine refuses to go on (its message is on the server's stderr)");
  }
}

void NodeIsolate::containFatalErrors(v8::Isolate* isolate,
                                     std::function<void(const std::string& what)> on_fatal) {
  on_fatal_here = std::move(on_fatal);
#if NODE_MAJOR_VERSION < 20
  isolate->SetOOMErrorHandler(outOfMemory);
#else
  isolate->SetOOMErrorHandler([](const char* location, const v8::OOMDetails& details) {
    outOfMemory(location, details.is_heap_oom);
  });
#endif
  isolate->SetFatalErrorHandler(fatalError);
}

std::size_t NodeIsolate::nearHeapLimit(void* self, std::size_t current, std::size_t /*initial*/) {
  static_cast<NodeIsolate*>(self)->events_.on_heap_limit();
  return current + kHeapSlack;
}

void NodeIsolate::outOfMemory(const char* location, bool is_heap_oom) {
  heap_full_here = is_heap_oom;
  fatalError(location, is_heap_oom ? "the JavaScript heap is full" : "out of memory");
}

void NodeIsolate::fatalError(const char* location, const char* message) {
  if (!on_fatal_here) {
    std::abort();  // not a script thread: nothing to contain it in
  }
  on_fatal_here(std::string(message != nullptr ? message : "fatal error") + " (" +
                (location != nullptr ? location : "unknown place") + ")");
  std::abort();
}

}  // namespace svc::jsruntime
