#include "bridge.h"

#include <utility>

#include "svc/common/codes.h"

#include "js_text.h"
#include "json_pieces.h"
#include "jsruntime_scripts.h"

namespace svc::jsruntime {

using v8::Local;

void AbortMessage::deliver(Bridge& bridge) {
  bridge.abort(call_);
  call_.release();
}

void AbortMessage::refuse(const std::string& /*why*/) { call_.release(); }

void Call::deliver(Bridge& bridge) { bridge.start(*this); }

void HostReply::deliver(Bridge& bridge) {
  const std::unique_ptr<HostReply> self(this);
  bridge.settleHostCall(id_, kind_, result_);
}

Bridge::Bridge(v8::Isolate* isolate, Local<v8::Context> context, IBridgeOwner& owner)
    : isolate_(isolate), context_(isolate, context), owner_(owner) {}

Bridge::~Bridge() {
  for (const auto& native : natives_) {
    native.extension->close();
  }
}

// ---- calls in ----------------------------------------------------------------------------------------------------

void Bridge::start(Call& call) {
  calls_.add(call);
  const auto handler = handlers_.find(std::string_view(call.request.function));
  if (handler == handlers_.end()) {
    complete(call,
             Error{errc::kUnknownFunction, "nothing handles \"" + call.request.function + "\""});
    return;
  }
  Local<v8::String> meta;
  Local<v8::Value> body;
  if (!newString(isolate_, call.request.meta).ToLocal(&meta) || !bodyOf(call).ToLocal(&body)) {
    complete(call, Error{errc::kTooLarge, "the body is longer than a JavaScript string can be"});
    return;
  }
  const auto id = call.id;
  Local<v8::Value> arguments[] = {handler->second.Get(isolate_), meta, body,
                                  v8::Number::New(isolate_, static_cast<double>(id))};
  Local<v8::Value> result;
  // bootstrap.ts catches what the handler throws; nothing comes back only when the environment is being stopped.
  if (!dispatch_.Get(isolate_)
           ->Call(context(), v8::Undefined(isolate_), 4, arguments)
           .ToLocal(&result) ||
      calls_.find(id) == nullptr) {
    return;
  }
  if (result->IsPromise()) {
    auto promise = result.As<v8::Promise>();
    if (promise->State() == v8::Promise::kRejected) {
      // Node has noted it as unhandled; only a handler takes that back.
      Local<v8::Value> watched[] = {promise, arguments[3]};
      callIntoScript(watch_, 2, watched);
      return;
    }
    // Whatever becomes of it is looked at after the batch: it is not an unhandled rejection.
    promise->MarkAsHandled();
    batch_.emplace_back(id, promise);
  } else {
    answer(call, result);
  }
}

v8::MaybeLocal<v8::Value> Bridge::bodyOf(Call& call) {
  if (call.request.binary) {
    return newBytes(isolate_, std::exchange(call.request.body, {}));
  }
  Local<v8::String> text;
  return adoptString(isolate_, std::move(call.request.body)).ToLocal(&text)
             ? v8::MaybeLocal<v8::Value>(text)
             : v8::MaybeLocal<v8::Value>();
}

void Bridge::answer(Call& call, Local<v8::Value> value) {
  if (value->IsString()) {
    complete(call, textOf(isolate_, value.As<v8::String>()));
  } else if (value->IsUndefined()) {
    complete(call, std::string());
  } else {
    Local<v8::Value> arguments[] = {value, v8::Number::New(isolate_, static_cast<double>(call.id))};
    callIntoScript(coerce_, 2, arguments);
  }
}

void Bridge::finishBatch() {
  auto batch = std::exchange(batch_, {});
  for (const auto& [id, promise] : batch) {
    auto* call = calls_.find(id);
    if (call == nullptr) {
      continue;
    }
    switch (promise->State()) {
      case v8::Promise::kFulfilled:
        answer(*call, promise->Result());
        break;
      case v8::Promise::kRejected:
        fail(*call, promise->Result());
        break;
      case v8::Promise::kPending: {
        Local<v8::Value> arguments[] = {promise,
                                        v8::Number::New(isolate_, static_cast<double>(id))};
        callIntoScript(watch_, 2, arguments);
        break;
      }
    }
  }
  batch.clear();
  batch_.swap(batch);  // keeps the capacity
}

void Bridge::fail(Call& call, Local<v8::Value> thrown) {
  Local<v8::Value> arguments[] = {v8::Number::New(isolate_, static_cast<double>(call.id)), thrown};
  callIntoScript(fail_, 2, arguments);
}

void Bridge::complete(Call& call, Result<std::string> result) {
  calls_.remove(call);
  if (call.signal_made) {
    Local<v8::Value> arguments[] = {v8::Number::New(isolate_, static_cast<double>(call.id))};
    callIntoScript(release_, 1, arguments);
  }
  call.finish(std::move(result));
}

void Bridge::abort(Call& call) {
  call.aborted = true;
  if (call.signal_made && !call.finished) {
    Local<v8::Value> arguments[] = {v8::Number::New(isolate_, static_cast<double>(call.id))};
    callIntoScript(abort_, 1, arguments);
  }
}

void Bridge::callIntoScript(const v8::Global<v8::Function>& function, int count,
                            Local<v8::Value>* arguments) {
  // These functions of bootstrap.ts do not throw; only a stop of the environment ends them early.
  [[maybe_unused]] const auto nothing =
      function.Get(isolate_)->Call(context(), v8::Undefined(isolate_), count, arguments);
}

void Bridge::failAll(const std::string& why) {
  batch_.clear();
  for (auto* call : calls_.takeAll()) {
    call->refuse(why);
  }
}

// ---- binding: what bootstrap.ts calls ----------------------------------------------------------------------------

namespace {

std::uint64_t callId(const v8::FunctionCallbackInfo<v8::Value>& arguments) {
  return static_cast<std::uint64_t>(arguments[0].As<v8::Number>()->Value());
}

/// The failure described by arguments[first…]: name, message, stack, code, details.
script::ScriptError scriptError(const v8::FunctionCallbackInfo<v8::Value>& arguments, int first) {
  const auto text = [&](int at) { return textOf(arguments.GetIsolate(), arguments[first + at]); };
  return {
      .name = text(0), .message = text(1), .stack = text(2), .code = text(3), .details = text(4)};
}

}  // namespace

/// (pieces)
void Bridge::quoteJson(const Arguments& arguments) {
  JsonPieces json;
  const auto pieces = arguments[0].As<v8::Array>();
  for (std::uint32_t at = 0; at < pieces->Length(); ++at) {
    const v8::HandleScope scope(isolate_);
    Local<v8::Value> piece;
    if (!pieces->Get(context(), at).ToLocal(&piece) || !piece->IsString() ||
        !json.add(isolate_, piece.As<v8::String>(), at % 2 == 1)) {
      return;
    }
  }
  Local<v8::String> text;
  if (adoptString(isolate_, std::move(json).text()).ToLocal(&text)) {
    arguments.GetReturnValue().Set(text);
  }
}

/// (name): the object an extension has filled
void Bridge::native(const Arguments& arguments) {
  const auto name = textOf(isolate_, arguments[0]);
  for (const auto& native : natives_) {
    if (native.name == name) {
      arguments.GetReturnValue().Set(native.exports);
    }
  }
}

void Bridge::handle(const Arguments& arguments) {
  handlers_[textOf(isolate_, arguments[0])].Reset(isolate_, arguments[1].As<v8::Function>());
}

void Bridge::resolved(const Arguments& arguments) {
  if (auto* call = calls_.find(callId(arguments))) {
    answer(*call, arguments[1]);
  }
}

/// (id, own, name, message, stack, code, details, issues)
void Bridge::failed(const Arguments& arguments) {
  auto* call = calls_.find(callId(arguments));
  if (call == nullptr) {
    return;
  }
  const auto failure = scriptError(arguments, 2);
  if (arguments[1]->IsTrue()) {
    if (!failure.stack.empty()) {
      owner_.observer()->onHandlerError(failure, call->request.function, call->request.meta);
    }
    Error error(common::wireCode(failure.code), failure.message, failure.details);
    error.issues = textOf(isolate_, arguments[7]);
    complete(*call, std::move(error));
    return;
  }
  owner_.observer()->onHandlerError(failure, call->request.function, call->request.meta);
  complete(*call, Error(errc::kHandlerError, failure.message, failure.details));
}

/// Answers 0 while the call runs, 1 when its caller has given up, 2 when it has been answered.
void Bridge::watchSignal(const Arguments& arguments) {
  auto* call = calls_.find(callId(arguments));
  if (call != nullptr) {
    call->signal_made = true;
  }
  arguments.GetReturnValue().Set(call == nullptr ? 2 : call->aborted ? 1 : 0);
}

void Bridge::log(const Arguments& arguments) {
  owner_.observer()->onConsole(textOf(isolate_, arguments[0]), textOf(isolate_, arguments[1]));
}

/// (origin, name, message, stack, code, details)
void Bridge::uncaught(const Arguments& arguments) {
  owner_.observer()->onUncaughtError(scriptError(arguments, 1), textOf(isolate_, arguments[0]));
}

/// ("exit" | "abort" | "signal", code, message)
void Bridge::endEnvironment(const Arguments& arguments) {
  const auto kind = textOf(isolate_, arguments[0]);
  const auto reason = kind == "abort"    ? script::TerminationReason::kProcessAbort
                      : kind == "signal" ? script::TerminationReason::kSignal
                                         : script::TerminationReason::kProcessExit;
  owner_.endedByScript(reason, arguments[1]->Int32Value(context()).FromMaybe(1),
                       textOf(isolate_, arguments[2]));
}

/// ("websocket"): a script that few environments need, loaded when they do.
void Bridge::script(const Arguments& arguments) {
  Local<v8::Function> entry;
  if (textOf(isolate_, arguments[0]) == "websocket" &&
      loadModuleText("svc:websocket", scripts::kWebsocket).ToLocal(&entry)) {
    arguments.GetReturnValue().Set(entry);
  }
}

void Bridge::sourceMap(const Arguments& arguments) {
  owner_.addSourceMap(textOf(isolate_, arguments[0]), textOf(isolate_, arguments[1]));
}

void Bridge::pauseWatchdog(const Arguments& arguments) {
  owner_.pauseWatchdog(arguments[0]->BooleanValue(isolate_));
}

// ---- host functions ----------------------------------------------------------------------------------------------

void Bridge::throwHostError(const Error& error) {
  Local<v8::Value> arguments[] = {
      literal(isolate_, error.code.name()), literal(isolate_, error.message),
      literal(isolate_, error.details), literal(isolate_, error.issues)};
  Local<v8::Value> thrown;
  if (host_error_.Get(isolate_)
          ->Call(context(), v8::Undefined(isolate_), 4, arguments)
          .ToLocal(&thrown)) {
    isolate_->ThrowException(thrown);
  }
}

/// (index, argument)
void Bridge::callSyncHost(const Arguments& arguments) {
  const auto index = arguments[0].As<v8::Uint32>()->Value();
  if (index >= functions_.size() || !functions_[index].sync) {
    throwHostError(
        {errc::kInvalidArgument, "this host function is asynchronous: use runtime.call"});
    return;
  }
  auto result = functions_[index].sync(textOf(isolate_, arguments[1]));
  if (!result) {
    throwHostError(result.error());
    return;
  }
  Local<v8::String> text;
  if (!result.value().empty() && adoptString(isolate_, std::move(result).value()).ToLocal(&text)) {
    arguments.GetReturnValue().Set(text);
  }
}

/// (index, argument, id)
void Bridge::callAsyncHost(const Arguments& arguments) {
  const auto index = arguments[0].As<v8::Uint32>()->Value();
  if (index >= functions_.size() || !functions_[index].async) {
    throwHostError(
        {errc::kInvalidArgument, "this host function is synchronous: use runtime.callSync"});
    return;
  }
  const double id = arguments[2].As<v8::Number>()->Value();
  functions_[index].async(textOf(isolate_, arguments[1]),
                          [post = owner_.poster(), id](Result<std::string> result) {
                            post(new HostReply(id, HostReply::Kind::kText, std::move(result)));
                          });
}

/// (index, argument, id, bytes)
void Bridge::transferHost(const Arguments& arguments) {
  const auto index = arguments[0].As<v8::Uint32>()->Value();
  if (index >= functions_.size() || !functions_[index].transfer) {
    throwHostError({errc::kInvalidArgument, "this host function takes no bytes"});
    return;
  }
  const double id = arguments[2].As<v8::Number>()->Value();
  functions_[index].transfer(textOf(isolate_, arguments[1]), bytesOf(arguments[3]),
                             [post = owner_.poster(), id](Result<std::string> result) {
                               post(new HostReply(id, HostReply::Kind::kBytes, std::move(result)));
                             });
}

void Bridge::settleHostCall(double id, HostReply::Kind kind, const Result<std::string>& result) {
  const auto text = [&](std::string_view value) -> Local<v8::Value> {
    Local<v8::String> string;
    return value.empty() || !newString(isolate_, value).ToLocal(&string)
               ? v8::Undefined(isolate_).As<v8::Value>()
               : string.As<v8::Value>();
  };
  if (result) {
    const bool bytes = kind == HostReply::Kind::kBytes && !result.value().empty();
    Local<v8::Value> arguments[] = {
        v8::Number::New(isolate_, id),
        bytes ? newBytes(isolate_, result.value()).As<v8::Value>() : text(result.value())};
    callIntoScript(settle_, 2, arguments);
    return;
  }
  const auto& error = result.error();
  Local<v8::Value> arguments[] = {v8::Number::New(isolate_, id), v8::Undefined(isolate_),
                                  text(error.code.name()),       text(error.message),
                                  text(error.details),           text(error.issues)};
  callIntoScript(settle_, 6, arguments);
}

}  // namespace svc::jsruntime
