#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "packages.h"

namespace svc::installs {

/// One plugin a marketplace lists.
struct MarketplaceEntry {
  std::string id;
  std::string display_name;
  std::string description;
  std::string icon;  ///< empty = null
  std::vector<std::string> tags;
  std::string author;
  std::string author_url;  ///< empty = null
  // What the list says that it needs; the package itself decides when it is installed. Empty = not said.
  std::string engine_service;
  std::string engine_sdk;
  SourceSpec source;
};

struct MarketplaceFile {
  struct Dropped {
    std::string id;
    std::string reason;
  };
  std::string name;
  std::vector<MarketplaceEntry> entries{};
  std::vector<Dropped> dropped{};
};

/// Only the list that ships with the service names files that do.
enum class ListOrigin : std::uint8_t { kAdded, kShipped };

/// Reads a marketplace.json. An entry that is wrong is dropped with its reason; a file that is wrong as a whole is
/// `install_refused` (not_found). A pure function.
[[nodiscard]] Result<MarketplaceFile> parseMarketplace(std::string_view bytes,
                                                       ListOrigin origin = ListOrigin::kAdded);

/// How well an entry answers a search, 0 = not at all. Every word has to be found somewhere; case does not matter.
[[nodiscard]] int searchScore(const MarketplaceEntry& entry, std::string_view query);

}  // namespace svc::installs
