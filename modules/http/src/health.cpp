#include "health.h"

#include "svc/common/json.h"
#include "svc/kernel/thread_role.h"

namespace svc::http {
namespace {

using common::Json;

/// Adds one contribution to its member, joining arrays.
void addTo(Json& members, const std::string& name, const Json& value) {
  Json joined = members.find(name) ? members[name] : Json::array();
  if (value.isArray()) {
    for (const auto& item : value.items()) {
      joined.push(item);
    }
  } else {
    joined.push(value);
  }
  members.set(name, std::move(joined));
}

bool isReady(const Json& module) { return module["state"].asString() == "ready"; }

}  // namespace

Handle Health::contribute(ReadyReport report) {
  auto entry = std::make_shared<Entry>();
  entry->report = std::move(report);
  {
    const std::scoped_lock lock(state_->mutex);
    state_->entries.push_back(entry);
  }
  return Handle([state = state_, entry = std::move(entry)] {
    {
      const std::scoped_lock lock(state->mutex);
      std::erase(state->entries, entry);
    }
    entry->gate.close(threadRole() == ThreadRole::kIo ? CallGate::Wait::kNo : CallGate::Wait::kYes);
  });
}

Response Health::answer(Serving serving) const {
  Entries entries;
  {
    const std::scoped_lock lock(state_->mutex);
    entries = state_->entries;
  }
  Json members = Json::object();
  members.set("modules", Json::array());
  members.set("plugins", Json::array());
  for (const auto& entry : entries) {
    const GatedCall call(entry->gate);
    if (!call) {
      continue;
    }
    if (const auto value = Json::parse(entry->report.json_value())) {
      addTo(members, entry->report.member, value.value());
    }
  }
  bool ready = serving == Serving::kYes;
  for (const auto& module : members["modules"].items()) {
    ready = ready && isReady(module);
  }
  Response response;
  response.status = ready ? 200 : 503;
  response.headers.push_back({"cache-control", "no-store"});
  response.body = members.dump();
  return response;
}

}  // namespace svc::http
