#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "svc/common/limits/files.h"
#include "svc/kernel/result.h"

#include "places.h"

namespace svc::hostfiles {

/// What a listing may cost. When something is over, the listing is `truncated`.
struct ListingBounds {
  std::size_t scan = limits::kListingScan;
  /// Asked once for each directory.
  std::function<bool()> over = [] { return false; };
};

// { path, query?, limit?, rootPath? }, and for paths includeFiles, includeDirectories. Everything below the directory, in breadth, links
// named but not followed. What cannot be read is left out, as are names that are not UTF-8. They block: for workers.

/// → { files: { name, path }[], truncated }
[[nodiscard]] Result<std::string> listFiles(const Bounds& bounds, const std::string& command,
                                            const ListingBounds& costs);
/// → { paths: { kind, name, path, score, positions }[], truncated }
[[nodiscard]] Result<std::string> listPaths(const Bounds& bounds, const std::string& command,
                                            const ListingBounds& costs);

}  // namespace svc::hostfiles
