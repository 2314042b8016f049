#pragma once

#include <chrono>
#include <cstddef>

/// Repositories and environments of machines. Durations are milliseconds, sizes bytes. By their names in the contract; tests and messages
/// use these, never literals.
namespace svc::limits {

using std::chrono::milliseconds;
using namespace std::chrono_literals;

/// One run of git.
inline constexpr milliseconds kGit = 30s;
/// A whole clone.
inline constexpr milliseconds kClone = 60min;
/// Clones, places and scripts of one machine at a time; how many more wait there for their turn, and how long the server waits for it.
inline constexpr std::size_t kLongJobs = 8;
inline constexpr std::size_t kLongJobsWaiting = 256;
inline constexpr milliseconds kLongJobTurn = 60min;
/// How long the answer about a pull request is kept, and one whose checks still run.
inline constexpr milliseconds kPullRequest = 60s;
inline constexpr milliseconds kPullRequestPending = 10s;
inline constexpr std::size_t kBranchesDefault = 100;
inline constexpr std::size_t kBranches = 1000;
/// Bytes of a patch of one file, and of a whole diff.
inline constexpr std::size_t kDiffPatch = 256UL * 1024;
inline constexpr std::size_t kDiff = 5UL * 1024 * 1024;
/// Patches of one request.
inline constexpr std::size_t kDiffPatches = 100;
/// Bytes.
inline constexpr std::size_t kCommitMessage = 64UL * 1024;
inline constexpr milliseconds kEnvScript = 15min;
/// Last bytes of what a script or a clone says.
inline constexpr std::size_t kScriptTail = 16UL * 1024;
inline constexpr milliseconds kEnvGrace = 5min;
inline constexpr milliseconds kEnvRemoveRetry = 60s;
/// How often the machine may be lost while it makes one environment; once more, and that has failed: its script may be what ends the daemon.
inline constexpr int kEnvLosses = 10;

}  // namespace svc::limits
