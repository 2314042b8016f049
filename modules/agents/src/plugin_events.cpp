#include "plugin_events.h"

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/plugins.h"

namespace svc::agents {

void PluginEvents::emit(std::string_view name, const common::RawJson& payload) {
  const std::string event(name);
  for (const auto& generation : loaded_.all()) {
    if (handlers_->isHeard(generation->pluginId(), event)) {
      emitTo(generation->pluginId(), {event, payload.text()});
    }
  }
}

void PluginEvents::emitTo(const std::string& plugin_id, Event event) {
  {
    const std::scoped_lock lock(mutex_);
    const auto [waiting, is_first] = waiting_.try_emplace(plugin_id);
    auto& [events, dropped] = waiting->second;
    if (events.size() < limits::kHeldCalls) {
      events.push_back(std::move(event));
    } else {
      ++dropped;
    }
    if (!is_first) {
      return;
    }
  }
  loaded_.acquire(plugin_id,
                  [weak = weak_from_this(), plugin_id](const Result<plugins::GenerationPtr>& load) {
                    if (const auto self = weak.lock()) {
                      self->deliver(plugin_id, load ? load.value() : nullptr);
                    }
                  });
}

void PluginEvents::deliver(const std::string& plugin_id, const plugins::GenerationPtr& load) {
  while (true) {
    Event event;
    std::size_t dropped = 0;
    {
      const std::scoped_lock lock(mutex_);
      const auto waiting = waiting_.find(plugin_id);
      if (waiting == waiting_.end() || waiting->second.events.empty()) {
        dropped = waiting == waiting_.end() ? 0 : waiting->second.dropped;
        waiting_.erase(plugin_id);
      } else {
        event = std::move(waiting->second.events.front());
        waiting->second.events.pop_front();
      }
    }
    if (load && dropped > 0) {
      load->log("warn",
                fmt::format("{} events were dropped while the plugin was reloading: {} waited "
                            "already (limit heldCalls)",
                            dropped, limits::kHeldCalls));
    }
    if (event.name.empty()) {
      return;
    }
    if (load) {
      tell(load, event);
    }
  }
}

void PluginEvents::tell(const plugins::GenerationPtr& load, const Event& event) const {
  for (const auto handler : handlers_->of({load->pluginId(), load->loadId()}, event.name)) {
    // A failure of the handler is counted and logged by the generation, under this source.
    load->invoke(
        fmt::format("event:{}", event.name),
        {.function = "events.emit", .meta = std::to_string(handler), .body = event.payload},
        [load, name = event.name](const Result<std::string>& result) {
          if (!result && result.error().code == errc::kOverloaded) {
            load->log("warn",
                      fmt::format("event \"{}\" was dropped: {}", name, result.error().message));
          }
        });
  }
}

}  // namespace svc::agents
