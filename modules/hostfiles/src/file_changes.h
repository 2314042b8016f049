#pragma once

#include <string>

#include "svc/kernel/result.h"

#include "places.h"

namespace svc::hostfiles {

// Commands that change which names there are: JSON text of the command object → "{}". They block: for workers.

[[nodiscard]] Result<std::string> makeDirectory(const Bounds& bounds, const std::string& command);
/// Nothing is replaced, and a link is moved as a link.
[[nodiscard]] Result<std::string> movePath(const Bounds& bounds, const std::string& command);
/// A link is removed, not what it leads to.
[[nodiscard]] Result<std::string> removePath(const Bounds& bounds, const std::string& command);

}  // namespace svc::hostfiles
