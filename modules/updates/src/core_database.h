#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "svc/kernel/result.h"

namespace svc::updates {

struct CoreDatabase {
  std::int64_t schema = 0;           ///< number of the last migration
  std::vector<std::string> plugins;  ///< ids, ascending
};

/// What a core database says about itself. `unavailable` when it is none, or damaged. Blocking.
[[nodiscard]] Result<CoreDatabase> readCoreDatabase(const std::filesystem::path& file);

}  // namespace svc::updates
