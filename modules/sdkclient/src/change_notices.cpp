#include "change_notices.h"

#include <algorithm>
#include <utility>

namespace svc::sdkclient {

void notifySubscribers(const plugins::ILoadedPlugins& loaded, const std::string& event,
                       const common::Json& notice) {
  for (const auto& generation : loaded.all()) {
    const auto registration = generation->registration("sdk-subscriptions");
    const auto& events = registration.items();
    const bool waits =
        std::any_of(events.begin(), events.end(),
                    [&event](const common::Json& name) { return name.asString() == event; });
    if (waits) {
      generation->invoke("event:" + event,
                         {.function = "sdk.notify", .meta = event, .body = notice.dump()},
                         [](const Result<std::string>&) {});
    }
  }
}

}  // namespace svc::sdkclient
