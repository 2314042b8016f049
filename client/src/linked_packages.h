#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace svc::client {

/// The packages that a plugin depends on and that are links to folders outside of any node_modules, as those of a workspace are: its
/// author's own code. Paths of the links, relative to the plugin's folder; found where Node finds them, there or further up. Blocks.
[[nodiscard]] std::vector<std::string> linkedPackages(const std::filesystem::path& plugin);

}  // namespace svc::client
