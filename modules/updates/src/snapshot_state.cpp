#include "snapshot_state.h"

#include <map>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"

#include "plugin_row_json.h"

namespace svc::updates {
namespace {

using common::Json;
using storage::ScheduleRow;

constexpr std::int64_t kStateFormat = 1;

Json valuesJson(const std::map<std::string, common::RawJson>& values) {
  auto out = Json::object();
  for (const auto& [key, value] : values) {
    out.set(key, value.text());
  }
  return out;
}

std::map<std::string, common::RawJson> readValues(const Json& object) {
  std::map<std::string, common::RawJson> out;
  for (const auto& [key, text] : object.members()) {
    out.emplace(key, common::RawJson(text.asString()));
  }
  return out;
}

Json scheduleJson(const ScheduleRow& row) {
  return Json::object()
      .set("name", row.name)
      .set("cron", row.cron)
      .set("timezone", row.timezone)
      .set("nextRunAt", row.next_run_at)
      .set("lastRunAt", row.last_run_at ? Json(*row.last_run_at) : Json())
      .set("lastStatus", row.last_status)
      .set("lastError", row.last_error)
      .set("lastRunMissed", row.last_run_missed)
      .set("updatedAt", row.updated_at);
}

ScheduleRow readSchedule(const std::string& plugin_id, const Json& value) {
  ScheduleRow row;
  row.plugin_id = plugin_id;
  row.name = value["name"].asString();
  row.cron = value["cron"].asString();
  row.timezone = value["timezone"].asString();
  row.next_run_at = value["nextRunAt"].asInteger();
  if (value["lastRunAt"].isInteger()) {
    row.last_run_at = value["lastRunAt"].asInteger();
  }
  row.last_status = value["lastStatus"].asString();
  row.last_error = value["lastError"].asString();
  row.last_run_missed = value["lastRunMissed"].asBool();
  row.updated_at = value["updatedAt"].asInteger();
  return row;
}

}  // namespace

std::string stateText(const Snapshot& snapshot, const storage::PluginData& data) {
  auto schedules = Json::array();
  for (const auto& row : data.schedules) {
    schedules.push(scheduleJson(row));
  }
  return Json::object()
      .set("format", kStateFormat)
      .set("previous", rowJson(snapshot.previous))
      .set("target", rowJson(snapshot.target))
      .set("keyValues", valuesJson(data.key_values))
      .set("settings", valuesJson(data.settings))
      .set("schedules", std::move(schedules))
      .dump();
}

Status readState(const std::string& text, Snapshot& snapshot, storage::PluginData& data) {
  const auto parsed = Json::parse(text);
  if (!parsed || parsed.value()["format"].asInteger() != kStateFormat) {
    return Error{
        errc::kUnavailable,
        fmt::format("the snapshot {} of plugin \"{}\" is damaged: {}", snapshot.row.id,
                    snapshot.row.plugin_id, parsed ? "unknown format" : parsed.error().message)};
  }
  const auto& state = parsed.value();
  snapshot.previous = readRow(state["previous"]);
  snapshot.target = readRow(state["target"]);
  data.key_values = readValues(state["keyValues"]);
  data.settings = readValues(state["settings"]);
  for (const auto& schedule : state["schedules"].items()) {
    data.schedules.push_back(readSchedule(snapshot.row.plugin_id, schedule));
  }
  return {};
}

}  // namespace svc::updates
