#include <utility>

#include "svc/common/codes.h"

#include "plugin_manager.h"
#include "plugin_switch.h"

namespace svc::plugins {

void PluginManager::rows(Completion<std::vector<storage::PluginRow>> done) {
  using Rows = std::vector<storage::PluginRow>;
  onMain<Rows>(std::move(done), [this](Completion<Rows> answer) {
    Rows out;
    for (const auto& [id, plugin] : plugins_) {
      out.push_back(plugin->row);
    }
    answer(std::move(out));
  });
}

void PluginManager::begin(std::string plugin_id, Completion<PluginSwitchPtr> done) {
  startOnMain(std::move(done), &PluginManager::beginSwitch, std::move(plugin_id));
}

Course<PluginSwitchPtr> PluginManager::beginSwitch(std::string plugin_id) {
  const auto self = shared_from_this();
  auto registered = co_await registry_.turn();
  if (!registered) {
    co_return std::move(registered).error();
  }
  const auto plugin = find(plugin_id);
  if (!plugin) {
    co_return unknownPlugin(plugin_id);
  }
  auto operation = co_await plugin->operations.turn();
  if (!operation) {
    co_return std::move(operation).error();
  }
  if (with_.safe_mode->holds(plugin->row)) {
    co_return heldBack(plugin_id);
  }
  PluginSwitch::Parts parts;
  parts.lifecycle = lifecycle_;
  parts.stopping = [weak = weak_from_this()] {
    const auto manager = weak.lock();
    return !manager || manager->shutting_down_;
  };
  parts.registered = std::move(registered).value();
  parts.operation = std::move(operation).value();
  co_return PluginSwitchPtr(std::make_shared<PluginSwitch>(with_, plugin, std::move(parts)));
}

void PluginManager::adopt(const storage::PluginRow& row) {
  if (const auto plugin = find(row.id)) {
    plugin->row = row;
  }
}

void PluginManager::setUpdateState(std::string plugin_id, common::Json state) {
  with_.main.post(
      [weak = weak_from_this(), plugin_id = std::move(plugin_id), state = std::move(state)] {
        const auto self = weak.lock();
        const auto plugin = self ? self->find(plugin_id) : nullptr;
        if (plugin && !(plugin->update_state == state)) {
          plugin->update_state = state;
          self->announce();
        }
      });
}

}  // namespace svc::plugins
