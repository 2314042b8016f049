#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"

#include "plugin_manager.h"

namespace svc::plugins {

Error PluginManager::heldBack(const std::string& plugin_id) {
  auto details = common::Json::object();
  if (!plugin_id.empty()) {
    details.set("pluginId", plugin_id);
  }
  const auto what = plugin_id.empty() ? std::string("no plugin can be installed or loaded")
                                      : fmt::format("plugin \"{}\" cannot be loaded", plugin_id);
  return {errc::kSafeMode,
          fmt::format("safe mode is on: {}; turn it off with `svc plugin safe-mode off`", what),
          details.dump()};
}

void PluginManager::safeMode(Completion<SafeModeState> done) {
  onMain<SafeModeState>(std::move(done), [this](Completion<SafeModeState> answer) {
    answer(SafeModeState{.enabled = with_.safe_mode->on(), .problems = {}});
  });
}

void PluginManager::setSafeMode(bool enabled, Completion<SafeModeState> done) {
  startOnMain(std::move(done), &PluginManager::changeSafeMode, enabled);
}

Course<SafeModeState> PluginManager::changeSafeMode(bool enabled) {
  const auto self = shared_from_this();
  const auto registered = co_await registry_.turn();
  if (!registered) {
    co_return registered.error();
  }
  auto stored = co_await ask(*with_.safe_mode, &SafeMode::set, enabled);
  if (!stored) {
    co_return std::move(stored).error();
  }
  SafeModeState state;
  state.enabled = enabled;
  if (enabled) {
    std::vector<Course<void>> holds;
    for (const auto& [id, plugin] : plugins_) {
      if (with_.safe_mode->holds(plugin->row)) {
        holds.push_back(holdOne(plugin));
      }
    }
    std::ignore = co_await all(std::move(holds));
    co_return state;
  }

  std::vector<PluginPtr> chosen;
  for (const auto& [id, plugin] : plugins_) {
    if (plugin->row.enabled && !plugin->current) {
      chosen.push_back(plugin);
    }
  }
  std::ignore = co_await loadEach(chosen);
  for (const auto& plugin : chosen) {
    if (shownStatus(*plugin) != PluginStatus::kRunning && !plugin->removed) {
      state.problems.push_back(makeRecord(*plugin));
    }
  }
  co_return state;
}

Course<void> PluginManager::holdOne(PluginPtr plugin) {
  const auto self = shared_from_this();
  if (plugin->cancel_load) {
    plugin->cancel_load(SafeMode::kDetail);
  }
  // Without a turn where there is no room: what must not run is not left running.
  const auto operation = co_await plugin->operations.turn();
  if (!operation && operation.error().code != errc::kOverloaded) {
    co_return operation.error();
  }
  lifecycle_->setStatus(*plugin, PluginStatus::kDisabled, SafeMode::kDetail);
  auto unloaded = co_await ask(*lifecycle_, &Lifecycle::unload, plugin, kDisposeLimits);
  co_return unloaded;
}

}  // namespace svc::plugins
