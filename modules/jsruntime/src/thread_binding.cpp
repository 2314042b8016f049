#include "thread_binding.h"

#include <unistd.h>

#include <string>

#include "svc/base/marked_processes.h"

#include "descriptor_table.h"
#include "js_text.h"
#include "thread_accounts.h"
#include "worker_memory.h"

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

void removeClosed(const Arguments& arguments) {
  tableOf(arguments).removeClosed(number(arguments, 0));
}

void openedSocket(const Arguments& arguments) { tableOf(arguments).openedSocket(); }

void closedSocket(const Arguments& arguments) { tableOf(arguments).closedSocket(); }

void holderOf(const Arguments& arguments) {
  arguments.GetReturnValue().Set(
      static_cast<int>(tableOf(arguments).holderOf(number(arguments, 0))));
}

WorkerMemory& memoryOf(const Arguments& arguments) {
  return *static_cast<WorkerMemory*>(arguments.Data().As<v8::External>()->Value());
}

std::size_t bytesOf(const Arguments& arguments) {
  const auto bytes =
      arguments[0]->NumberValue(arguments.GetIsolate()->GetCurrentContext()).FromMaybe(0);
  return bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
}

void takeShared(const Arguments& arguments) {
  arguments.GetReturnValue().Set(memoryOf(arguments).takeShared(bytesOf(arguments)));
}

void giveShared(const Arguments& arguments) { memoryOf(arguments).giveShared(bytesOf(arguments)); }

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

/// As an entry of an environment: "name=mark".
void markForProgram(const Arguments& arguments) {
  auto& threads = *static_cast<ThreadAccounts*>(arguments.Data().As<v8::External>()->Value());
  arguments.GetReturnValue().Set(literal(
      arguments.GetIsolate(), std::string(base::kProcessMark) + "=" + threads.markForProgram()));
}

template <IThreadBudgets::Budget (IThreadBudgets::*budget)()
              const>  // NOLINT(readability-identifier-naming)
void answerBudget(const Arguments& arguments) {
  const auto* budgets =
      static_cast<const IThreadBudgets*>(arguments.Data().As<v8::External>()->Value());
  const auto [used, most] = (budgets->*budget)();
  auto* isolate = arguments.GetIsolate();
  v8::Local<v8::Value> pair[] = {v8::Number::New(isolate, static_cast<double>(used)),
                                 v8::Number::New(isolate, static_cast<double>(most))};
  arguments.GetReturnValue().Set(v8::Array::New(isolate, pair, 2));
}

}  // namespace

void fillThreadBinding(v8::Local<v8::Context> context, v8::Local<v8::Object> exports,
                       DescriptorTable& descriptors, WorkerMemory& memory, ThreadAccounts& threads,
                       const IThreadBudgets& budgets) {
  auto* isolate = context->GetIsolate();
  v8::Local<v8::Value> owner = v8::External::New(isolate, &descriptors);
  const auto add = [&](const char* name, v8::FunctionCallback callback) {
    const auto function =
        v8::Function::New(context, callback, owner, 0, v8::ConstructorBehavior::kThrow)
            .ToLocalChecked();
    exports->Set(context, literal(isolate, name), function).Check();
  };
  add("setHolder", setHolder);
  add("removeDescriptor", remove);
  add("removeClosed", removeClosed);
  add("holderOf", holderOf);
  add("openedSocket", openedSocket);
  add("closedSocket", closedSocket);
  add("reachesServer", reachesServer);
  owner = v8::External::New(isolate, &memory);
  add("takeShared", takeShared);
  add("giveShared", giveShared);
  owner = v8::External::New(isolate, &threads);
  add("markForProgram", markForProgram);
  owner = v8::External::New(isolate, const_cast<IThreadBudgets*>(&budgets));
  add("workerThreads", answerBudget<&IThreadBudgets::workerThreadBudget>);
  add("descriptors", answerBudget<&IThreadBudgets::descriptorBudget>);
}

}  // namespace svc::jsruntime
