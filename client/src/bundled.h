#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace svc::client {

/// A plugin that ships with the service and that somebody has to ask for.
struct BundledPlugin {
  std::string id;
  std::string description;
};

/// Ascending by id. `share` is <prefix>/share/svc.
[[nodiscard]] std::vector<BundledPlugin> bundledPlugins(const std::filesystem::path& share);
[[nodiscard]] bool isBundled(const std::filesystem::path& share, std::string_view id);

/// The sources of small plugins to read and to copy. `id` is the name of their folder.
[[nodiscard]] std::vector<BundledPlugin> bundledExamples(const std::filesystem::path& share);
[[nodiscard]] bool isExample(const std::filesystem::path& share, std::string_view id);
[[nodiscard]] std::filesystem::path exampleDirectory(const std::filesystem::path& share,
                                                     std::string_view id);

}  // namespace svc::client
