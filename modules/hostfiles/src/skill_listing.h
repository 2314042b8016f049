#pragma once

#include <string>

#include "svc/kernel/result.h"

#include "places.h"

namespace svc::hostfiles {

/// The command `host.skills`. Blocks: for workers.
[[nodiscard]] Result<std::string> listSkills(const Bounds& bounds, const std::string& command);

}  // namespace svc::hostfiles
