#pragma once

#include <filesystem>

#include "svc/kernel/result.h"

namespace svc::kernel {

// A directory "<data>.restore" beside the data directory is a complete one that takes its place at the next start. What
// it replaces stays as "<data>.before-restore", in place of an earlier one.

/// Where what the last one replaced is.
[[nodiscard]] std::filesystem::path replacedData(const std::filesystem::path& data);
[[nodiscard]] bool replacementWaits(const std::filesystem::path& data);
/// Does it, before anything in the data directory is opened; true when there was something to do. An interruption leaves
/// either of the two, and the next call goes on. `conflict` while a server runs on the data directory.
[[nodiscard]] Result<bool> takeReplacement(const std::filesystem::path& data);

}  // namespace svc::kernel
