#pragma once

// Definitions of plugin_record.h: inline, because every channel shows records and none links the manager.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "svc/common/json.h"
#include "svc/plugins/plugin_record.h"

namespace svc::plugins {
namespace detail {

using common::Json;

inline Json orNull(const std::string& text) { return text.empty() ? Json() : Json(text); }

template <class Number>
inline Json orNull(const std::optional<Number>& value) {
  return value ? Json(*value) : Json();
}

inline Json lastError(const PluginRecord& record) {
  if (!record.last_error) {
    return {};
  }
  const auto& error = *record.last_error;
  return Json::object()
      .set("at", error.at)
      .set("message", error.message)
      .set("stack", orNull(error.stack))
      .set("source", error.source);
}

inline Json problems(const PluginRecord& record) {
  auto out = Json::array();
  for (const auto& problem : record.problems) {
    out.push(Json::object().set("code", problem.code).set("message", problem.message));
  }
  return out;
}

inline Json strings(const std::vector<std::string>& values) {
  auto out = Json::array();
  for (const auto& value : values) {
    out.push(value);
  }
  return out;
}

inline Json handlerStats(const HandlerStats& stats) {
  return Json::object()
      .set("count", stats.count)
      .set("totalMs", stats.total_ms)
      .set("maxMs", stats.max_ms)
      .set("errorCount", stats.error_count);
}

inline Json counters(const Counters& values) {
  return Json::object()
      .set("outOfBandErrors", values.out_of_band_errors)
      .set("watchdogStalls", values.watchdog_stalls)
      .set("terminations", values.terminations)
      .set("heldCalls", values.held_calls);
}

inline Json resources(const Resources& held) {
  return Json::object()
      .set("workerThreads", held.worker_threads)
      .set("descriptors", held.descriptors)
      .set("databaseBytes", held.database_bytes)
      .set("databaseConnections", held.database_connections);
}

inline Json services(const PluginRecord& record) {
  auto out = Json::array();
  for (const auto& service : record.services) {
    const auto& error = service.last_error;
    out.push(Json::object()
                 .set("name", service.name)
                 .set("state", serviceStateName(service.state))
                 .set("restarts", service.restarts)
                 .set("nextStartAt", orNull(service.next_start_at))
                 .set("lastError",
                      error ? Json::object().set("at", error->at).set("message", error->message)
                            : Json()));
  }
  return out;
}

inline Json scheduleJson(const ScheduleInfo& schedule) {
  return Json::object()
      .set("name", schedule.name)
      .set("cron", schedule.cron)
      .set("timezone", schedule.timezone)
      .set("nextRunAt", schedule.next_run_at)
      .set("lastRunAt", orNull(schedule.last_run_at))
      .set("lastStatus", orNull(schedule.last_status))
      .set("lastError", orNull(schedule.last_error))
      .set("lastRunMissed", schedule.last_run_missed);
}

inline Json schedules(const PluginRecord& record) {
  auto out = Json::array();
  for (const auto& schedule : record.schedules) {
    out.push(scheduleJson(schedule));
  }
  return out;
}

inline Json capabilities(const PluginRecord& record) {
  auto out = Json::array();
  for (const auto& capability : record.capabilities) {
    out.push(Json::object()
                 .set("kind", capability.kind)
                 .set("id", capability.id)
                 .set("label", capability.label)
                 .set("detail", orNull(capability.detail)));
  }
  return out;
}

inline Json cliCommand(const PluginRecord& record) {
  if (!record.cli) {
    return {};
  }
  return Json::object()
      .set("name", record.cli->name)
      .set("summary", record.cli->summary)
      .set("shadowed", record.cli->shadowed);
}

inline Json app(const PluginRecord& record) {
  Json bundle;
  if (record.app) {
    bundle = Json::object()
                 .set("jsUrl", record.app->js_url)
                 .set("cssUrl", orNull(record.app->css_url))
                 .set("hash", record.app->hash)
                 .set("jsBytes", record.app->js_bytes)
                 .set("sdkMajor", record.app->sdk_major)
                 .set("sdkVersion", record.app->sdk_version)
                 .set("compatible", record.app->compatible);
    if (record.app->runtime_slots) {
      auto slots = Json::array();
      for (const auto& slot : *record.app->runtime_slots) {
        slots.push(slot);
      }
      bundle.set("runtimeSlots", std::move(slots));
    }
  }
  return Json::object().set("hasApp", record.has_app).set("bundle", std::move(bundle));
}

inline Json icons(const PluginRecord& record) {
  auto out = Json::object();
  for (const auto& [name, url] : record.icons) {
    out.set(name, url);
  }
  return out;
}

/// Where a marketplace lists it; absent for a plugin that comes from none.
inline void setCatalog(Json& out, const PluginRecord& record) {
  if (!record.catalog_entry_id.empty()) {
    out.set("catalogEntryId", record.catalog_entry_id)
        .set("catalogMarketplaceName", record.catalog_marketplace_name);
  }
}

inline void setIdentity(Json& out, const PluginRecord& record) {
  out.set("id", record.id)
      .set("source", record.source)
      .set("sourceDisplay", record.source_display)
      .set("rootDir", record.root_dir)
      .set("version", record.version)
      .set("provenance", record.provenance)
      .set("isOrphanedBuiltin", record.is_orphaned_builtin)
      .set("publisherLabel", orNull(record.publisher_label))
      .set("enabled", record.enabled)
      .set("name", record.name)
      .set("description", record.description)
      .set("icon", orNull(record.icon))
      .set("iconUrl", orNull(record.icon_url))
      .set("logoUrl", orNull(record.logo_url))
      .set("logoDarkUrl", orNull(record.logo_dark_url))
      .set("icons", icons(record));
}

}  // namespace detail

inline common::Json toJson(const ScheduleInfo& schedule) { return detail::scheduleJson(schedule); }

inline std::string_view statusName(PluginStatus status) {
  constexpr std::array<std::string_view, 8> kNames{
      "starting", "running",  "error",    "incompatible",
      "missing",  "disabled", "degraded", "needs-configuration"};
  return kNames.at(static_cast<std::size_t>(status));
}

inline std::string_view serviceStateName(ServiceState state) {
  constexpr std::array<std::string_view, 3> kNames{"stopped", "running", "backoff"};
  return kNames.at(static_cast<std::size_t>(state));
}

inline common::Json toJson(const PluginRecord& record) {
  using common::Json;
  using namespace detail;  // NOLINT(google-build-using-namespace)
  auto out = Json::object();
  setIdentity(out, record);
  setCatalog(out, record);
  out.set("status", statusName(record.status))
      .set("statusDetail", orNull(record.status_detail))
      .set("lastError", lastError(record))
      .set("problems", problems(record))
      .set("unsupported", strings(record.unsupported))
      .set("generation", record.generation)
      .set("loadedAt", orNull(record.loaded_at))
      .set("loadMs", orNull(record.load_ms))
      .set("handlerStats", handlerStats(record.handler_stats))
      .set("counters", counters(record.counters))
      .set("resources", detail::resources(record.resources))
      .set("services", detail::services(record))
      .set("schedules", detail::schedules(record))
      .set("cliCommand", cliCommand(record))
      .set("capabilities", capabilities(record))
      .set("hasSettings", record.has_settings)
      .set("app", detail::app(record))
      .set("providerIds", strings(record.provider_ids))
      .set("updateState", record.update_state);
  return out;
}

}  // namespace svc::plugins
