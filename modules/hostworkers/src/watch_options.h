#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "svc/kernel/result.h"

namespace svc::hostworkers {

/// What one file watch looks at.
struct WatchOptions {
  std::string root;                  ///< absolute, without an end slash
  std::vector<std::string> ignored;  ///< absolute: these and what is below them
  std::chrono::milliseconds debounce{};
  std::chrono::milliseconds max_wait{};
};

/// Of JSON text { rootPath, ignoredPaths?, debounceMs?, maxWaitMs? }. Errors name the option and its limit.
[[nodiscard]] Result<WatchOptions> parseWatchOptions(std::string_view json);

}  // namespace svc::hostworkers
