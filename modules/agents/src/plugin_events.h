#pragma once

#include <memory>
#include <utility>

#include "svc/agents/plugin_events.h"
#include "svc/plugins/plugins.h"

#include "event_handlers.h"

namespace svc::agents {

/// Thread-safe.
class PluginEvents final : public IPluginEvents {
 public:
  PluginEvents(plugins::ILoadedPlugins& loaded, std::shared_ptr<const EventHandlers> handlers)
      : loaded_(loaded), handlers_(std::move(handlers)) {}
  void emit(std::string_view name, const common::RawJson& payload) override;

 private:
  plugins::ILoadedPlugins& loaded_;
  const std::shared_ptr<const EventHandlers> handlers_;
};

}  // namespace svc::agents
