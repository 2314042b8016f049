#pragma once

#include "svc/agents/plugin_events.h"
#include "svc/plugins/plugins.h"

namespace svc::agents {

/// Thread-safe.
class PluginEvents final : public IPluginEvents {
 public:
  explicit PluginEvents(plugins::ILoadedPlugins& loaded) : loaded_(loaded) {}
  void emit(std::string_view name, const common::RawJson& payload) override;

 private:
  plugins::ILoadedPlugins& loaded_;
};

}  // namespace svc::agents
