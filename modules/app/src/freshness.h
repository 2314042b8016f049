#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace svc::app {

/// True when dist/<target>.js is missing, was built with another SDK, or is older than a source of the plugin: any file
/// below the root outside dist and node_modules whose path has no name that starts with a dot. Blocks.
[[nodiscard]] bool needsBuild(const std::filesystem::path& root, std::string_view target,
                              const std::string& plugin_id);

}  // namespace svc::app
