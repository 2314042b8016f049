#pragma once

#include <vector>

#include "svc/common/codes.h"

namespace svc::common {

/// Every code of the wire contract, in the order of the table.
[[nodiscard]] std::vector<Errc> wireCodes();

}  // namespace svc::common
