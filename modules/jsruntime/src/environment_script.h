#pragma once

#include <memory>
#include <optional>
#include <string>

#include "bridge.h"
#include "compiled_scripts.h"
#include "environment.h"
#include "memory_watch.h"
#include "node_isolate.h"
#include "waker.h"

namespace svc::jsruntime {

/// The half of an Environment that touches V8. Lives on the script thread; stop() and interrupt() are for any thread
/// while Environment::script_ points here.
class Environment::Script final : public IBridgeOwner {
 public:
  explicit Script(Environment& owner);

  /// Runs the environment from beginning to end.
  [[nodiscard]] Status run();
  void stop();
  void interruptForStack();
  void failAll();
  [[nodiscard]] bool freeGivenUpHeap() { return node_.freeGivenUpHeap(); }

  // IBridgeOwner
  std::shared_ptr<script::IScriptObserver> observer() override;
  void endedByScript(script::TerminationReason reason, int code,
                     const std::string& message) override;
  void addSourceMap(std::string path, std::string map) override;
  std::function<void(Message*)> poster() override;
  std::string workerPrelude() const override { return owner_.worker_prelude_; }
  void pauseWatchdog(bool paused) override { owner_.pauseWatchdog(paused); }

 private:
  /// What may still be delivered before the event loop turns.
  struct Turn {
    int messages;
    std::size_t bytes;
    [[nodiscard]] bool over() const { return messages == 0 || bytes == 0; }
  };

  /// What the prelude of each thread asks for first. A worker thread of the environment has come then: it is counted, its
  /// fatal errors are contained.
  static void enterThread(v8::Local<v8::Object> exports, v8::Local<v8::Value> module,
                          v8::Local<v8::Context> context, void* owner);
  void runLoop();
  void runMessages();
  /// Delivers messages with one run of microtasks, as far as the turn allows.
  void deliverBatch(Turn& turn);
  void beforeFree();
  MemorySample readMemory();
  /// Collects garbage when memory is short or nothing else is going on; ends the environment when that does not help.
  void watchMemory();
  void endForMemory(const char* what, std::size_t limit);
  void endForMemoryBesideTheHeap(std::size_t used);
  [[nodiscard]] std::string describeStack() const;
  [[nodiscard]] Waker& waker() { return *owner_.waker_; }

  Environment& owner_;
  MemoryWatch memory_;
  NodeIsolate node_;
  std::optional<CompiledScripts> compiled_;
  std::optional<Bridge> bridge_;
  v8::Global<v8::Object> callback_resource_;
  Message* backlog_ = nullptr;  // taken from the mailbox, not delivered yet
  Status failure_;
};

}  // namespace svc::jsruntime
