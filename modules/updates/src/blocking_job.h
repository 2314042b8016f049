#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "svc/common/codes.h"
#include "svc/kernel/completion.h"
#include "svc/kernel/executor.h"

namespace svc::updates {

/// The threads of this module: everything lives on main; what blocks runs on workers.
struct Threads {
  IMainExecutor& main;
  IWorkerPool& workers;
};

/// Wraps a completion so that a copyable std::function can hold it.
template <class T>
std::shared_ptr<Completion<T>> shared(Completion<T> done) {
  return std::make_shared<Completion<T>>(std::move(done));
}

/// Runs a blocking job on a worker; the answer comes on the main thread. `overloaded` when the pool has no room.
template <class T>
void runBlockingJob(const Threads& threads, std::function<Result<T>()> job, Completion<T> done) {
  auto answer = shared(std::move(done));
  auto deliver = [&main = threads.main, answer](Result<T> result) {
    auto kept = std::make_shared<Result<T>>(std::move(result));
    main.post([answer, kept] { (*answer)(std::move(*kept)); });
  };
  const bool taken =
      threads.workers.submit([job = std::move(job), deliver] { deliver(guarded(job)); });
  if (!taken) {
    deliver(Error{errc::kOverloaded, "too many background jobs are waiting; try again"});
  }
}

}  // namespace svc::updates
