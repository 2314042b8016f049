#include "thread_binding.h"

#include <unistd.h>

#include <string>

#include "descriptor_table.h"
#include "js_text.h"

namespace svc::jsruntime {

namespace {

using Arguments = v8::FunctionCallbackInfo<v8::Value>;
using Holder = DescriptorTable::Holder;

DescriptorTable& tableOf(const Arguments& arguments) {
  return *static_cast<DescriptorTable*>(arguments.Data().As<v8::External>()->Value());
}

int number(const Arguments& arguments, int at) {
  return arguments[at]->Int32Value(arguments.GetIsolate()->GetCurrentContext()).FromMaybe(-1);
}

void setHolder(const Arguments& arguments) {
  tableOf(arguments).set(number(arguments, 0), static_cast<Holder>(number(arguments, 1)));
}

void remove(const Arguments& arguments) { tableOf(arguments).remove(number(arguments, 0)); }

void holderOf(const Arguments& arguments) {
  arguments.GetReturnValue().Set(
      static_cast<int>(tableOf(arguments).holderOf(number(arguments, 0))));
}

/// Whether a signal to `pid` reaches the server: itself, one of its threads, its group, or everybody.
bool reachesServer(int pid) {
  if (pid <= 0) {
    return pid == 0 || pid == -1 || -pid == ::getpgrp();
  }
  return ::access(("/proc/self/task/" + std::to_string(pid)).c_str(), F_OK) == 0;
}

void reachesServer(const Arguments& arguments) {
  arguments.GetReturnValue().Set(reachesServer(number(arguments, 0)));
}

}  // namespace

void fillThreadBinding(v8::Local<v8::Context> context, v8::Local<v8::Object> exports,
                       DescriptorTable& descriptors) {
  auto* isolate = context->GetIsolate();
  const auto table = v8::External::New(isolate, &descriptors);
  const auto add = [&](const char* name, v8::FunctionCallback callback) {
    const auto function =
        v8::Function::New(context, callback, table, 0, v8::ConstructorBehavior::kThrow)
            .ToLocalChecked();
    exports->Set(context, literal(isolate, name), function).Check();
  };
  add("setHolder", setHolder);
  add("removeDescriptor", remove);
  add("holderOf", holderOf);
  add("reachesServer", reachesServer);
}

}  // namespace svc::jsruntime
