#include <utility>

#include "svc/common/codes.h"

#include "async.h"
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
  onMain<PluginSwitchPtr>(std::move(done), [this, plugin_id = std::move(plugin_id)](
                                               Completion<PluginSwitchPtr> answer) {
    auto reply = shared(std::move(answer));
    enqueue(registry_, reply,
            [self = shared_from_this(), plugin_id, reply](Completion<void> registered) {
              const auto plugin = self->find(plugin_id);
              if (!plugin) {
                (*reply)(unknownPlugin(plugin_id));
                return;
              }
              self->enqueue(plugin->operations, reply,
                            [self, plugin, reply, registered = shared(std::move(registered))](
                                Completion<void> finished) {
                              self->beginSwitch(plugin, std::move(*reply), std::move(*registered),
                                                std::move(finished));
                            });
            });
  });
}

void PluginManager::beginSwitch(const PluginPtr& plugin, Completion<PluginSwitchPtr> done,
                                Completion<void> registered, Completion<void> finished) {
  if (with_.safe_mode->holds(plugin->row)) {
    done(heldBack(plugin->row.id));
    return;
  }
  PluginSwitch::Parts parts;
  parts.lifecycle = lifecycle_;
  parts.stopping = [weak = weak_from_this()] {
    const auto self = weak.lock();
    return !self || self->shutting_down_;
  };
  parts.registered = std::move(registered);
  parts.finished = std::move(finished);
  done(PluginSwitchPtr(std::make_shared<PluginSwitch>(with_, plugin, std::move(parts))));
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
