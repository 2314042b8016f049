#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "svc/http/http.h"

#include "activity.h"
#include "backup.h"
#include "threads.h"

namespace svc::updates {

/// POST /api/v1/system/backup and /system/restore. Requests arrive on the io thread; one of them works at a time,
/// for as long as its client waits.
class SystemRoutes {
 public:
  /// `restart` ends the process so that it starts again on the restored data.
  SystemRoutes(const Threads& threads, std::shared_ptr<Backup> backup,
               std::shared_ptr<Activity> activity, std::function<void()> restart)
      : state_(std::make_shared<State>(
            State{threads, std::move(backup), std::move(activity), std::move(restart)})) {}
  [[nodiscard]] Status attach(http::IHttpServer& server);

 private:
  struct State {
    Threads threads;
    std::shared_ptr<Backup> backup;
    std::shared_ptr<Activity> activity;
    std::function<void()> restart;
  };
  using StatePtr = std::shared_ptr<State>;

  static void write(const StatePtr& state, const http::ExchangePtr& exchange);
  static void restore(const StatePtr& state, const http::ExchangePtr& exchange);
  /// Runs the job on a worker unless another one runs; `answer` gets what came out, on the main thread.
  static void work(const StatePtr& state, const http::ExchangePtr& exchange,
                   std::function<Result<BackupInfo>()> job,
                   std::function<void(const BackupInfo& info)> answer);

  StatePtr state_;
  std::vector<Handle> routes_;
};

}  // namespace svc::updates
