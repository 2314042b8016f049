#pragma once

#include <memory>
#include <string>
#include <vector>

#include "svc/common/json.h"
#include "svc/kernel/completion.h"
#include "svc/kernel/service_id.h"
#include "svc/plugins/plugin_record.h"
#include "svc/storage/plugin_store.h"

namespace svc::plugins {

/// One plugin that is being switched to another version. While this lives no other operation of the plugin runs, and
/// until load() nothing is installed, removed, enabled or disabled. Letting it go ends the switch; calls that still wait
/// are refused. Main thread; completions fire there. One step at a time.
class IPluginSwitch {
 public:
  virtual ~IPluginSwitch() = default;

  /// The plugin's row at this moment.
  [[nodiscard]] virtual const storage::PluginRow& row() const = 0;
  /// Calls wait from here until load() has ended, at most lim.updateHold; then they are refused. Disposes what is loaded
  /// and completes when its environment is gone (bounded). `detail` is the plugin's status detail meanwhile.
  virtual void suspend(std::string detail, Completion<void> done) = 0;
  /// Stores the row and makes it the plugin's; the generation counter stays.
  virtual void replace(storage::PluginRow row, Completion<void> done) = 0;
  /// Makes a row the plugin's that the store has already.
  virtual void adopt(storage::PluginRow row) = 0;
  /// Loads what the row names, when the plugin is enabled. The record carries its status.
  virtual void load(Completion<PluginRecord> done) = 0;
  /// Instead of load(): nothing can run. Status `error` with this detail.
  virtual void giveUp(std::string detail) = 0;
};
using PluginSwitchPtr = std::shared_ptr<IPluginSwitch>;

/// What updates need of the plugin manager. Any thread may call; completions fire on the main thread.
class IPluginUpdates {
 public:
  static constexpr ServiceId kId{"svc.plugins.PluginUpdates", 1};
  virtual ~IPluginUpdates() = default;

  /// The rows of every installed plugin, ascending by id.
  virtual void rows(Completion<std::vector<storage::PluginRow>> done) = 0;
  /// Waits its turn among the operations of the plugin. `unknown_plugin`, or `safe_mode` while it is held.
  virtual void begin(std::string plugin_id, Completion<PluginSwitchPtr> done) = 0;
  /// Before plugins are loaded: the store has another row of this plugin now. Main thread.
  virtual void adopt(const storage::PluginRow& row) = 0;
  /// `updateState` of the plugin's record, `lastFailure` apart.
  virtual void setUpdateState(std::string plugin_id, common::Json state) = 0;
};

}  // namespace svc::plugins
