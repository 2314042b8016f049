#include "plugin_changes.h"

#include <utility>

#include "svc/common/json.h"

namespace svc::realtime {

using common::Json;

std::string pluginsChangedFrame(const std::vector<plugins::PluginRecord>& records) {
  auto list = Json::array();
  for (const auto& record : records) {
    const auto json = toJson(record);
    auto entry = Json::object();
    entry.set("id", record.id)
        .set("status", json["status"])
        .set("hash", json["app"]["bundle"]["hash"]);
    list.push(std::move(entry));
  }
  return Json::object().set("type", "plugins-changed").set("plugins", std::move(list)).dump();
}

}  // namespace svc::realtime
