#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "svc/kernel/completion.h"
#include "svc/kernel/executor.h"
#include "svc/plugins/plugins.h"

namespace svc::plugins {

struct DisposeAction {
  std::string name;  ///< for the log
  std::function<void(Completion<void> done)> run;
};

/// A disposal as data: what each phase does and for how long it may.
struct DisposePlan {
  struct Phase {
    std::chrono::milliseconds limit{};
    std::string_view limit_name;  ///< of the contract; empty when it has none
    std::vector<DisposeAction> actions;
  };
  std::array<Phase, kDisposePhaseCount> phases;
  std::chrono::milliseconds total{};

  [[nodiscard]] Phase& at(DisposePhase phase) { return phases.at(static_cast<std::size_t>(phase)); }
};

/// Runs the phases in order; the actions of one phase start together. A failing or overrunning
/// action is reported and never stops the rest; when the total runs out, the remaining phases are
/// skipped. Lives on the executor's thread and keeps itself alive until it is done.
class DisposeSequence final : public std::enable_shared_from_this<DisposeSequence> {
 public:
  /// `overran` is false for an action that failed.
  using Report = std::function<void(DisposePhase phase, const std::string& message, bool overran)>;

  DisposeSequence(IExecutor& executor, DisposePlan plan, Report report);
  void run(Completion<void> done);

 private:
  void startPhase(std::size_t index);
  void endAction(std::size_t index, std::size_t action, const Status& status);
  void overrun(std::size_t index, std::chrono::milliseconds limit, std::string_view limit_name);
  void finish();

  IExecutor& executor_;
  DisposePlan plan_;
  Report report_;
  Completion<void> done_;
  std::size_t phase_ = 0;
  std::map<std::size_t, std::string> running_;
  Handle phase_timer_;
  Handle total_timer_;
};

}  // namespace svc::plugins
