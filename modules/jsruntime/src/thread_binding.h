#pragma once

#include <cstddef>

#include <v8.h>

namespace svc::jsruntime {

class DescriptorTable;
class ThreadAccounts;
class WorkerMemory;

/// What an environment may have at a time; 0 is no limit. Any thread.
class IThreadBudgets {
 public:
  virtual ~IThreadBudgets() = default;
  struct Budget {
    std::size_t used;
    std::size_t most;
  };
  [[nodiscard]] virtual Budget workerThreadBudget() const = 0;
  [[nodiscard]] virtual Budget descriptorBudget() const = 0;
};

/// Fills what the prelude of each thread of an environment takes from the linked binding `svc_thread`
/// (js/binding.d.ts: ThreadBinding). All of them outlive the context.
void fillThreadBinding(v8::Local<v8::Context> context, v8::Local<v8::Object> exports,
                       DescriptorTable& descriptors, WorkerMemory& memory, ThreadAccounts& threads,
                       const IThreadBudgets& budgets);

}  // namespace svc::jsruntime
