#pragma once

#include <chrono>
#include <cstddef>

/// Packages, marketplaces, updates and backups. Durations are milliseconds, sizes bytes. By their names in the contract; tests and messages
/// use these, never literals.
namespace svc::limits {

using std::chrono::milliseconds;
using namespace std::chrono_literals;

inline constexpr std::size_t kPackage = 512UL * 1024 * 1024;
/// Files and directories of one package.
inline constexpr std::size_t kPackageFiles = 100'000;
inline constexpr milliseconds kJobHistory = 10min;
inline constexpr std::size_t kSourceHistory = 10;
/// Characters.
inline constexpr std::size_t kTagPrefix = 128;
inline constexpr std::size_t kMarketplaceFile = 1024UL * 1024;
inline constexpr milliseconds kMarketplaceRefresh = 2h;
/// All of the reading of one list, whatever runs for it.
inline constexpr milliseconds kMarketplaceRead = 1min;
inline constexpr std::size_t kTags = 10;
/// All of one look at a source that somebody waits for, and how many there are at a time.
inline constexpr milliseconds kLook = 2min;
inline constexpr std::size_t kLooks = 3;
inline constexpr std::size_t kLooksWaiting = 64;
/// One question to a registry or a repository, without what it has.
inline constexpr milliseconds kAskTool = 1min;
/// One run of git, npm or curl.
inline constexpr milliseconds kFetchTool = 10min;
inline constexpr milliseconds kUpdateCheck = 6h;
inline constexpr std::size_t kUpdateParallel = 4;
inline constexpr milliseconds kStabilise = 30s;
inline constexpr milliseconds kSnapshotKeep = 24h * 7;

}  // namespace svc::limits
