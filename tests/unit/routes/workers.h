#pragma once

#include <deque>
#include <filesystem>
#include <string>
#include <utility>

#include "svc/kernel/executor.h"

namespace svc::routes {

/// Runs jobs when the test says so; full when told to be.
class ManualWorkers final : public IWorkerPool {
 public:
  bool submit(Task job) override {
    if (full) {
      return false;
    }
    jobs_.push_back(std::move(job));
    return true;
  }
  void runAll() {
    while (!jobs_.empty()) {
      auto job = std::move(jobs_.front());
      jobs_.pop_front();
      job();
    }
  }
  bool full = false;

 private:
  std::deque<Task> jobs_;
};

/// A directory of its own, removed with the object.
class Scratch {
 public:
  Scratch() {
    auto name = (std::filesystem::temp_directory_path() / "svc-routes-XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::filesystem::path path;
};

}  // namespace svc::routes
