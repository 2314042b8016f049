#pragma once

#include "svc/kernel/executor.h"

namespace svc::test {

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

/// Runs bulk jobs where they are submitted.
class InlineBulkWorkers final : public IBulkWorkers {
 public:
  bool submit(Job job) override {
    if (!full) {
      job(stop.get_token());
    }
    return !full;
  }
  bool full = false;
  std::stop_source stop;
};

}  // namespace svc::test
