#pragma once

#include <filesystem>
#include <string>

#include "svc/kernel/result.h"

namespace svc::kernel {

// A directory "<data>.restore" beside the data directory, complete with the manifest.json of its archive, takes its place at the next
// start. What it replaces stays as "<data>.before-restore", in place of an earlier one.

/// Where one waits, also for a path with a slash at its end.
[[nodiscard]] std::filesystem::path waitingReplacement(const std::filesystem::path& data);
/// Where what the last one replaced is.
[[nodiscard]] std::filesystem::path replacedData(const std::filesystem::path& data);
[[nodiscard]] bool replacementWaits(const std::filesystem::path& data);
/// Does it, before anything in the data directory is opened; true when there was something to do. An interruption leaves
/// either of the two, and the next call goes on. `conflict` while `program` runs on the data directory, which it locks with
/// the file of that name; `invalid_argument` for one that is not complete. One on which nothing has started is replaced itself, and what
/// it replaced stays.
[[nodiscard]] Result<bool> takeReplacement(const std::filesystem::path& data,
                                           const std::string& lock_file,
                                           const std::string& program);

/// A program has started on `data`.
void confirmReplacement(const std::filesystem::path& data);

/// Removes what a restore that was killed has unpacked; true when there was any. With the lock of `data` held: only its
/// server unpacks there.
[[nodiscard]] Result<bool> removeUnfinishedReplacement(const std::filesystem::path& data);

}  // namespace svc::kernel
