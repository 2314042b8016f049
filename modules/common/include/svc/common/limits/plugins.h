#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

/// How plugins are loaded, ended, tried again and what each may hold. Durations are milliseconds, sizes bytes. By their names in the contract; tests and messages
/// use these, never literals.
namespace svc::limits {

using std::chrono::milliseconds;
using namespace std::chrono_literals;

inline constexpr milliseconds kFactory = 30s;
inline constexpr milliseconds kPrepare = 10s;
inline constexpr milliseconds kOnInstall = 30s;
inline constexpr milliseconds kServiceStop = 5s;
inline constexpr milliseconds kDisposeHook = 5s;
inline constexpr milliseconds kDrainLog = 5s;
inline constexpr milliseconds kDrain = 30s;
inline constexpr milliseconds kDisposeTotal = 60s;
inline constexpr milliseconds kHandover = 5s;
inline constexpr std::size_t kHeldCalls = 1024;
inline constexpr milliseconds kWatchdog = 10s;
inline constexpr milliseconds kTerminate = 30s;
inline constexpr std::int64_t kPluginHeapMiB = 512;
/// Most programs stay far below the next two; what leaks reaches them before the process has none left for the others.
inline constexpr std::int64_t kPluginWorkerThreads = 64;
inline constexpr std::int64_t kPluginDescriptors = 1024;
/// What SQLite allocates for the databases of one load.
inline constexpr std::int64_t kPluginDatabaseMiB = 256;
/// Of one load, open at a time.
inline constexpr std::size_t kDatabaseConnections = 128;
inline constexpr milliseconds kBackoffBase = 1s;
inline constexpr milliseconds kBackoffMax = 60s;
inline constexpr milliseconds kBackoffReset = 5min;
/// Share of a delay by which it may be shorter.
inline constexpr double kBackoffJitter = 0.1;
inline constexpr milliseconds kBackoffSettle = 30s;
/// Bytes of the text beside the status of a plugin.
inline constexpr std::size_t kStatusText = 16UL * 1024;
inline constexpr std::size_t kLogLine = 64UL * 1024;
inline constexpr std::size_t kLogFile = 5UL * 1024 * 1024;
inline constexpr std::size_t kLogTailDefault = 100;
inline constexpr std::size_t kLogTail = 10'000;
inline constexpr milliseconds kLogWait = 25s;
inline constexpr milliseconds kScheduleSweep = 1s;
inline constexpr std::size_t kScheduleBatch = 100;
inline constexpr milliseconds kScheduleTimeout = 15min;
inline constexpr std::size_t kIcons = 64;
inline constexpr std::size_t kIconFile = 32UL * 1024;
inline constexpr std::size_t kIconName = 48;
inline constexpr std::size_t kLogo = 256UL * 1024;
/// Elements that an SVG of a plugin draws, what is referred to counted each time, and how deep they are nested.
inline constexpr std::size_t kSvgElements = 10'000;
inline constexpr std::size_t kSvgDepth = 64;
inline constexpr std::size_t kThemeId = 64;
inline constexpr std::size_t kThemeCss = 256UL * 1024;
/// Characters, as the ones of skills.
inline constexpr std::size_t kOverview = 4000;
/// How long what asks every plugin (a hook, a session of an agent, a call by name) waits for those that are loaded for the first time.
inline constexpr milliseconds kPluginsStart = 20s;
inline constexpr milliseconds kUpdateHold = 30s;

}  // namespace svc::limits
