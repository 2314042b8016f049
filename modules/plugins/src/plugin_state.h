#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "svc/plugins/plugin_record.h"
#include "svc/storage/plugin_store.h"

#include "async.h"
#include "generation.h"
#include "manifest.h"
#include "meters.h"

namespace svc::plugins {

/// Everything the manager knows about one installed plugin. Main thread only.
struct PluginState {
  PluginState(storage::PluginRow installed, IExecutor& main)
      : row(std::move(installed)), operations(main) {}

  storage::PluginRow row;
  /// Of the loaded generation, else of the last attempt that could read it.
  std::optional<Manifest> manifest;
  PluginStatus status = PluginStatus::kStarting;
  std::string detail;
  /// Names what outlived a disposal, while that environment is still there.
  std::string degraded;
  std::shared_ptr<Generation> current;
  std::shared_ptr<Meters> meters = std::make_shared<Meters>();
  std::optional<std::int64_t> loaded_at;
  std::optional<std::int64_t> load_ms;
  /// Terminations in a row, for the delay of the next automatic load.
  unsigned restarts = 0;
  Handle restart_timer;
  /// Lifecycle operations, one at a time.
  JobQueue operations;
  /// Ends the load that is under way, if any.
  std::function<void(const std::string& why)> cancel_load;
  bool removed = false;
};
using PluginPtr = std::shared_ptr<PluginState>;

/// The status the record shows: `degraded` hides the present one while it lasts.
[[nodiscard]] PluginStatus shownStatus(const PluginState& plugin);
[[nodiscard]] std::string shownDetail(const PluginState& plugin);
[[nodiscard]] PluginRecord makeRecord(const PluginState& plugin);

}  // namespace svc::plugins
