#include "event_handlers.h"

#include <algorithm>

namespace svc::agents {

Handle EventHandlers::keep(const Load& load) {
  return Handle([weak = weak_from_this(), load] {
    if (const auto self = weak.lock()) {
      const std::scoped_lock lock(self->mutex_);
      if (const auto plugin = self->plugins_.find(load.plugin_id); plugin != self->plugins_.end()) {
        plugin->second.erase(load.id);
        if (plugin->second.empty()) {
          self->plugins_.erase(plugin);
        }
      }
    }
  });
}

void EventHandlers::add(const Load& load, const std::string& event, std::int64_t id) {
  const std::scoped_lock lock(mutex_);
  plugins_[load.plugin_id][load.id][event].insert(id);
}

void EventHandlers::remove(const Load& load, const std::string& event, std::int64_t id) {
  const std::scoped_lock lock(mutex_);
  if (find(load, event) != nullptr) {
    plugins_[load.plugin_id][load.id][event].erase(id);
  }
}

const std::set<std::int64_t>* EventHandlers::find(const Load& load,
                                                  const std::string& event) const {
  const auto plugin = plugins_.find(load.plugin_id);
  if (plugin == plugins_.end()) {
    return nullptr;
  }
  const auto handlers = plugin->second.find(load.id);
  if (handlers == plugin->second.end()) {
    return nullptr;
  }
  const auto found = handlers->second.find(event);
  return found == handlers->second.end() ? nullptr : &found->second;
}

std::vector<std::int64_t> EventHandlers::of(const Load& load, const std::string& event) const {
  const std::scoped_lock lock(mutex_);
  const auto* found = find(load, event);
  return found == nullptr ? std::vector<std::int64_t>()
                          : std::vector<std::int64_t>(found->begin(), found->end());
}

bool EventHandlers::isHeard(const std::string& plugin_id, const std::string& event) const {
  const std::scoped_lock lock(mutex_);
  const auto plugin = plugins_.find(plugin_id);
  return plugin != plugins_.end() &&
         std::any_of(plugin->second.begin(), plugin->second.end(), [&event](const auto& load) {
           const auto found = load.second.find(event);
           return found != load.second.end() && !found->second.empty();
         });
}

}  // namespace svc::agents
