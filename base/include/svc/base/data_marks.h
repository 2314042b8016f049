#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "svc/base/marked_processes.h"

namespace svc::base {

/// How the marks (kProcessMark) begin of what a server starts on this data directory: by its place on the file system, which no copy has
/// and no other container. Empty when that cannot be told.
[[nodiscard]] std::string marksOf(const std::filesystem::path& data_directory);

/// As processesMarked(), all whose mark begins so; none for an empty text.
[[nodiscard]] std::vector<MarkedProcess> processesMarkedBelow(const std::string& prefix);

}  // namespace svc::base
