#pragma once

#include <filesystem>

#include <spdlog/logger.h>

namespace svc::worktrees {

/// Repositories know their worktrees by path. After the data directory was moved, those in `folders` are told where theirs are. After it
/// was copied, or restored beside the one it came from, a worktree and its copy would have one index and one branch: the copy becomes a
/// folder without git, and says so in the log. Reads a few files of each; blocks.
void adoptWorktrees(const std::filesystem::path& folders, spdlog::logger& log);

}  // namespace svc::worktrees
