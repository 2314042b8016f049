#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "svc/common/limits/plugins.h"

#include "dispose_sequence.h"
#include "generation.h"
#include "plugin_api.h"
#include "service_supervisor.h"

namespace svc::plugins {

struct DisposeLimits {
  std::chrono::milliseconds hook = limits::kDisposeHook;
  std::chrono::milliseconds drain_log = limits::kDrainLog;
  std::chrono::milliseconds drain = limits::kDrain;
  std::chrono::milliseconds total = limits::kDisposeTotal;
  /// How long the end of the environment's thread is waited for after the phases.
  std::chrono::milliseconds gone = limits::kServiceStop;
  /// True: the signals of running calls abort first, so that they end early.
  bool abort_calls = false;
};

inline constexpr DisposeLimits kDisposeLimits{};

/// At shutdown everything together stays below the kernel's patience and below what a person
/// notices.
inline constexpr DisposeLimits kShutdownLimits{.hook = std::chrono::milliseconds{1000},
                                               .drain_log = std::chrono::milliseconds{500},
                                               .drain = std::chrono::milliseconds{1000},
                                               .total = std::chrono::milliseconds{1200},
                                               .gone = std::chrono::milliseconds{250},
                                               .abort_calls = true};

struct DisposeAnswers {
  /// Services have stopped, or were given up.
  Completion<void> services_over;
  /// The phases are over; the environment is being ended.
  Completion<void> phases_done;
  /// The environment's thread has gone, or the wait for it ran out.
  Completion<void> gone;
  /// An action outlived its phase.
  std::function<void(DisposePhase phase, const std::string& message)> overran;
};

/// Disposes one generation that lookups no longer see, and its services (null when they were never started). Main
/// thread; the answers come there.
void disposeGeneration(IExecutor& main, const PluginApi& api,
                       const std::shared_ptr<Generation>& generation,
                       const std::shared_ptr<ServiceSupervisor>& services,
                       const DisposeLimits& limits, DisposeAnswers answers);

}  // namespace svc::plugins
