#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "svc/common/json.h"
#include "svc/kernel/completion.h"
#include "svc/kernel/executor.h"
#include "svc/kernel/thread_bound.h"
#include "svc/plugins/plugin_record.h"

#include "generation.h"

namespace svc::plugins {

/// The background services of one load: when each runs, and what follows when one fails. Main thread only. What a run
/// is, is decided by js/background_service.ts.
class ServiceSupervisor final : public std::enable_shared_from_this<ServiceSupervisor> {
 public:
  struct Context {
    IExecutor& main;
    const IClock& clock;
    /// A share in [0, 1) of the jitter of a delay.
    std::function<double()> random;
    /// records() or activationFailure() have a new answer.
    std::function<void()> changed;
  };

  ServiceSupervisor(std::shared_ptr<Generation> generation, Context context)
      : generation_(std::move(generation)), context_(std::move(context)) {}

  /// Starts every service that is registered (load step 11). Completes one turn of the event loop after the last start,
  /// or when the loop does not answer for lim.watchdog: a failure until then is a failure of the activation.
  void activate(Completion<void> done);
  [[nodiscard]] bool activated() const { return activated_; }
  /// Starts what has been registered since.
  void update();

  /// Nothing starts any more. To be called before stop().
  void close();
  /// Aborts the signal of the service and completes when its start() has settled. Unbounded: the caller limits it.
  void stop(const std::string& name, Completion<void> done);

  /// In the order registered.
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] std::vector<ServiceInfo> records() const;
  /// Names a service that failed during activation and has not held since; empty when there is none.
  [[nodiscard]] std::string activationFailure() const;

 private:
  struct Service {
    ServiceInfo shown;
    /// The number of the present run: what an earlier one answers is ignored.
    std::uint64_t run = 0;
    std::chrono::steady_clock::time_point started;
    /// Failures since the last healthy run.
    unsigned failures = 0;
    std::string activation_failure;
    Handle restart;
    Handle settle;
  };
  using ServicePtr = std::shared_ptr<Service>;

  void start(const ServicePtr& service);
  void startNew();
  void answered(const ServicePtr& service, const Result<std::string>& answer);
  void fail(const ServicePtr& service, const common::Json& failure);
  void needConfiguration(const ServicePtr& service, const std::string& message);
  void restartLater(const ServicePtr& service);
  void schedule(const ServicePtr& service);
  void settleLater(const ServicePtr& service);
  /// Completes without an error, also when the environment has ended.
  void callStop(const std::string& name, Completion<void> done);

  std::shared_ptr<Generation> generation_;
  Context context_;
  std::vector<ServicePtr> services_;
  bool activating_ = false;
  bool activated_ = false;
  bool closed_ = false;
  ThreadBound main_thread_;
};

}  // namespace svc::plugins
