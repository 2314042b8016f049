#include "change_notices.h"

#include <algorithm>
#include <utility>

namespace svc::sdkclient {

common::Json changeNotice(const realtime::Change& change) {
  const auto& kinds = change.kinds;
  if (change.audience == realtime::Audience::kDetail &&
      std::find(kinds.begin(), kinds.end(), "events-appended") != kinds.end()) {
    return {};
  }
  auto names = common::Json::array();
  for (const auto& kind : kinds) {
    names.push(kind);
  }
  auto notice = common::Json::object();
  if (!change.id.empty()) {
    notice.set("id", change.id);
  }
  notice.set("changes", std::move(names));
  if (!change.metadata.empty()) {
    notice.set("metadata", common::Json::raw(common::RawJson(change.metadata)));
  }
  return notice;
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
