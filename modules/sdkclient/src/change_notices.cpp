#include "change_notices.h"

#include <algorithm>
#include <utility>

namespace svc::sdkclient {

common::Json changeNotice(const std::string& id, const std::vector<std::string>& changes) {
  auto names = common::Json::array();
  for (const auto& change : changes) {
    names.push(change);
  }
  auto notice = common::Json::object();
  if (!id.empty()) {
    notice.set("id", id);
  }
  return notice.set("changes", std::move(names));
}

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
