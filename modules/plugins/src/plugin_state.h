#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "svc/plugins/plugin_record.h"
#include "svc/storage/plugin_store.h"

#include "generation.h"
#include "job_queue.h"
#include "manifest.h"
#include "meters.h"
#include "plugin_contents.h"
#include "saved_settings.h"
#include "scheduler.h"
#include "service_supervisor.h"

namespace svc::plugins {

/// Everything the manager knows about one installed plugin. Main thread only.
struct PluginState {
  PluginState(storage::PluginRow installed, IExecutor& main)
      : row(std::move(installed)), operations(main) {}

  storage::PluginRow row;
  /// Of the loaded generation, else of the last attempt that could read it.
  std::optional<Manifest> manifest;
  /// Read with it; null when that failed.
  ContentsPtr contents;
  /// Builds that a development loop could not make: "frontend bundle build failed: …".
  std::vector<std::string> dev_problems;
  /// The same of the last load that succeeded, which went on with the last good bundle.
  std::vector<std::string> build_problems;
  PluginStatus status = PluginStatus::kStarting;
  std::string detail;
  /// Names what outlived a disposal, by load, while that environment is still there.
  std::map<std::uint64_t, std::string> degraded;
  std::shared_ptr<Generation> current;
  /// Those of `current`, from load step 11 on.
  std::shared_ptr<ServiceSupervisor> services;
  /// What the last load had to say, and why the last reload failed: parts of the detail while something is loaded.
  std::string warnings;
  std::string reload_failure;
  /// Keeps the rows of every plugin; set when this one joins the list.
  std::shared_ptr<const Scheduler> schedules;
  /// What update checks have found: the record's `updateState`, without the failure that the row keeps.
  common::Json update_state = common::Json::object();
  std::shared_ptr<Meters> meters = std::make_shared<Meters>();
  /// Set when the plugin joins the list.
  std::shared_ptr<SavedSettings> settings;
  std::optional<std::int64_t> loaded_at;
  std::optional<std::int64_t> load_ms;
  /// Terminations in a row, for the delay of the next automatic load.
  unsigned restarts = 0;
  Handle restart_timer;
  /// Runs while files of a bundled plugin change.
  Handle source_timer;
  /// Lifecycle operations, one at a time.
  JobQueue operations;
  /// Ends the load that is under way, if any.
  std::function<void(const std::string& why)> cancel_load;
  bool removed = false;
  /// It came with the service, which no longer has it.
  bool orphaned = false;
};
using PluginPtr = std::shared_ptr<PluginState>;

/// "frontend bundle build failed: …", "host bundle build failed: …".
[[nodiscard]] std::string buildFailure(const DevProblem& problem);
/// The status the record shows: `degraded` hides the present one while it lasts.
[[nodiscard]] PluginStatus shownStatus(const PluginState& plugin);
[[nodiscard]] std::string shownDetail(const PluginState& plugin);
[[nodiscard]] PluginRecord makeRecord(const PluginState& plugin);

}  // namespace svc::plugins
