#pragma once

#include <string>

#include "svc/kernel/result.h"

#include "places.h"

namespace svc::hostfiles {

/// host.write-file, JSON text of the command object → JSON text of the result. As a whole or not at all. Two writers with the same
/// expectedSha256 have one that is told `conflict`. Blocks: for workers.
[[nodiscard]] Result<std::string> writeFile(const Bounds& bounds, const std::string& command);

}  // namespace svc::hostfiles
