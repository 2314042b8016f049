#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "svc/kernel/result.h"

namespace svc::installs {

/// Where a repository says which plugins it holds.
inline constexpr const char* kPluginList = ".svc/plugins.json";

/// One plugin of such a list.
struct ListedPlugin {
  std::string name;
  std::string source;  ///< its directory, as the list has it: not checked

  friend bool operator==(const ListedPlugin&, const ListedPlugin&) = default;
};

/// Reads a list; what has no name is left out. A pure function; `install_refused` (no_manifest) when it is not JSON.
[[nodiscard]] Result<std::vector<ListedPlugin>> parsePluginList(std::string_view text,
                                                                std::string_view url);
/// "a, b", at most as many as a person reads.
[[nodiscard]] std::string namesOf(const std::vector<ListedPlugin>& plugins);
/// Only those whose directory is inside the repository.
[[nodiscard]] std::vector<ListedPlugin> installable(std::vector<ListedPlugin> plugins);

}  // namespace svc::installs
