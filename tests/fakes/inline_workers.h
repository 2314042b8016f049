#pragma once

#include "svc/kernel/executor.h"

namespace svc::testing {

/// Runs jobs where they are submitted.
class InlineWorkers final : public IWorkerPool {
 public:
  bool submit(Task job) override {
    if (!full) {
      job();
    }
    return !full;
  }
  bool full = false;
};

}  // namespace svc::testing
