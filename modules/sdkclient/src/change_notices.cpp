#include "change_notices.h"

#include <algorithm>
#include <utility>

namespace svc::sdkclient {
namespace {

bool waitsFor(const plugins::IGeneration& generation, const std::string& event) {
  const auto registration = generation.registration("sdk-subscriptions");
  const auto& events = registration.items();
  return std::any_of(events.begin(), events.end(),
                     [&event](const common::Json& name) { return name.asString() == event; });
}

}  // namespace

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

void notifySubscribers(plugins::ILoadedPlugins& loaded, const std::string& event,
                       const common::Json& notice) {
  for (const auto& generation : loaded.all()) {
    if (!waitsFor(*generation, event)) {
      continue;
    }
    loaded.acquire(generation->pluginId(),
                   [event, body = notice.dump()](const Result<plugins::GenerationPtr>& load) {
                     if (load && waitsFor(*load.value(), event)) {
                       load.value()->invoke("event:" + event,
                                            {.function = "sdk.notify", .meta = event, .body = body},
                                            [](const Result<std::string>&) {});
                     }
                   });
  }
}

}  // namespace svc::sdkclient
