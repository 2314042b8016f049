#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "svc/common/bundle_builder.h"
#include "svc/kernel/completion.h"

namespace svc::app {

/// Builds in a few threads of its own, so that a slow build holds no worker of the server. Each thread keeps its builder
/// process while there is more to do. Thread-safe.
class BuildQueue {
 public:
  using Build = std::function<Result<common::BuildReport>(const common::BuildRequest& request,
                                                          const std::stop_token& stop)>;
  /// Makes what one thread builds with; it is dropped when nothing is left to build.
  using Factory = std::function<Build()>;

  static constexpr std::size_t kThreads = 2;
  static constexpr std::size_t kWaiting = 256;

  explicit BuildQueue(Factory factory, std::size_t threads = kThreads);
  BuildQueue(const BuildQueue&) = delete;
  BuildQueue& operator=(const BuildQueue&) = delete;
  ~BuildQueue();

  /// Fires on a build thread, or at once on the caller's: `overloaded` when too many are waiting, `aborted` after stop().
  void submit(common::BuildRequest request, Completion<common::BuildReport> done);
  /// Ends what runs, fails what waits, and waits for the threads.
  void stop();

 private:
  struct Job {
    common::BuildRequest request;
    Completion<common::BuildReport> done;
  };

  void work(const std::stop_token& stop);

  Factory factory_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Job> jobs_;
  bool stopped_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace svc::app
