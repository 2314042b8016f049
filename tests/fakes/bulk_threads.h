#pragma once

#include <thread>
#include <utility>
#include <vector>

#include "svc/kernel/executor.h"

namespace svc::test {

/// A thread for each bulk job. The test's thread submits; destruction requests the stop and waits.
class BulkThreads final : public IBulkWorkers {
 public:
  bool submit(Job job) override {
    if (!full) {
      threads_.emplace_back([this, job = std::move(job)]() mutable { job(stop.get_token()); });
    }
    return !full;
  }
  /// Until every job that was submitted has ended.
  void wait() { threads_.clear(); }
  bool full = false;
  std::stop_source stop;
  ~BulkThreads() override { stop.request_stop(); }

 private:
  std::vector<std::jthread> threads_;
};

}  // namespace svc::test
