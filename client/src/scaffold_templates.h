#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "console.h"

/// What a new plugin can begin with (scaffold/README.md).
namespace svc::client {

struct PluginTemplate {
  std::string_view name;
  std::string_view about;
};

/// In the order in which they are offered.
[[nodiscard]] std::span<const PluginTemplate> pluginTemplates();
/// The one without a choice.
inline constexpr std::string_view kUsualTemplate = "page";

/// The folders whose files it has, later ones over earlier ones. `share` is <prefix>/share/svc.
[[nodiscard]] std::vector<std::filesystem::path> templateFolders(const std::filesystem::path& share,
                                                                 std::string_view name);

/// Asks a person until an answer is the number or the name of one; nothing when the input ends. Enter is the usual one.
[[nodiscard]] std::optional<std::string> askForTemplate(const Console& console);

}  // namespace svc::client
