#pragma once

#include <filesystem>

#include "svc/kernel/result.h"

#include "database.h"

namespace svc::storage {

/// What lies in the data directory is named by its whole path. After the directory was moved, copied, or restored elsewhere, the rows
/// name the place of before: here they get that of now. Files of managed plugins, and folders of threads on the server's machine.
[[nodiscard]] Status adoptDirectory(Database& database, const std::filesystem::path& data);

}  // namespace svc::storage
