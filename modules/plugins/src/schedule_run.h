#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "svc/kernel/executor.h"
#include "svc/plugins/plugins.h"

namespace svc::plugins {

/// One run of one schedule, from the claim to the end of the function. Main thread; whoever starts it keeps it until
/// `settled` has fired.
class ScheduleRun : public std::enable_shared_from_this<ScheduleRun> {
 public:
  struct Answers {
    /// The outcome to record: once, at the latest after lim.scheduleTimeout.
    std::function<void(Status outcome)> outcome;
    /// The function has settled or its environment has ended: another run may begin.
    std::function<void()> settled;
  };

  ScheduleRun(IMainExecutor& main, std::string name) : main_(main), name_(std::move(name)) {}

  std::int64_t started_at = 0;    ///< last_run_at of the row
  std::int64_t scheduled_at = 0;  ///< the tick
  bool missed = false;
  /// Who asked for this run, if anybody.
  std::shared_ptr<Completion<ScheduleInfo>> waiter{};

  void start(const GenerationPtr& generation, Answers answers);
  /// No generation was there to run it.
  void refuse(Error error, Answers answers);
  /// Aborts the signal when it runs in this generation.
  void abort(const IGeneration& generation);

 private:
  void overrun();
  void settle(Status status);
  void report(Status outcome);

  IMainExecutor& main_;
  std::string name_;
  std::stop_source stop_;
  std::uint64_t load_id_ = 0;
  bool disposed_ = false;
  Handle timer_;
  Answers answers_;
};

}  // namespace svc::plugins
