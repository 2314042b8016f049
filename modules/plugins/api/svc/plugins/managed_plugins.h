#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "svc/kernel/completion.h"
#include "svc/kernel/result.h"
#include "svc/kernel/service_id.h"
#include "svc/plugins/plugin_record.h"
#include "svc/storage/plugin_store.h"

namespace svc::plugins {

/// What a package.json says about a plugin, as far as installing one needs it. Entries are relative to the root.
struct ManifestSummary {
  std::string id;
  std::string package_name;
  std::string version;
  std::string name;
  std::string server_entry;
  std::string app_entry;   ///< empty = none
  std::string host_entry;  ///< empty = none
  std::string engine_service;
  std::string engine_sdk;
};

/// What a package declares and says of itself: read without running anything of it.
struct PackageContents {
  ManifestSummary manifest{};
  std::string description{};
  std::string icon{};  ///< the name of an icon of the window; empty: a file, or none
  std::vector<Capability> capabilities{};  ///< skills and themes
  std::string overview{};                  ///< the beginning of its PLUGIN_OVERVIEW.md
  std::vector<Problem> problems{};         ///< what the service would skip or refuse
};

/// Plugins whose files the service manages: what a package says, and their registration. Thread-safe.
class IManagedPlugins {
 public:
  static constexpr ServiceId kId{"svc.plugins.ManagedPlugins", 1};
  virtual ~IManagedPlugins() = default;

  /// The bytes of a package.json. `install_refused` (reason no_manifest, path_escape).
  [[nodiscard]] virtual Result<ManifestSummary> parseManifest(std::string_view bytes) const = 0;
  /// package.json below a directory, and that the files it names exist inside. Blocks. `install_refused` (reason
  /// not_found, no_manifest, path_escape).
  [[nodiscard]] virtual Result<ManifestSummary> readManifest(
      const std::filesystem::path& root) const = 0;
  /// As readManifest(), with all that the files say. Blocks.
  [[nodiscard]] virtual Result<PackageContents> readPackage(
      const std::filesystem::path& root) const = 0;
  /// Why this service cannot run what asks for these engines; empty when it can.
  [[nodiscard]] virtual std::string incompatibility(const std::string& engine_service,
                                                    const std::string& engine_sdk) const = 0;
  /// The directory of a plugin that ships with the service; empty when there is none of that name. Blocks.
  [[nodiscard]] virtual std::filesystem::path builtinDirectory(std::string_view name) const = 0;
  /// True for ids that the service keeps for itself.
  [[nodiscard]] virtual bool isReserved(std::string_view plugin_id) const = 0;

  /// Whether a plugin of this id and source can be installed now: `install_refused` (reason reserved_id, id_in_use,
  /// use_update) or `safe_mode`. Fires on the main thread.
  virtual void check(storage::PluginRow row, Completion<void> done) = 0;
  /// Checks as check(), writes the row, loads the plugin and runs its install handlers. The record carries its status:
  /// installed is not running. Fires on the main thread.
  virtual void install(storage::PluginRow row, Completion<PluginRecord> done) = 0;
  /// The row of an installed plugin. `unknown_plugin`. Fires on the main thread.
  virtual void row(std::string plugin_id, Completion<storage::PluginRow> done) = 0;
  /// Plugins of a marketplace that is no longer there stay as if installed from their source directly: their ids, ascending. Fires on
  /// the main thread.
  virtual void detach(std::string marketplace, Completion<std::vector<std::string>> done) = 0;
};

}  // namespace svc::plugins
