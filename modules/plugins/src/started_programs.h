#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace svc::plugins {

/// A mark (base::kProcessMark) for the programs that one load starts. It names the data directory, of which one server at a time
/// has the lock: by its place on the file system, which no copy has and no other container. Empty when that cannot be told.
[[nodiscard]] std::string newProgramMark(const std::filesystem::path& data);

/// Ends the programs that plugins of an earlier server on this directory have started, which was killed and could not do it; how
/// many there were. Before the first load, with the lock held. Blocks.
std::size_t endProgramsLeftBehind(const std::filesystem::path& data);

}  // namespace svc::plugins
