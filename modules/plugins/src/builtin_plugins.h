#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "svc/common/json.h"
#include "svc/storage/plugin_store.h"

namespace svc::plugins {

inline constexpr const char* kBuiltinKind = "builtin";  ///< source kind and provenance
inline constexpr std::string_view kBuiltinPrefix = "builtin:";

/// The plugins that ship with the service: one directory each, named after the plugin, below `share/svc/builtin`. Any thread.
class BuiltinPlugins {
 public:
  BuiltinPlugins() = default;
  explicit BuiltinPlugins(std::filesystem::path directory) : directory_(std::move(directory)) {}

  /// Ascending. Blocks.
  [[nodiscard]] std::vector<std::string> names() const;
  /// Where it is; empty when there is no such plugin. Blocks.
  [[nodiscard]] std::filesystem::path directoryOf(std::string_view name) const;

 private:
  std::filesystem::path directory_;
};

/// Whether the key plugins.builtin (a boolean, or an array of names) asks for this one.
[[nodiscard]] bool isWanted(const common::Json& setting, const std::string& name);

/// A row for a bundled plugin that nobody has installed yet.
[[nodiscard]] storage::PluginRow builtinRow(const std::string& name,
                                            const std::filesystem::path& root, std::int64_t now);

/// What is wrong with the files of a bundled plugin, which `digests.json` beside them lists as SHA-256 by path; empty when nothing is, and
/// for a directory without that file, which is one of a source tree. Blocks.
[[nodiscard]] std::string damageOf(const std::filesystem::path& root);

}  // namespace svc::plugins
