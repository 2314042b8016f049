#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <v8.h>

#include "svc/jsruntime/script_runtime.h"

#include "call.h"

namespace svc::jsruntime {

/// What the bridge needs of the environment around it. Called on the script thread.
class IBridgeOwner {
 public:
  virtual ~IBridgeOwner() = default;
  virtual std::shared_ptr<script::IScriptObserver> observer() = 0;
  /// A script asks to end the environment.
  virtual void endedByScript(script::TerminationReason reason, int code,
                             const std::string& message) = 0;
  /// Text and source map of a file that has been loaded, for stacks taken while the script is blocked.
  virtual void addSourceMap(std::string path, std::string map) = 0;
  /// Posts to this environment from any thread, also after it has ended.
  virtual std::function<void(Message*)> poster() = 0;
  /// The file that worker threads run first.
  [[nodiscard]] virtual std::string workerPrelude() const = 0;
  /// Whether an event loop that stands still is nobody's concern.
  virtual void pauseWatchdog(bool paused) = 0;
};

/// The answer to an asynchronous host function, on its way to the script.
class HostReply final : public Message {
 public:
  /// Whether a result is text or a Uint8Array to the script.
  enum class Kind : bool { kText, kBytes };
  HostReply(double id, Kind kind, Result<std::string> result)
      : id_(id), kind_(kind), result_(std::move(result)) {}
  void deliver(Bridge& bridge) override;
  void refuse(const std::string& /*why*/) override { delete this; }
  [[nodiscard]] std::size_t weight() const override { return result_ ? result_.value().size() : 0; }

 private:
  double id_;
  Kind kind_;
  Result<std::string> result_;
};

/// The boundary between C++ and the JavaScript of one environment: calls in, host functions out. Lives on the script
/// thread, inside the scopes of its isolate. The JavaScript half is js/bootstrap.ts.
class Bridge {
 public:
  Bridge(v8::Isolate* isolate, v8::Local<v8::Context> context, IBridgeOwner& owner);
  Bridge(const Bridge&) = delete;
  Bridge& operator=(const Bridge&) = delete;
  ~Bridge();

  /// Runs prelude and bootstrap.
  [[nodiscard]] Status boot(v8::Local<v8::Object> process, v8::Local<v8::Function> native_require);
  /// Gives the environment its identity, installs native extensions and evaluates the parts.
  [[nodiscard]] Status adopt(script::InstanceOptions options);

  void start(Call& call);
  void abort(Call& call);
  void settleHostCall(double id, HostReply::Kind kind, const Result<std::string>& result);
  /// After the microtasks of the calls started since the last time have run: answers those that are done.
  void finishBatch();
  /// Fails every call that has not been answered. Safe when V8 can no longer run.
  void failAll(const std::string& why);

  [[nodiscard]] v8::Isolate* isolate() const { return isolate_; }

 private:
  using Arguments = v8::FunctionCallbackInfo<v8::Value>;
  using Method = void (Bridge::*)(const Arguments&);
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  struct Native {
    std::string name;
    std::shared_ptr<script::INativeExtension> extension;
    v8::Global<v8::Object> exports;
  };

  [[nodiscard]] v8::Local<v8::Context> context() const { return context_.Get(isolate_); }
  template <Method method>  // NOLINT(readability-identifier-naming): a value, not a type
  void bind(v8::Local<v8::Object> target, std::string_view name);
  [[nodiscard]] v8::MaybeLocal<v8::Function> compile(std::string_view name, std::string_view source,
                                                     std::vector<v8::Local<v8::String>> parameters);
  /// Runs a CommonJS text and returns its default export.
  [[nodiscard]] v8::MaybeLocal<v8::Function> loadModuleText(std::string_view name,
                                                            std::string_view source);
  [[nodiscard]] Status evaluatePart(const script::ScriptPart& part);
  [[nodiscard]] Error caught(const v8::TryCatch& failure, std::string_view doing) const;
  [[nodiscard]] bool takeFunctions(v8::Local<v8::Object> boundary);

  [[nodiscard]] v8::MaybeLocal<v8::Value> bodyOf(Call& call);
  void answer(Call& call, v8::Local<v8::Value> value);
  void fail(Call& call, v8::Local<v8::Value> thrown);
  void complete(Call& call, Result<std::string> result);
  void callIntoScript(const v8::Global<v8::Function>& function, int count,
                      v8::Local<v8::Value>* arguments);
  void throwHostError(const Error& error);

  // Functions of the binding object that bootstrap.ts calls.
  void callSyncHost(const Arguments& arguments);
  void callAsyncHost(const Arguments& arguments);
  void transferHost(const Arguments& arguments);
  void quoteJson(const Arguments& arguments);
  void native(const Arguments& arguments);
  void handle(const Arguments& arguments);
  void resolved(const Arguments& arguments);
  void failed(const Arguments& arguments);
  void watchSignal(const Arguments& arguments);
  void log(const Arguments& arguments);
  void uncaught(const Arguments& arguments);
  void endEnvironment(const Arguments& arguments);
  void script(const Arguments& arguments);
  void sourceMap(const Arguments& arguments);
  void pauseWatchdog(const Arguments& arguments);

  v8::Isolate* isolate_;
  v8::Global<v8::Context> context_;
  IBridgeOwner& owner_;
  std::vector<script::HostFunction> functions_;
  std::vector<Native> natives_;
  std::unordered_map<std::string, v8::Global<v8::Function>, TextHash, std::equal_to<>> handlers_;
  CallTable calls_;
  std::vector<std::pair<std::uint64_t, v8::Local<v8::Promise>>>
      batch_;  // valid within one batch's handle scope

  // Functions of bootstrap.ts that C++ calls.
  v8::Global<v8::Function> dispatch_;
  v8::Global<v8::Function> watch_;
  v8::Global<v8::Function> coerce_;
  v8::Global<v8::Function> fail_;
  v8::Global<v8::Function> abort_;
  v8::Global<v8::Function> release_;
  v8::Global<v8::Function> settle_;
  v8::Global<v8::Function> host_error_;
  v8::Global<v8::Function> configure_;
  v8::Global<v8::Function> part_require_;
  v8::Global<v8::Object> runtime_;
  v8::Global<v8::Object> api_;
};

}  // namespace svc::jsruntime
