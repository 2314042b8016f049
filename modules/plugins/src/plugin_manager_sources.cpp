#include <utility>

#include "svc/common/limits/builds.h"

#include "plugin_manager.h"

namespace svc::plugins {

void PluginManager::sourcesChanged(std::set<std::string> names) {
  with_.main.post([weak = weak_from_this(), names = std::move(names)] {
    const auto self = weak.lock();
    if (!self || self->shutting_down_) {
      return;
    }
    for (const auto& [id, plugin] : self->plugins_) {
      if (plugin->row.source_kind == kBuiltinKind && (names.empty() || names.contains(id))) {
        plugin->source_timer = self->with_.main.after(limits::kDevDebounce, [weak, id = id] {
          if (const auto manager = weak.lock()) {
            manager->reloadChanged(id).start({});
          }
        });
      }
    }
  });
}

Course<void> PluginManager::reloadChanged(std::string id) {
  const auto self = shared_from_this();
  const auto plugin = find(id);
  if (shutting_down_ || !plugin || !plugin->row.enabled) {
    co_return {};
  }
  const auto outcome = co_await reloadOne(plugin);
  if (outcome && !outcome.value().failure) {
    with_.log->info("the files of the bundled plugin {} have changed: reloaded", id);
  } else {
    const auto& why = outcome ? *outcome.value().failure : outcome.error();
    with_.log->warn("the files of the bundled plugin {} have changed: reload failed: {}", id,
                    why.message);
  }
  co_return {};
}

}  // namespace svc::plugins
