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

void ChangeJoin::offer(std::string frame) {
  main_thread_.check();
  if (waiting_) {
    waiting_ = std::move(frame);
    return;
  }
  const auto now = clock_.steadyNow();
  if (!last_sent_ || now - *last_sent_ >= kChangedJoin) {
    sendNow(std::move(frame));
    return;
  }
  waiting_ = std::move(frame);
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*last_sent_ + kChangedJoin - now);
  timer_ = main_.after(left, [this] {
    auto newest = std::move(*waiting_);
    waiting_.reset();
    sendNow(std::move(newest));
  });
}

void ChangeJoin::sendNow(std::string frame) {
  main_thread_.check();
  last_sent_ = clock_.steadyNow();
  send_(std::move(frame));
}

}  // namespace svc::realtime
