#include "environment_script.h"

#include <malloc.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "blocking_work.h"
#include "file_opener.h"
#include "js_text.h"
#include "thread_binding.h"

namespace svc::jsruntime {

namespace {

/// Messages delivered between two turns of the event loop: enough to share one microtask run, few enough that timers
/// and sockets of the script get their turn.
constexpr int kMessagesPerTurn = 256;
/// Of large ones fewer: V8 frees nothing of what they bring before the end of the turn.
constexpr std::size_t kBytesPerTurn = 4UL << 20;
constexpr int kStackFrames = 16;

/// For what happens before the environment has an owner, and after.
class SilentObserver final : public script::IScriptObserver {
 public:
  void onUncaughtError(const script::ScriptError&, const std::string&) override {}
  void onConsole(const std::string&, const std::string&) override {}
  void onStall(std::chrono::milliseconds, const std::string&) override {}
  void onEnded(const script::Termination&) override {}
};

/// Of sockets, pipes and the like; an open file is no handle of the loop.
std::size_t descriptorsOf(uv_loop_t* loop) {
  std::size_t count = 0;
  uv_walk(
      loop,
      [](uv_handle_t* handle, void* sum) {
        uv_os_fd_t descriptor{};
        *static_cast<std::size_t*>(sum) += uv_fileno(handle, &descriptor) == 0 ? 1 : 0;
      },
      &count);
  return count;
}

}  // namespace

Environment::Script::Script(Environment& owner)
    : owner_(owner),
      // Memory of WebAssembly does not come from the allocator that counts, so it is watched; with room for text.
      memory_(owner_.beside_heap_bytes_),
      node_({.on_exit =
                 [this](int code) {
                   endedByScript(script::TerminationReason::kProcessExit, code, "");
                 },
             .on_heap_limit = [this] { endForMemory("the JavaScript heap", owner_.heap_bytes_); },
             .on_buffer_limit =
                 [this] { endForMemory("the memory of Buffers", owner_.buffer_bytes_); },
             .on_collected =
                 [this](std::size_t external_bytes) {
                   if (memory_.exceededAfterCollection(external_bytes)) {
                     endForMemoryBesideTheHeap(external_bytes);
                   }
                 },
             .on_fatal = [this](const std::string& what) { owner_.failOnFatal(what); }}) {}

Status Environment::Script::run() {
  if (auto status = node_.open(owner_.heap_bytes_, owner_.buffer_bytes_); !status) {
    return status;
  }
  compiled_.emplace(node_.isolate());
  auto status = node_.enter(
      "script", [this] { runLoop(); }, [this] { beforeFree(); });
  if (!status) {
    return status;
  }
  return std::move(failure_);
}

void Environment::Script::runLoop() {
  auto* isolate = node_.isolate();
  if (!waker().open(node_.loop(), [this] { runMessages(); })) {
    failure_ = Error{errc::kUnavailable, "the event loop cannot be woken: too many open files"};
    return;
  }
  {
    const std::lock_guard lock(owner_.mutex_);
    owner_.script_ = this;
  }
  if (!owner_.usable()) {
    return;
  }
  bridge_.emplace(isolate, isolate->GetCurrentContext(), *this);
  callback_resource_.Reset(isolate, v8::Object::New(isolate));
  node::AddLinkedBinding(node_.environment(), "svc_thread", enterThread, &owner_);
  const auto loaded = node::LoadEnvironment(
      node_.environment(),
      [this](const node::StartExecutionCallbackInfo& info) -> v8::MaybeLocal<v8::Value> {
        failure_ = bridge_->boot(info.process_object, info.native_require);
        return failure_ ? v8::Undefined(node_.isolate()).As<v8::Value>()
                        : v8::MaybeLocal<v8::Value>();
      });
  if (loaded.IsEmpty()) {
    return;
  }
  readMemory();
  waker().send();  // for what was posted before the loop could be woken
  const v8::SealHandleScope no_handles(isolate);
  [[maybe_unused]] const auto exit_code = node::SpinEventLoop(node_.environment());
}

void Environment::Script::runMessages() {
  if (owner_.answerPing()) {
    owner_.loop_descriptors_.store(descriptorsOf(node_.loop()), std::memory_order_relaxed);
    watchMemory();
    compiled_->shareWhenQuiet();
  }
  auto* isolate = node_.isolate();
  const v8::HandleScope handles(isolate);
  const v8::Context::Scope context_scope(isolate->GetCurrentContext());
  Turn turn{kMessagesPerTurn, kBytesPerTurn};
  while (owner_.usable()) {
    if (backlog_ == nullptr) {
      backlog_ = owner_.mailbox_.takeAll();
    }
    if (backlog_ == nullptr || turn.over()) {
      break;
    }
    deliverBatch(turn);
  }
  if (backlog_ != nullptr || !owner_.mailbox_.rest()) {
    waker().send();  // more to do, after the loop has turned
  }
}

void Environment::Script::deliverBatch(Turn& turn) {
  auto* isolate = node_.isolate();
  const v8::HandleScope handles(isolate);
  {
    const node::CallbackScope callback(isolate, callback_resource_.Get(isolate), {0, 0});
    while (backlog_ != nullptr && !turn.over() && owner_.usable()) {
      Message* message = std::exchange(backlog_, Mailbox::next(backlog_));
      --turn.messages;
      turn.bytes -= std::min(turn.bytes, message->weight());
      message->deliver(*bridge_);
    }
  }
  bridge_->finishBatch();
}

MemorySample Environment::Script::readMemory() {
  v8::HeapStatistics heap;
  node_.isolate()->GetHeapStatistics(&heap);
  owner_.heap_used_.store(heap.used_heap_size(), std::memory_order_relaxed);
  owner_.external_used_.store(heap.external_memory(), std::memory_order_relaxed);
  script::ScriptStats natives;
  for (const auto& native : owner_.natives()) {
    native.extension->report(natives);
  }
  return {.heap_bytes = heap.used_heap_size(),
          .external_bytes = heap.external_memory(),
          .native_bytes = natives.database_bytes,
          .cpu_percent = owner_.cpu_percent_.load(std::memory_order_relaxed)};
}

void Environment::Script::watchMemory() {
  switch (memory_.look(readMemory())) {
    case MemoryWatch::Advice::kNone:
      break;
    case MemoryWatch::Advice::kCollect:
      node_.isolate()->LowMemoryNotification();
      if (const auto left = readMemory(); memory_.exceeded(left)) {
        endForMemoryBesideTheHeap(left.external_bytes);
      }
      break;
    case MemoryWatch::Advice::kGiveBack:
      node_.isolate()->LowMemoryNotification();
      malloc_trim(0);
      memory_.gaveBack(readMemory());
      break;
  }
}

void Environment::Script::endForMemory(const char* what, std::size_t limit) {
  owner_.end({script::TerminationReason::kHeapLimit, 0,
              std::string(what) + " reached its limit of " + std::to_string(limit >> 20) + " MiB",
              ""});
}

void Environment::Script::endForMemoryBesideTheHeap(std::size_t used) {
  owner_.end({script::TerminationReason::kHeapLimit, 0,
              fmt::format("the memory of Buffers, WebAssembly and large texts reached its limit of "
                          "{} MiB: {} MiB are in use",
                          memory_.externalLimit() >> 20, used >> 20),
              ""});
}

void Environment::Script::enterThread(v8::Local<v8::Object> exports,
                                      v8::Local<v8::Value> /*module*/,
                                      v8::Local<v8::Context> context, void* owner) {
  auto& environment = *static_cast<Environment*>(owner);
  fillThreadBinding(context, exports, environment.descriptors_, environment.worker_memory_,
                    environment.threads_, environment);
  BlockingWork::attach(context->GetIsolate(), environment.blocking_,
                       [&environment](bool may_fail) { environment.onBlockingFull(may_fail); });
  addFileOpener(context, exports, environment.descriptors_);
  if (!environment.threads_.enter()) {
    return;
  }
  auto* isolate = context->GetIsolate();
  environment.worker_memory_.enter(isolate);
  node::AddEnvironmentCleanupHook(
      isolate,
      [](void* self) {
        static_cast<Environment*>(self)->worker_memory_.leave(v8::Isolate::GetCurrent());
        static_cast<Environment*>(self)->descriptors_.closeOfThisThread();
        static_cast<Environment*>(self)->threads_.leave();
      },
      owner);
  NodeIsolate::containFatalErrors(
      isolate, [&environment](const std::string& what) { environment.failOnFatalInWorker(what); });
}

void Environment::Script::beforeFree() {
  {
    const std::lock_guard lock(owner_.mutex_);
    owner_.script_ = nullptr;
  }
  waker().close();
  failAll();
  owner_.endChildProcesses();
  bridge_.reset();  // native extensions let go of what they hold even when the rest cannot be freed
  callback_resource_.Reset();
  compiled_.reset();
  if (owner_.worker_lost_.load()) {
    owner_.park();
  }
}

void Environment::Script::failAll() {
  const auto why = owner_.endMessage();
  for (Message* rest : {std::exchange(backlog_, nullptr), owner_.mailbox_.close()}) {
    while (rest != nullptr) {
      std::exchange(rest, Mailbox::next(rest))->refuse(why);
    }
  }
  if (bridge_) {
    bridge_->failAll(why);
  }
}

void Environment::Script::stop() { node::Stop(node_.environment()); }

void Environment::Script::interruptForStack() {
  node_.isolate()->RequestInterrupt(
      [](v8::Isolate* /*isolate*/, void* self) {
        auto& script = *static_cast<Script*>(self);
        auto stack = script.describeStack();
        const std::lock_guard lock(script.owner_.mutex_);
        script.owner_.stack_ = std::move(stack);
        script.owner_.stack_taken_ = true;
      },
      this);
}

std::string Environment::Script::describeStack() const {
  auto* isolate = node_.isolate();
  const v8::HandleScope handles(isolate);
  const auto trace =
      v8::StackTrace::CurrentStackTrace(isolate, kStackFrames, v8::StackTrace::kDetailed);
  std::string text;
  for (int at = 0; at < trace->GetFrameCount(); ++at) {
    const auto frame = trace->GetFrame(isolate, static_cast<std::uint32_t>(at));
    const auto function = frame->GetFunctionName();
    const auto file = frame->GetScriptName();
    text += (function.IsEmpty() ? "" : textOf(isolate, function)) + '\t' +
            (file.IsEmpty() ? "" : textOf(isolate, file)) + '\t' +
            std::to_string(frame->GetLineNumber()) + '\t' + std::to_string(frame->GetColumn()) +
            '\n';
  }
  return text;
}

std::shared_ptr<script::IScriptObserver> Environment::Script::observer() {
  static const auto silent = std::make_shared<SilentObserver>();
  auto observer = owner_.observer();
  return observer ? observer : silent;
}

void Environment::Script::endedByScript(script::TerminationReason reason, int code,
                                        const std::string& message) {
  owner_.end(
      {reason, code,
       message.empty() ? "the script called process.exit(" + std::to_string(code) + ")" : message,
       ""});
}

void Environment::Script::addSourceMap(std::string path, std::string map) {
  const std::lock_guard lock(owner_.mutex_);
  owner_.source_maps_.emplace_back(std::move(path), std::move(map));
}

std::function<void(Message*)> Environment::Script::poster() {
  return [owner = owner_.shared_from_this()](Message* message) { owner->post(message); };
}

}  // namespace svc::jsruntime
