#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "svc/kernel/thread_bound.h"

#include "collaborators.h"
#include "disposal.h"
#include "load_run.h"
#include "plugin_state.h"

namespace svc::plugins {

/// What happens to one plugin at a time: load, reload, unload, and what follows when an environment
/// ends by itself. Main thread only. The caller serialises load() and unload() of one plugin
/// through PluginState::operations.
class Lifecycle final : public std::enable_shared_from_this<Lifecycle> {
 public:
  /// `changed` is called after every change of a status; `find` gives the installed plugin with an
  /// id, or null.
  Lifecycle(Collaborators with, const ManagerSettings& settings, std::function<void()> changed,
            std::function<PluginPtr(const std::string& plugin_id)> find);

  /// Loads the plugin, or replaces what is loaded. On failure the error's message says what became
  /// of the plugin.
  void load(const PluginPtr& plugin, Completion<void> done);
  /// Disposes what is loaded, and waits (bounded) for the end of its environment. Sets no status.
  void unload(const PluginPtr& plugin, const DisposeLimits& limits, Completion<void> done);
  /// As unload(), except that calls wait until the next load publishes or something withdraws.
  void suspend(const PluginPtr& plugin, Completion<void> done);
  void setStatus(PluginState& plugin, PluginStatus status, std::string detail);
  /// No automatic load any more.
  void stopRestarts() { restarts_allowed_ = false; }

 private:
  void loadFailed(const PluginPtr& plugin, const LoadRun::Failure& failure, Completion<void>& done);
  void disposeLoaded(const PluginPtr& plugin, const DisposeLimits& limits, Completion<void> done);
  void retire(const PluginPtr& plugin, const std::shared_ptr<Generation>& previous,
              const DisposeLimits& limits, DisposeAnswers answers);
  void examine(const std::shared_ptr<Generation>& generation);
  void environmentEnded(const PluginPtr& plugin, const script::Termination& termination);
  void scheduleRestart(const PluginPtr& plugin);
  /// After a pause that grows; says when, for the detail.
  [[nodiscard]] std::string loadAgain(const PluginPtr& plugin);
  [[nodiscard]] std::chrono::milliseconds nextDelay(PluginState& plugin) const;
  void published(const PluginPtr& plugin);
  /// Status and detail of what is loaded, once its services have been started.
  void present(PluginState& plugin);
  void show(PluginState& plugin);

  Collaborators with_;
  const ManagerSettings& settings_;
  std::function<void()> changed_;
  std::function<PluginPtr(const std::string&)> find_;
  std::uint64_t last_load_id_ = 0;
  bool restarts_allowed_ = true;
  ThreadBound main_thread_;
};

}  // namespace svc::plugins
