#pragma once

#include "svc/kernel/completion.h"
#include "svc/kernel/executor.h"
#include "svc/storage/plugin_store.h"
#include "svc/storage/service_settings.h"

namespace svc::plugins {

/// Whether plugins that are not bundled are held. Main thread only; the answer survives a restart.
class SafeMode {
 public:
  /// What a held plugin has as its status detail.
  static constexpr const char* kDetail = "safe mode is on";

  SafeMode(storage::IServiceSettings& store, IWorkerPool& workers, IMainExecutor& main)
      : store_(store), workers_(workers), main_(main) {}

  /// Reads what was stored; `forced` turns it on (and stores that). Blocks: once, before anything is loaded.
  [[nodiscard]] Status open(bool forced);
  /// Takes effect when it is stored.
  void set(bool enabled, Completion<void> done);

  [[nodiscard]] bool on() const { return on_; }
  /// True for a plugin that would be loaded if safe mode were off.
  [[nodiscard]] bool holds(const storage::PluginRow& row) const {
    return on_ && row.enabled && row.provenance != "builtin";
  }

 private:
  storage::IServiceSettings& store_;
  IWorkerPool& workers_;
  IMainExecutor& main_;
  bool on_ = false;
};

}  // namespace svc::plugins
