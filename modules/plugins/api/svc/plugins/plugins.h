#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "svc/common/json.h"
#include "svc/jsruntime/script_runtime.h"
#include "svc/kernel/completion.h"
#include "svc/kernel/executor.h"
#include "svc/kernel/service_id.h"
#include "svc/plugins/plugin_record.h"

namespace svc::plugins {

/// One load of one plugin: what channels call into and hang their registrations on. Thread-safe. It is visible to
/// lookups only while it is the committed generation, so what is registered here appears and disappears with it.
class IGeneration {
 public:
  virtual ~IGeneration() = default;
  [[nodiscard]] virtual const std::string& pluginId() const = 0;
  /// Unique per load attempt within this process; never reused.
  [[nodiscard]] virtual std::uint64_t loadId() const = 0;

  /// Keeps a registration of a channel ("cli", "rpc") as a value; replaces an earlier one of that kind.
  virtual void setRegistration(const std::string& kind, common::Json value) = 0;
  /// Null when the kind was never registered. "manifest" is there from the start: {name, version, host}, where host is the
  /// path of the host entry or empty.
  [[nodiscard]] virtual common::Json registration(const std::string& kind) const = 0;

  /// Calls a function the plugin's environment handles. Counts as in flight until `done` fired: disposal drains it.
  /// `source` names the call in statistics and lastError ("rpc:todos_add"); empty: no handler, in none. `done`: script thread.
  virtual void invoke(std::string source, script::Invocation invocation,
                      Completion<std::string> done) = 0;
  /// As invoke, for a call that goes on after its handler has returned, because a response is still being sent: the time of the
  /// handler ends, and is counted, when a stop of `returned` is requested (any thread) or the call ends.
  virtual void invokeStreaming(std::string source, script::Invocation invocation,
                               std::stop_token returned, Completion<std::string> done) = 0;

  /// A line in the plugin's log. `level`: debug, info, warn, error.
  virtual void log(std::string_view level, std::string_view message) = 0;
  /// Reports a problem in the record (D35) and in the plugin's log.
  virtual void addProblem(Problem problem) = 0;
  /// Takes problems of this code out of the record: what they said is over.
  virtual void removeProblem(std::string_view code) = 0;
  /// Lists a member that was used and that this service only accepts (`unsupported[]` of the record); once per name.
  virtual void addUnsupported(std::string member) = 0;
};
using GenerationPtr = std::shared_ptr<IGeneration>;

/// The loaded map: the only lookup path to plugins. Thread-safe and quick (any thread, the io thread included).
class ILoadedPlugins {
 public:
  static constexpr ServiceId kId{"svc.plugins.LoadedPlugins", 1};
  virtual ~ILoadedPlugins() = default;
  /// Fires with the committed generation: at once on the calling thread when there is one; later, on the main thread,
  /// when a reload is handing over (at most lim.heldCalls wait); with `unknown_plugin` or `plugin_not_running` (details:
  /// pluginId, status, statusDetail) otherwise.
  virtual void acquire(const std::string& plugin_id, Completion<GenerationPtr> done) = 0;
  /// Every committed generation, ascending by id.
  [[nodiscard]] virtual std::vector<GenerationPtr> all() const = 0;
  /// For those who ask every plugin: fires, never with an error, when none is being loaded for the first time any more (since the start
  /// of the server, or its installation), or after `patience`. At once when none is. Main thread.
  virtual void settled(IMainExecutor& main, std::chrono::milliseconds patience,
                       Completion<void> done) = 0;
  /// Ids of the plugins that settled() waits for, ascending.
  [[nodiscard]] virtual std::vector<std::string> loading() const = 0;
};

/// The nine dispose phases, in their order.
enum class DisposePhase : std::uint8_t {
  kCloseWebSockets,
  kDisposeHostWorker,
  kAbortToolCalls,
  kInterruptInteractions,
  kStopServices,
  kRunHooks,
  kDrainInvocations,
  kCloseDatabases,
  kInvalidateContext,
};
inline constexpr std::size_t kDisposePhaseCount = 9;
[[nodiscard]] std::string_view phaseName(DisposePhase phase);

/// A channel's share of the `svc` object: a script part and the host functions behind it, bound to one generation
/// per environment.
struct ApiPart {
  std::string name;         ///< "rpc"; also the prefix of its host function names
  std::string_view script;  ///< as script::ScriptPart::source
  /// Called once per load, on the main thread; the functions may keep the generation only weakly.
  std::function<std::vector<script::HostFunction>(const std::weak_ptr<IGeneration>& generation)>
      functions;
  /// As functions; what the script gets with runtime.native(name). One object per load, which keeps to the limits that are its own.
  std::function<std::vector<script::NativeExtension>(const std::weak_ptr<IGeneration>& generation,
                                                     const script::ScriptLimits& limits)>
      natives{};
};

enum class BundleTarget : std::uint8_t { kApp, kHost };

/// A bundle that could not be built.
struct DevProblem {
  BundleTarget target = BundleTarget::kApp;
  std::string message;
};

/// What load step 4 works on.
struct ArtifactRequest {
  std::uint64_t load_id = 0;  ///< IGeneration::loadId() of the generation this load creates later
  std::string plugin_id;
  std::string version;
  std::string root_dir;
  std::string source_kind;  ///< PluginRow::source_kind
  std::string digests;      ///< PluginRow::digests
  // Entry files of the manifest, relative to the root; empty when not declared.
  std::string server_entry;
  std::string app_entry;
  std::string host_entry;
};

/// Where channels plug themselves in, during their start(). Main thread only.
class IPluginApi {
 public:
  static constexpr ServiceId kId{"svc.plugins.PluginApi", 1};
  virtual ~IPluginApi() = default;
  /// Parts are evaluated in the order added, after the manager's own.
  [[nodiscard]] virtual Handle addPart(ApiPart part) = 0;
  /// Work a channel does in one phase of every disposal, on the main thread, bounded by the phase.
  [[nodiscard]] virtual Handle addDisposeStep(
      DisposePhase phase,
      std::function<void(const GenerationPtr& generation, Completion<void> done)> step) = 0;
  /// Load step 4: builds, reads or verifies artifacts before any code of the plugin runs. An error refuses the load
  /// (`error`); failed builds that do not are returned and folded into the status detail. In the order added.
  [[nodiscard]] virtual Handle addArtifactStep(
      std::function<void(const ArtifactRequest& request, Completion<std::vector<DevProblem>> done)>
          step) = 0;
  /// A check that can refuse an activation before the switch (load step 7b). Main thread.
  [[nodiscard]] virtual Handle addPrepareCheck(
      std::function<void(const GenerationPtr& generation, Completion<void> done)> check) = 0;
  /// Applies what a prepare check has validated, right after lookups have switched to the generation (load step 10).
  /// Cannot fail; main thread.
  [[nodiscard]] virtual Handle addCommitStep(
      std::function<void(const GenerationPtr& generation)> step) = 0;
};

struct ReloadOutcome {
  PluginRecord record;
  /// Set when the load failed; the message says whether the previous instance is still running.
  std::optional<Error> failure;
};

struct SafeModeState {
  bool enabled = false;
  /// After turning it off: the enabled plugins that do not run.
  std::vector<PluginRecord> problems;
};

/// Where an installed plugin comes from.
struct SourceDetail {
  struct Version {
    std::string version;
    std::string resolved;
    std::int64_t at = 0;
  };
  std::string requested;  ///< as the user gave it
  std::string resolved;   ///< the directory, or as PluginRow::resolved
  // Managed sources only; empty where they do not apply.
  std::string subdirectory{};
  std::string range{};
  std::string tag_prefix{};
  std::string resolved_tag{};
  std::string integrity{};
  std::string registry{};
  std::string engine_service;  ///< ranges of the manifest; empty = any
  std::string engine_sdk;
  std::int64_t installed_at = 0;
  std::vector<Version> history;  ///< newest first
};

/// What an install of a directory would find before any of its code runs.
struct Inspection {
  std::string id;  ///< empty when the manifest does not say
  std::vector<std::string>
      problems;  ///< each keeps the plugin from being installed, or from being loaded
  std::vector<std::string> warnings;
};

/// Installation and lifecycle. Any thread may call; completions fire on the main thread. Operations of one plugin
/// run one after another.
class IPluginManager {
 public:
  static constexpr ServiceId kId{"svc.plugins.PluginManager", 1};
  virtual ~IPluginManager() = default;

  virtual void list(Completion<std::vector<PluginRecord>> done) = 0;
  virtual void get(std::string plugin_id, Completion<PluginRecord> done) = 0;
  /// Looks at a directory by the rules of an install and changes nothing.
  virtual void inspect(std::string source, Completion<Inspection> done) = 0;
  /// Registers a plugin from a directory and loads it. The record carries its status: installed is not running.
  virtual void install(std::string source, Completion<PluginRecord> done) = 0;
  virtual void setEnabled(std::string plugin_id, bool enabled, Completion<PluginRecord> done) = 0;
  /// An empty id reloads every enabled plugin.
  virtual void reload(std::string plugin_id, Completion<std::vector<ReloadOutcome>> done) = 0;
  /// Completes with what was kept ("kv: 12 keys", "logs"). `purge` removes that as well.
  virtual void remove(std::string plugin_id, bool purge,
                      Completion<std::vector<std::string>> done) = 0;

  /// The settings of a plugin have been saved: one that waits for its configuration is loaded again. Announced like
  /// every change of a record.
  virtual void settingsSaved(std::string plugin_id) = 0;

  /// Replaces what the status detail says about failed builds; empty clears it.
  virtual void setDevProblems(std::string plugin_id, std::vector<DevProblem> problems,
                              Completion<void> done) = 0;
  virtual void source(std::string plugin_id, Completion<SourceDetail> done) = 0;

  virtual void safeMode(Completion<SafeModeState> done) = 0;
  /// On: every plugin that is not bundled is disposed and held (`disabled`) until it is off again, also across restarts.
  /// Off: loads the enabled ones. Completes when that is done.
  virtual void setSafeMode(bool enabled, Completion<SafeModeState> done) = 0;

  /// Called on the main thread after every change of the list or of a record's status; merged per loop turn.
  [[nodiscard]] virtual Handle onChanged(
      std::function<void(const std::vector<PluginRecord>& records)> listener) = 0;
};

struct LogQuery {
  std::size_t tail = 0;  ///< newest lines to return (oldest with `after`); 0 = lim.logTailDefault
  std::optional<std::uint64_t> after;  ///< only lines with seq greater than this
  std::string level;                   ///< minimum level; empty = all
};
struct LogPage {
  std::vector<std::string> lines;  ///< stored JSON lines, oldest first
  std::uint64_t cursor = 0;        ///< seq of the newest line that was looked at, for `after`
};

/// A line that does not come from the plugin's own environment.
struct LogLine {
  std::string level;   ///< debug, info, warn, error
  std::string source;  ///< "app", "host:<hostId>"
  std::uint64_t generation = 0;
  std::string message;
  std::string stack;  ///< may be empty
};

/// The plugins' log files. Thread-safe.
class IPluginLogs {
 public:
  static constexpr ServiceId kId{"svc.plugins.PluginLogs", 1};
  virtual ~IPluginLogs() = default;
  /// Reads both files on a worker. `unknown_plugin` when it is not installed.
  virtual void read(std::string plugin_id, LogQuery query, Completion<LogPage> done) = 0;
  /// Writes a line, secrets masked; dropped when the plugin is not installed. Never blocks.
  virtual void append(const std::string& plugin_id, LogLine line) = 0;
  /// Called (any thread) after a line was written. Quick.
  [[nodiscard]] virtual Handle onLine(
      std::function<void(const std::string& plugin_id, std::uint64_t seq)> listener) = 0;
};

}  // namespace svc::plugins
