#include "file_opener.h"

#include <unistd.h>

#include <memory>
#include <string>

#include <node.h>
#include <node_buffer.h>
#include <uv.h>

#include "descriptor_table.h"
#include "interruptible_open.h"
#include "js_text.h"

namespace svc::jsruntime {

namespace {

using Arguments = v8::FunctionCallbackInfo<v8::Value>;

/// What the opens of one thread share. Lives until the thread has ended and none is under way.
class Opener {
 public:
  Opener(v8::Isolate* isolate, DescriptorTable& descriptors)
      : isolate_(isolate),
        descriptors_(descriptors),
        hook_(node::AddEnvironmentCleanupHook(isolate, end, this)) {}
  Opener(const Opener&) = delete;
  Opener& operator=(const Opener&) = delete;
  ~Opener() = default;

  [[nodiscard]] v8::Isolate* isolate() const { return isolate_; }
  [[nodiscard]] bool ending() const { return ended_ != nullptr; }
  void begun() { ++under_way_; }
  /// A number that nobody asks for any more is closed at once.
  void finished(ssize_t result) {
    --under_way_;
    if (result >= 0 && ending()) {
      ::close(static_cast<int>(result));
    } else if (result >= 0) {
      descriptors_.set(static_cast<int>(result), DescriptorTable::Holder::kNumber);
    }
  }
  void goOn() {
    if (ending() && under_way_ == 0) {
      const auto ended = ended_;
      auto* argument = ended_argument_;
      delete this;
      ended(argument);
    }
  }

 private:
  /// Node runs the loop until `ended` is called.
  static void end(void* self, void (*ended)(void*), void* argument) {
    auto& opener = *static_cast<Opener*>(self);
    opener.ended_ = ended;
    opener.ended_argument_ = argument;
    opener.goOn();
  }

  v8::Isolate* isolate_;
  DescriptorTable& descriptors_;
  std::size_t under_way_ = 0;
  void (*ended_)(void*) = nullptr;
  void* ended_argument_ = nullptr;
  node::AsyncCleanupHookHandle hook_;
};

struct PendingOpen {
  Opener* opener = nullptr;
  std::string path;
  v8::Global<v8::Object> request;
  v8::Global<v8::Context> context;
#if NODE_MAJOR_VERSION >= 24
  v8::Global<v8::Value> frame;  // what AsyncLocalStorage has of whoever asks
#endif
};

double asyncId(v8::Local<v8::Context> context, v8::Local<v8::Object> request, const char* getter) {
  v8::Local<v8::Value> function;
  v8::Local<v8::Value> id;
  auto* isolate = context->GetIsolate();
  return request->Get(context, literal(isolate, getter)).ToLocal(&function) &&
                 function->IsFunction() &&
                 function.As<v8::Function>()->Call(context, request, 0, nullptr).ToLocal(&id)
             ? id->NumberValue(context).FromMaybe(0)
             : 0;
}

#if NODE_MAJOR_VERSION >= 24
/// (oncomplete, frame, answers…): MakeCallback() itself calls without a frame, and puts back what there was.
void completeInFrame(const Arguments& arguments) {
  constexpr int kOwn = 2;
  auto* isolate = arguments.GetIsolate();
  isolate->SetContinuationPreservedEmbedderData(arguments[1]);
  v8::Local<v8::Value> answer[] = {arguments[kOwn], arguments[kOwn + 1]};
  // What it throws goes on to MakeCallback().
  static_cast<void>(
      arguments[0]
          .As<v8::Function>()
          ->Call(isolate->GetCurrentContext(), arguments.This(), arguments.Length() - kOwn, answer)
          .IsEmpty());
}
#endif

void tell(const PendingOpen& open, ssize_t result) {
  auto* isolate = open.opener->isolate();
  const v8::HandleScope handles(isolate);
  const auto context = open.context.Get(isolate);
  const v8::Context::Scope scope(context);
  const auto request = open.request.Get(isolate);
  v8::Local<v8::Value> oncomplete;
  // A script that is being ended runs no more; the table has its number.
  if (isolate->IsExecutionTerminating() ||
      !request->Get(context, literal(isolate, "oncomplete")).ToLocal(&oncomplete) ||
      !oncomplete->IsFunction()) {
    return;
  }
  const node::async_context identity{asyncId(context, request, "getAsyncId"),
                                     asyncId(context, request, "getTriggerAsyncId")};
  const bool failed = result < 0;
  v8::Local<v8::Value> answer[] = {
      failed ? node::UVException(isolate, static_cast<int>(result), "open", nullptr,
                                 open.path.c_str(), nullptr)
             : v8::Null(isolate).As<v8::Value>(),
      failed ? v8::Undefined(isolate).As<v8::Value>()
             : v8::Integer::New(isolate, static_cast<int>(result)).As<v8::Value>()};
#if NODE_MAJOR_VERSION < 24
  (void)node::MakeCallback(isolate, request, oncomplete.As<v8::Function>(), failed ? 1 : 2, answer,
                           identity);
#else
  v8::Local<v8::Value> in_frame[] = {oncomplete, open.frame.Get(isolate), answer[0], answer[1]};
  v8::Local<v8::Function> complete;
  if (v8::Function::New(context, completeInFrame).ToLocal(&complete)) {
    (void)node::MakeCallback(isolate, request, complete, failed ? 3 : 4, in_frame, identity);
  }
#endif
}

void opened(const PendingOpen& open, ssize_t result) {
  auto& opener = *open.opener;
  opener.finished(result);
  if (!opener.ending()) {
    tell(open, result);
  }
  opener.goOn();
}

std::string pathOf(v8::Isolate* isolate, v8::Local<v8::Value> path) {
  if (node::Buffer::HasInstance(path)) {
    return {node::Buffer::Data(path), node::Buffer::Length(path)};
  }
  const v8::String::Utf8Value text(isolate, path);
  return {*text == nullptr ? "" : *text, static_cast<std::size_t>(text.length())};
}

void openFile(const Arguments& arguments) {
  auto* isolate = arguments.GetIsolate();
  const auto context = isolate->GetCurrentContext();
  auto& opener = *static_cast<Opener*>(arguments.Data().As<v8::External>()->Value());
  const auto open = std::make_shared<PendingOpen>();
  open->opener = &opener;
  open->path = pathOf(isolate, arguments[0]);
  open->request.Reset(isolate, arguments[3].As<v8::Object>());
  open->context.Reset(isolate, context);
#if NODE_MAJOR_VERSION >= 24
  open->frame.Reset(isolate, isolate->GetContinuationPreservedEmbedderData());
#endif
  const int flags = arguments[1]->Int32Value(context).FromMaybe(0);
  const int mode = arguments[2]->Int32Value(context).FromMaybe(0);
  const int failure =
      openInterruptibly(open->path, flags, mode, [open](ssize_t result) { opened(*open, result); });
  if (failure != 0) {
    isolate->ThrowException(
        node::UVException(isolate, failure, "open", nullptr, open->path.c_str(), nullptr));
    return;
  }
  opener.begun();
}

}  // namespace

void addFileOpener(v8::Local<v8::Context> context, v8::Local<v8::Object> exports,
                   DescriptorTable& descriptors) {
  auto* isolate = context->GetIsolate();
  auto* opener = new Opener(isolate, descriptors);  // frees itself when the thread has ended
  const auto function = v8::Function::New(context, openFile, v8::External::New(isolate, opener), 0,
                                          v8::ConstructorBehavior::kThrow)
                            .ToLocalChecked();
  exports->Set(context, literal(isolate, "openFile"), function).Check();
}

}  // namespace svc::jsruntime
