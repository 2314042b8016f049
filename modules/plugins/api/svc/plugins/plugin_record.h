#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "svc/common/json.h"

namespace svc::plugins {

enum class PluginStatus : std::uint8_t {
  kStarting,
  kRunning,
  kError,
  kIncompatible,
  kMissing,
  kDisabled,
  kDegraded,
  kNeedsConfiguration,
};

/// "starting", "running", "error", "incompatible", "missing", "disabled", "degraded", "needs-configuration".
[[nodiscard]] std::string_view statusName(PluginStatus status);

struct PluginError {
  std::int64_t at = 0;
  std::string message;
  std::string stack;   ///< empty when unknown
  std::string source;  ///< "rpc:<method>", "cli", "timer", "rejection", "load", …
};

struct HandlerStats {
  std::uint64_t count = 0;
  double total_ms = 0;
  double max_ms = 0;
  std::uint64_t error_count = 0;
};

struct Counters {
  std::uint64_t out_of_band_errors = 0;
  std::uint64_t watchdog_stalls = 0;
  std::uint64_t terminations = 0;
  std::uint64_t held_calls = 0;
};

/// What its environments have at the moment, of what has a limit per plugin.
struct Resources {
  std::uint64_t worker_threads = 0;
  std::uint64_t descriptors = 0;
  std::uint64_t database_bytes = 0;  ///< what SQLite holds
  std::uint64_t database_connections = 0;
};

struct Problem {
  std::string code;
  std::string message;
};

struct CliCommandInfo {
  std::string name;  ///< words separated by single spaces
  std::string summary;
  std::string usage;
};

/// The CLI registration of a plugin, as metadata: reading it runs no plugin code.
struct CliRegistration {
  std::string name;
  std::string summary;
  std::vector<CliCommandInfo> commands;
  bool renders_help = false;
  bool shadowed = false;
};

enum class ServiceState : std::uint8_t { kStopped, kRunning, kBackoff };

/// "stopped", "running", "backoff".
[[nodiscard]] std::string_view serviceStateName(ServiceState state);

struct ServiceError {
  std::int64_t at = 0;
  std::string message;
};

/// One background service of the loaded generation.
struct ServiceInfo {
  std::string name;
  ServiceState state = ServiceState::kStopped;
  std::uint64_t restarts = 0;
  std::optional<std::int64_t> next_start_at;
  std::optional<ServiceError> last_error;
};

/// One schedule as its row has it, whether or not the plugin is loaded.
struct ScheduleInfo {
  std::string name;
  std::string cron;      ///< as the plugin wrote it
  std::string timezone;  ///< IANA name
  std::int64_t next_run_at = 0;
  std::optional<std::int64_t> last_run_at;
  std::string last_status;  ///< "running", "ok", "error"; empty = null
  std::string last_error;   ///< empty = null
  bool last_run_missed = false;
};

/// Something a plugin adds to the service.
struct Capability {
  std::string kind;  ///< "skill", "theme", "agent-tool", "thread-integration"
  std::string id;
  std::string label;
  std::string detail;  ///< empty = null
};

/// The app bundle that is served for the loaded generation.
struct AppBundle {
  std::string js_url;
  std::string css_url;  ///< empty = null
  std::string hash;     ///< 16 hex digits over the bundle's files
  std::uint64_t js_bytes = 0;
  std::int64_t sdk_major = 0;
  std::string sdk_version;
  bool compatible = false;  ///< built for the SDK major of this service
  /// Properties of the window's plugin runtime it uses; null when its metadata does not say.
  std::optional<std::vector<std::string>> runtime_slots{};
};

/// Everything the inventory shows about one installed plugin. A value: a snapshot, not live.
struct PluginRecord {
  std::string id;
  std::string source;
  std::string source_display;
  std::string root_dir;
  std::string version;
  std::string provenance = "direct";
  bool is_orphaned_builtin = false;  ///< it came with the service, which no longer has it
  // Of a plugin from a marketplace; empty = null.
  std::string publisher_label;
  std::string catalog_entry_id;
  std::string catalog_marketplace_name;
  bool enabled = true;
  std::string name;
  std::string description;
  std::string icon;  ///< empty = null, as the addresses
  std::string icon_url;
  std::string logo_url;
  std::string logo_dark_url;
  std::map<std::string, std::string> icons;  ///< address by name
  std::string overview;                      ///< of the detail page; not in the list
  PluginStatus status = PluginStatus::kStarting;
  std::string status_detail;  ///< empty = null
  std::optional<PluginError> last_error;
  std::vector<Problem> problems;
  std::vector<std::string> unsupported;
  std::uint64_t generation = 0;
  std::optional<std::int64_t> loaded_at;
  std::optional<std::int64_t> load_ms;
  HandlerStats handler_stats;
  Counters counters;
  Resources resources;
  std::vector<ServiceInfo> services;    ///< in the order registered
  std::vector<ScheduleInfo> schedules;  ///< ascending by name
  std::optional<CliRegistration> cli;
  std::vector<Capability> capabilities;
  std::vector<std::string> provider_ids;  ///< of declared agent providers
  bool has_app = false;
  std::optional<AppBundle> app;  ///< null: nothing is loaded, or there is no valid bundle
  bool has_settings = false;
  /// What update checks and updates have found, as the contract shows it.
  common::Json update_state = common::Json::object();
};

/// The record as the routes and `svc plugin list --json` show it; every field of the contract is present.
[[nodiscard]] common::Json toJson(const PluginRecord& record);
[[nodiscard]] common::Json toJson(const ScheduleInfo& schedule);

}  // namespace svc::plugins

#include "svc/plugins/plugin_record_json.h"
