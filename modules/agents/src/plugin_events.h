#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "svc/agents/plugin_events.h"
#include "svc/plugins/plugins.h"

#include "event_handlers.h"

namespace svc::agents {

/// Thread-safe. Each event goes to one load of a plugin: while that is being replaced it waits, as calls do, for the load that takes over, in order
/// and at most lim.heldCalls per plugin; more are dropped, which the plugin's log says.
class PluginEvents final : public IPluginEvents, public std::enable_shared_from_this<PluginEvents> {
 public:
  PluginEvents(plugins::ILoadedPlugins& loaded, std::shared_ptr<const EventHandlers> handlers)
      : loaded_(loaded), handlers_(std::move(handlers)) {}
  void emit(std::string_view name, const common::RawJson& payload) override;

 private:
  struct Event {
    std::string name;
    std::string payload;
  };
  struct Waiting {
    std::deque<Event> events;
    std::size_t dropped = 0;
  };

  void emitTo(const std::string& plugin_id, Event event);
  /// Tells `load` what waits for it, also what comes meanwhile; nullptr: nobody is there to be told.
  void deliver(const std::string& plugin_id, const plugins::GenerationPtr& load);
  void tell(const plugins::GenerationPtr& load, const Event& event) const;

  plugins::ILoadedPlugins& loaded_;
  const std::shared_ptr<const EventHandlers> handlers_;
  std::mutex mutex_;
  /// Those that somebody delivers to, or has asked for the load of.
  std::map<std::string, Waiting> waiting_;
};

}  // namespace svc::agents
