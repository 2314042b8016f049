#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "svc/kernel/completion.h"
#include "svc/kernel/service_id.h"

namespace v8 {
class Context;
class Isolate;
class Object;
template <class T>
class Local;
}  // namespace v8

namespace svc::errc {
/// Nothing in the script handles the invoked name.
inline constexpr Errc kUnknownFunction{"unknown_function"};
}  // namespace svc::errc

namespace svc::script {

/// A function of the host that scripts call by name with JSON text. A synchronous one answers at once on the script
/// thread; an asynchronous one answers through its completion from any thread. Error codes reach the script as
/// `error.code`. "" as argument or result is `undefined`. One that transfers takes bytes beside the text and answers with
/// bytes (a Uint8Array in the script); it is asynchronous.
struct HostFunction {
  std::string name;  ///< "kv.get"
  /// Exactly one is set. All are called on the script thread, in the order of the script's calls, and must not block it.
  UniqueFunction<Result<std::string>(std::string argument)> sync{};
  UniqueFunction<void(std::string argument, Completion<std::string> done)> async{};
  UniqueFunction<void(std::string argument, std::string bytes, Completion<std::string> done)>
      transfer{};
};

/// A list of them: hostFunctions({{.name = …, .sync = …}, …}).
template <std::size_t count>
[[nodiscard]] std::vector<HostFunction> hostFunctions(HostFunction (&&list)[count]) {
  return {std::make_move_iterator(std::begin(list)), std::make_move_iterator(std::end(list))};
}

struct ScriptStats;

/// Functions of the host in V8's own terms, for what JSON text is too slow or too poor for. One object per environment;
/// a module that implements it links the same libnode. Nothing may be thrown through V8.
class INativeExtension {
 public:
  virtual ~INativeExtension() = default;
  /// Fills the object that parts get with `runtime.native(name)`. Once, before the first part is evaluated, on the script
  /// thread inside the scopes of the isolate.
  virtual void install(v8::Isolate* isolate, v8::Local<v8::Context> context,
                       v8::Local<v8::Object> exports) = 0;
  /// The environment is being ended: what runs in here, and whatever starts from now on, returns soon. Any thread,
  /// at any time; must not block. Not called when the environment ends by itself.
  virtual void interrupt() = 0;
  /// Adds what it holds for the environment. Any thread, as long as the extension lives.
  virtual void report(ScriptStats& stats) const { static_cast<void>(stats); }
  /// Releases what belongs to the isolate. The last call, where install() was called; no JavaScript runs any more.
  virtual void close() = 0;
};

struct NativeExtension {
  std::string name;
  std::shared_ptr<INativeExtension> extension;
};

/// One piece of host JavaScript, evaluated in order before any other code: a CommonJS module text whose export
/// `default(runtime, api)` extends the shared `api` object. See modules/jsruntime/js/runtime.d.ts.
struct ScriptPart {
  std::string name;         ///< shown in stacks as svc:<name>
  std::string_view source;  ///< static storage
};

struct ScriptLimits {
  /// JavaScript objects of the main thread, and of each worker thread. All worker threads together may have kWorkerShare times as
  /// much.
  std::size_t heap_bytes = 512UL * 1024 * 1024;
  /// How long the event loop may not answer before onStall is reported, and before it is terminated.
  std::chrono::milliseconds watchdog{10'000};
  std::chrono::milliseconds terminate{30'000};
  /// Worker threads and open descriptors at a time; 0 is no limit. Starting a thread and opening a file fail beyond them.
  std::size_t worker_threads = 0;
  std::size_t descriptors = 0;
  /// What databases may allocate; 0 is no limit. The runtime has none: the extension that makes them sees to it.
  std::size_t database_bytes = 0;
  /// ArrayBuffers and Buffers beside the heap; 0 is kBufferShare times the heap. WebAssembly and large texts have as much as the heap beside them.
  std::size_t buffer_bytes = 0;

  static constexpr std::size_t kBufferShare = 2;
  static constexpr std::size_t kWorkerShare = 2;
  [[nodiscard]] std::size_t bufferBytes() const {
    return buffer_bytes != 0 ? buffer_bytes : heap_bytes * kBufferShare;
  }
  /// Buffers, WebAssembly and large texts together.
  [[nodiscard]] std::size_t besideHeapBytes() const { return bufferBytes() + heap_bytes; }
  [[nodiscard]] std::size_t workerHeapBytes() const { return heap_bytes * kWorkerShare; }
};

/// A failure of script code, with a stack mapped to the source the author wrote.
struct ScriptError {
  std::string name;  ///< "TypeError"
  std::string message;
  std::string stack;    ///< may be empty
  std::string code;     ///< error.code when it is a string
  std::string details;  ///< JSON object text or empty
};

enum class TerminationReason : std::uint8_t {
  kRequested,     ///< terminate() or end of the owner
  kProcessExit,   ///< process.exit(), process.reallyExit()
  kProcessAbort,  ///< process.abort()
  kSignal,        ///< a signal the script sent to its own process
  kHeapLimit,
  kWatchdog,
  kBootstrapFailed,
};

struct Termination {
  TerminationReason reason = TerminationReason::kRequested;
  int exit_code = 0;
  std::string message;  ///< one sentence for people
  std::string stack;    ///< blocking or allocating JS stack when known
};

/// The message of `plugin_not_running` when an environment ended without a fault: otherwise it is that of its Termination.
inline constexpr const char* kEnvironmentEnded = "the environment has ended";

/// What happens outside of calls. Called on the script thread or the watchdog thread; must be quick.
class IScriptObserver {
 public:
  virtual ~IScriptObserver() = default;
  /// `origin`: "timer" for uncaught exceptions out of any callback, "rejection" for detached rejections.
  virtual void onUncaughtError(const ScriptError& error, const std::string& origin) = 0;
  /// console.* and the standard streams. `level`: "debug", "info", "warn", "error".
  virtual void onConsole(const std::string& level, const std::string& text) = 0;
  /// An invocation is about to answer with an error that the script did not make with runtime.error(): the failure with
  /// its stack, for logs and records. `meta` is that of the invocation. Script thread, before the call's `done` fires.
  virtual void onHandlerError(const ScriptError& error, const std::string& function,
                              const std::string& meta) {
    static_cast<void>(error), static_cast<void>(function), static_cast<void>(meta);
  }
  /// The event loop has not answered for `watchdog`; `stack` is the blocking JS stack when known.
  virtual void onStall(std::chrono::milliseconds blocked_for, const std::string& stack) = 0;
  /// The environment is ending or has ended; the last call. Every pending invocation has failed before it, unless the
  /// thread was given up because it stays in native code: then they fail when it returns, which may be never.
  virtual void onEnded(const Termination& termination) = 0;
};

struct ScriptStats {
  /// Its thread, its worker threads, and those that read files, ask for names and compute for it.
  std::uint64_t cpu_ms = 0;
  double cpu_percent = 0;        ///< of one core, over the last second or so
  double loop_delay_p99_ms = 0;  ///< of the last two minutes
  std::size_t heap_bytes = 0;
  std::size_t external_bytes = 0;
  std::size_t pending_calls = 0;
  std::size_t worker_threads = 0;
  /// On files and names, of cryptography and compression, that run or wait for a thread.
  std::size_t blocking_operations = 0;
  /// Files of all its threads; sockets and pipes of its own thread a second or so ago.
  std::size_t descriptors = 0;
  std::size_t database_bytes = 0;  ///< what SQLite holds
  std::size_t database_connections = 0;
  /// It has ended for everybody else, but its thread has not returned, and so its memory is still there.
  bool parked = false;
};

/// Options of one environment.
struct InstanceOptions {
  std::string name;                 ///< thread and log name, for example "todo#3"
  std::filesystem::path root;       ///< root directory of the code: module resolution starts here
  std::filesystem::path cache_dir;  ///< where build results may be kept; created when needed
  std::map<std::string, std::string> environment;  ///< added to a copy of the process environment
  ScriptLimits limits;
  std::vector<ScriptPart> parts;
  std::vector<HostFunction> functions;
  std::vector<NativeExtension> natives{};
  std::shared_ptr<IScriptObserver> observer;
};

/// One call into a script. `meta` and `body` reach the handler as strings, unparsed; a binary body as a Uint8Array.
struct Invocation {
  std::string function;  ///< a name registered with runtime.handle()
  std::string meta;
  std::string body;
  std::stop_token stop{};  ///< aborts the `signal` of the call; the call still answers
  bool binary = false;     ///< the body is bytes, not text
};

/// One isolate + Node environment on its own thread. Thread-safe. Destroying it terminates the environment and
/// returns at once; the thread cleans up by itself.
class IScriptInstance {
 public:
  virtual ~IScriptInstance() = default;
  /// The result is the string the handler returned ("" for undefined). Errors: one made with runtime.error() answers
  /// with its code when that is a declared one, its message, details and issues; every other thrown value answers
  /// `handler_error` with its message and details {code?, retryable?}. `unknown_function` when nothing handles the name;
  /// `overloaded` beyond 65,536 calls at a time; `plugin_not_running` when the environment ended. `done` fires on the
  /// script thread, or on the caller's when the call is not taken.
  virtual void invoke(Invocation invocation, Completion<std::string> done) = 0;
  /// Ends the environment: running JavaScript is interrupted, pending calls fail, child processes get SIGTERM. Fires
  /// when the thread has gone or was given up. May be called more than once.
  virtual void terminate(std::string why, Completion<void> done) = 0;
  [[nodiscard]] virtual ScriptStats stats() const = 0;
};

/// Creates environments. No policy: who may run what, when and for how long is the caller's business. Thread-safe.
class IScriptRuntime {
 public:
  static constexpr ServiceId kId{"svc.jsruntime.ScriptRuntime", 1};
  virtual ~IScriptRuntime() = default;
  /// Fires when every part has been evaluated, on the script thread. The author's code is not loaded yet: the parts do
  /// that (`runtime.loadModule(path)`), typically inside an invocation.
  virtual void create(InstanceOptions options,
                      Completion<std::shared_ptr<IScriptInstance>> done) = 0;
  /// Of the Node.js in which scripts run: `18.20.4`. Empty when there is none. Any thread.
  [[nodiscard]] virtual std::string nodeVersion() const { return {}; }
};

}  // namespace svc::script
