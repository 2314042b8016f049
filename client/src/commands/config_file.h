#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>

#include "svc/base/files.h"
#include "svc/common/json.h"
#include "svc/kernel/result.h"

namespace svc::client {

/// The text of the configuration file with one key set, or removed without a value. A missing file reads as empty.
/// `conflict` for a file with comments or trailing commas, which would be lost; `not_found` when there is no such key to remove.
[[nodiscard]] Result<std::string> editConfig(const std::filesystem::path& file,
                                             const std::string& key,
                                             const std::optional<common::Json>& value);

/// A file beside the one it is to replace, with that one's mode as far as `allowed` has it, or 0600.
[[nodiscard]] Result<base::StagedFile> stageConfig(const std::filesystem::path& target,
                                                   const std::string& text, mode_t allowed = 07777);

}  // namespace svc::client
