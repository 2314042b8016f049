#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>

#include "svc/common/bundle_builder.h"
#include "svc/kernel/completion.h"
#include "svc/kernel/executor.h"

namespace svc::app {

/// Builds on the bulk lane, with a few builder processes at once; each is kept while there is more to do. Thread-safe.
class BuildQueue {
 public:
  using Build = std::function<Result<common::BuildReport>(const common::BuildRequest& request,
                                                          const std::stop_token& stop)>;
  /// Makes what one builder builds with; it is dropped when nothing is left to build.
  using Factory = std::function<Build()>;

  static constexpr std::size_t kBuilders = 2;
  static constexpr std::size_t kWaiting = 256;

  BuildQueue(IBulkWorkers& workers, Factory factory, std::size_t builders = kBuilders)
      : workers_(workers), factory_(std::move(factory)), most_builders_(builders) {}
  BuildQueue(const BuildQueue&) = delete;
  BuildQueue& operator=(const BuildQueue&) = delete;
  /// Stops, and waits for the builders.
  ~BuildQueue();

  /// Fires on a worker, or at once on the caller's thread: `overloaded` when too many are waiting, `aborted` after stop().
  void submit(common::BuildRequest request, Completion<common::BuildReport> done);
  /// Ends what runs and fails what waits.
  void stop();

 private:
  struct Job {
    common::BuildRequest request;
    Completion<common::BuildReport> done;
  };

  [[nodiscard]] bool startBuilder();
  void work(const std::stop_token& server_stops);

  IBulkWorkers& workers_;
  const Factory factory_;
  const std::size_t most_builders_;
  std::stop_source stop_;
  std::mutex mutex_;
  std::deque<Job> jobs_;
  std::size_t builders_ = 0;
  std::condition_variable idle_;
};

}  // namespace svc::app
