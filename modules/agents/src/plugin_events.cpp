#include "plugin_events.h"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"

namespace svc::agents {

void PluginEvents::emit(std::string_view name, const common::RawJson& payload) {
  for (const auto& generation : loaded_.all()) {
    for (const auto handler : handlers_->of(generation->loadId(), std::string(name))) {
      // A failure of the handler is counted and logged by the generation, under this source.
      generation->invoke(
          fmt::format("event:{}", name),
          {.function = "events.emit", .meta = std::to_string(handler), .body = payload.text()},
          [weak = std::weak_ptr(generation),
           event = std::string(name)](const Result<std::string>& result) {
            const auto held = weak.lock();
            if (held && !result && result.error().code == errc::kOverloaded) {
              held->log("warn",
                        fmt::format("event \"{}\" was dropped: {}", event, result.error().message));
            }
          });
    }
  }
}

}  // namespace svc::agents
