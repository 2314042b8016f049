#pragma once

#include <chrono>
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

/// Builds on the bulk lane, with a few builder processes at once. One stays for a while after the last build: starting it and its
/// packages takes several times as long as most builds. Thread-safe.
class BuildQueue {
 public:
  using Build = std::function<Result<common::BuildReport>(const common::BuildRequest& request,
                                                          const std::stop_token& stop)>;
  /// Makes what one builder builds with.
  using Factory = std::function<Build()>;

  static constexpr std::size_t kBuilders = 2;
  static constexpr std::size_t kWaiting = 256;
  /// Long enough for who installs a few plugins, or saves and reloads; a builder takes some 100 MiB.
  static constexpr std::chrono::milliseconds kKept{10'000};

  BuildQueue(IBulkWorkers& workers, Factory factory, std::size_t builders = kBuilders,
             std::chrono::milliseconds kept = kKept)
      : workers_(workers), factory_(std::move(factory)), most_builders_(builders), kept_(kept) {}
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
  /// False when nothing comes for this builder.
  [[nodiscard]] bool awaitJob(std::unique_lock<std::mutex>& lock);

  IBulkWorkers& workers_;
  const Factory factory_;
  const std::size_t most_builders_;
  const std::chrono::milliseconds kept_;
  std::stop_source stop_;
  std::mutex mutex_;
  std::deque<Job> jobs_;
  std::size_t builders_ = 0;
  /// Of these, how many wait for a job: one at most.
  std::size_t at_rest_ = 0;
  std::condition_variable_any wanted_;
  std::condition_variable idle_;
};

}  // namespace svc::app
