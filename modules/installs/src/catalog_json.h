#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "svc/common/json.h"
#include "svc/plugins/plugin_record.h"

#include "install_targets.h"
#include "marketplaces.h"

namespace svc::installs {

/// Which entries of marketplaces are installed.
class InstalledEntries {
 public:
  explicit InstalledEntries(const std::vector<plugins::PluginRecord>& records);

  struct Plugin {
    std::string id;
    std::string version;
  };
  /// Null when it is not installed.
  [[nodiscard]] const Plugin* find(const CatalogHit& hit) const;

 private:
  std::map<std::string, Plugin> by_entry_;  // "<entry>@<marketplace>"
  /// Those that were installed from the package or the archive itself, by its identity.
  std::map<std::string, Plugin> by_source_;
};

[[nodiscard]] common::Json toJson(const Marketplace& marketplace);
/// How the refresh of one list went; `error` empty = well.
[[nodiscard]] common::Json refreshJson(const std::string& name, const std::string& error,
                                       const std::optional<Marketplace>& marketplace);
/// `incompatible`: why this service cannot run it; empty when nothing speaks against it.
[[nodiscard]] common::Json entryJson(const CatalogHit& hit, const InstalledEntries& installed,
                                     const std::string& incompatible);
/// An entry as an install would take it now.
[[nodiscard]] common::Json planJson(const CatalogHit& hit, const InstalledEntries& installed,
                                    const InstallPreview& preview);

}  // namespace svc::installs
