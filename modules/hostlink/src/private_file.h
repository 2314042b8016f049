#pragma once

#include <filesystem>
#include <string_view>

#include "svc/kernel/result.h"

namespace svc::hostlink {

/// Replaces a file as a whole, mode 0600; durable when it returns. `unavailable` leaves the earlier one as it was. Blocks.
[[nodiscard]] Status writePrivateFile(const std::filesystem::path& path, std::string_view text);

}  // namespace svc::hostlink
