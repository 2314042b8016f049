// How an environment gets its JavaScript: prelude, bootstrap, identity, parts.
#include <utility>

#include <node.h>

#include "svc/common/codes.h"
#include "svc/common/json.h"

#include "bridge.h"
#include "js_text.h"
#include "jsruntime_scripts.h"

namespace svc::jsruntime {

using v8::Local;

v8::MaybeLocal<v8::Function> Bridge::compile(std::string_view name, std::string_view source,
                                             std::vector<Local<v8::String>> parameters) {
  Local<v8::String> text;
  if (!staticString(isolate_, source).ToLocal(&text)) {
    return {};
  }
#if NODE_MAJOR_VERSION < 24
  const v8::ScriptOrigin origin(isolate_, literal(isolate_, name));
#else
  const v8::ScriptOrigin origin(literal(isolate_, name));
#endif
  v8::ScriptCompiler::Source unit(text, origin);
  return v8::ScriptCompiler::CompileFunction(context(), &unit, parameters.size(),
                                             parameters.data());
}

v8::MaybeLocal<v8::Function> Bridge::loadModuleText(std::string_view name,
                                                    std::string_view source) {
  Local<v8::Function> body;
  if (!compile(name, source,
               {literal(isolate_, "module"), literal(isolate_, "exports"),
                literal(isolate_, "require")})
           .ToLocal(&body)) {
    return {};
  }
  const auto module = v8::Object::New(isolate_);
  const auto exports_key = literal(isolate_, "exports");
  const auto first_exports = v8::Object::New(isolate_);
  module->Set(context(), exports_key, first_exports).Check();
  Local<v8::Value> require = v8::Undefined(isolate_);
  if (!part_require_.IsEmpty()) {
    require = part_require_.Get(isolate_);
  }
  Local<v8::Value> arguments[] = {module, first_exports, require};
  Local<v8::Value> ignored;
  Local<v8::Value> exports;
  Local<v8::Value> entry;
  if (!body->Call(context(), v8::Undefined(isolate_), 3, arguments).ToLocal(&ignored) ||
      !module->Get(context(), exports_key).ToLocal(&exports) || !exports->IsObject() ||
      !exports.As<v8::Object>()->Get(context(), literal(isolate_, "default")).ToLocal(&entry)) {
    return {};
  }
  if (!entry->IsFunction()) {
    isolate_->ThrowException(v8::Exception::TypeError(
        literal(isolate_, std::string(name) + " has no function as its default export")));
    return {};
  }
  return entry.As<v8::Function>();
}

Error Bridge::caught(const v8::TryCatch& failure, std::string_view doing) const {
  std::string text = "unknown failure";
  if (failure.HasTerminated()) {
    text = "the environment was ended meanwhile";
  } else if (Local<v8::Value> stack;
             failure.StackTrace(context()).ToLocal(&stack) && stack->IsString()) {
    text = textOf(isolate_, stack);
  } else if (!failure.Exception().IsEmpty()) {
    const v8::String::Utf8Value message(isolate_, failure.Exception());
    text = *message != nullptr ? *message : "unknown failure";
  }
  return {errc::kLoadFailed, std::string(doing) + " failed: " + text};
}

template <Bridge::Method method>  // NOLINT(readability-identifier-naming): a value, not a type
void Bridge::bind(Local<v8::Object> target, std::string_view name) {
  const auto callback = [](const Arguments& arguments) {
    auto* bridge = static_cast<Bridge*>(arguments.Data().As<v8::External>()->Value());
    (bridge->*method)(arguments);
  };
  const auto key = literal(isolate_, name);
  const auto function = v8::Function::New(context(), callback, v8::External::New(isolate_, this), 0,
                                          v8::ConstructorBehavior::kThrow)
                            .ToLocalChecked();
  function->SetName(key);
  target->Set(context(), key, function).Check();
}

Status Bridge::boot(Local<v8::Object> process, Local<v8::Function> native_require) {
  const v8::TryCatch failure(isolate_);
  const auto binding = v8::Object::New(isolate_);
  bind<&Bridge::callSyncHost>(binding, "callSync");
  bind<&Bridge::callAsyncHost>(binding, "call");
  bind<&Bridge::transferHost>(binding, "transfer");
  bind<&Bridge::quoteJson>(binding, "quoteJson");
  bind<&Bridge::native>(binding, "native");
  bind<&Bridge::handle>(binding, "handle");
  bind<&Bridge::resolved>(binding, "resolved");
  bind<&Bridge::failed>(binding, "failed");
  bind<&Bridge::watchSignal>(binding, "watchSignal");
  bind<&Bridge::log>(binding, "log");
  bind<&Bridge::uncaught>(binding, "uncaught");
  bind<&Bridge::endEnvironment>(binding, "end");
  bind<&Bridge::script>(binding, "script");
  bind<&Bridge::sourceMap>(binding, "sourceMap");
  bind<&Bridge::pauseWatchdog>(binding, "pauseWatchdog");
  Local<v8::Value> arguments[] = {process, native_require, binding};
  Local<v8::Value> boundary;
  for (const auto& [name, source] : {std::pair{"svc:prelude", scripts::kPrelude},
                                     std::pair{"svc:bootstrap", scripts::kBootstrap}}) {
    Local<v8::Function> entry;
    if (!loadModuleText(name, source).ToLocal(&entry) ||
        !entry->Call(context(), v8::Undefined(isolate_), 3, arguments).ToLocal(&boundary)) {
      return caught(failure, name);
    }
  }
  if (!boundary->IsObject() || !takeFunctions(boundary.As<v8::Object>())) {
    return Error{errc::kInternal, "svc:bootstrap does not return what the bridge needs"};
  }
  return {};
}

bool Bridge::takeFunctions(Local<v8::Object> boundary) {
  const auto take = [&](std::string_view name, v8::Global<v8::Function>& into) {
    Local<v8::Value> value;
    if (boundary->Get(context(), literal(isolate_, name)).ToLocal(&value) && value->IsFunction()) {
      into.Reset(isolate_, value.As<v8::Function>());
    }
    return !into.IsEmpty();
  };
  Local<v8::Value> runtime;
  if (!boundary->Get(context(), literal(isolate_, "runtime")).ToLocal(&runtime) ||
      !runtime->IsObject()) {
    return false;
  }
  runtime_.Reset(isolate_, runtime.As<v8::Object>());
  api_.Reset(isolate_, v8::Object::New(isolate_));
  return take("dispatch", dispatch_) && take("watch", watch_) && take("coerce", coerce_) &&
         take("fail", fail_) && take("abort", abort_) && take("release", release_) &&
         take("settle", settle_) && take("hostError", host_error_) &&
         take("configure", configure_) && take("require", part_require_);
}

Status Bridge::adopt(script::InstanceOptions options) {
  const v8::TryCatch failure(isolate_);
  functions_ = std::move(options.functions);
  auto names = common::Json::array();
  for (const auto& function : functions_) {
    names.push(function.name);
  }
  auto environment = common::Json::object();
  for (const auto& [name, value] : options.environment) {
    environment.set(name, value);
  }
  auto json = common::Json::object();
  json.set("name", options.name)
      .set("root", options.root.string())
      .set("cacheDir", options.cache_dir.string())
      .set("workerPrelude", owner_.workerPrelude())
      .set("heapMiB", static_cast<std::int64_t>(options.limits.heap_bytes >> 20));
  json.set("environment", std::move(environment)).set("functions", std::move(names));
  Local<v8::String> text;
  if (!newString(isolate_, json.dump()).ToLocal(&text)) {
    return Error{errc::kInternal, "the options of the environment are too long"};
  }
  Local<v8::Value> arguments[] = {text};
  if (configure_.Get(isolate_)->Call(context(), v8::Undefined(isolate_), 1, arguments).IsEmpty()) {
    return caught(failure, "preparing the environment");
  }
  for (const auto& [name, extension] : options.natives) {
    const auto exports = v8::Object::New(isolate_);
    extension->install(isolate_, context(), exports);
    natives_.push_back({name, extension, v8::Global<v8::Object>(isolate_, exports)});
  }
  for (const auto& part : options.parts) {
    if (auto status = evaluatePart(part); !status) {
      return status;
    }
  }
  return {};
}

Status Bridge::evaluatePart(const script::ScriptPart& part) {
  const v8::TryCatch failure(isolate_);
  const auto name = "svc:" + part.name;
  Local<v8::Function> entry;
  Local<v8::Value> arguments[] = {runtime_.Get(isolate_), api_.Get(isolate_)};
  if (!loadModuleText(name, part.source).ToLocal(&entry) ||
      entry->Call(context(), v8::Undefined(isolate_), 2, arguments).IsEmpty()) {
    return caught(failure, name);
  }
  return {};
}

}  // namespace svc::jsruntime
