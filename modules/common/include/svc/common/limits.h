#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

/// Every number of the contract that the server side uses, by its name in the contract. Durations are
/// milliseconds, sizes bytes. Tests and error messages use these, never literals.
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
inline constexpr milliseconds kBackoffBase = 1s;
inline constexpr milliseconds kBackoffMax = 60s;
inline constexpr milliseconds kBackoffReset = 5min;
/// Share of a delay by which it may be shorter.
inline constexpr double kBackoffJitter = 0.1;
inline constexpr milliseconds kBackoffSettle = 30s;
inline constexpr std::size_t kLogLine = 64UL * 1024;
inline constexpr std::size_t kLogFile = 5UL * 1024 * 1024;
inline constexpr std::size_t kLogTailDefault = 100;
inline constexpr std::size_t kLogTail = 10'000;
inline constexpr milliseconds kLogWait = 25s;
inline constexpr std::size_t kSettingValue = 262'144;
inline constexpr std::size_t kKvKey = 512;
inline constexpr std::size_t kKvValue = 262'144;
inline constexpr milliseconds kBusyTimeout = 5s;
inline constexpr std::size_t kRpcBody = 8UL * 1024 * 1024;
inline constexpr milliseconds kRpcTimeout = 75s;
inline constexpr std::size_t kHeaders = 64UL * 1024;
inline constexpr milliseconds kKeepAlive = 75s;
inline constexpr milliseconds kReadStall = 30s;
inline constexpr std::size_t kPluginHttpBody = 256UL * 1024 * 1024;
inline constexpr std::size_t kPluginWsMessage = 16UL * 1024 * 1024;
inline constexpr std::size_t kHttpToken = 32;
inline constexpr std::size_t kSignalPayload = 1024UL * 1024;
inline constexpr std::size_t kWsClientMessage = 64UL * 1024;
inline constexpr std::size_t kWsSubscriptions = 1024;
inline constexpr std::size_t kWsBacklog = 4UL * 1024 * 1024;
inline constexpr milliseconds kWsPing = 25s;
inline constexpr milliseconds kWsShutdown = 1s;
inline constexpr milliseconds kScheduleSweep = 1s;
inline constexpr std::size_t kScheduleBatch = 100;
inline constexpr milliseconds kScheduleTimeout = 15min;
inline constexpr std::size_t kCliOutput = 1'048'576;
inline constexpr milliseconds kCliKeepAlive = 10s;
inline constexpr milliseconds kCliRun = 60min;
inline constexpr milliseconds kCliClientWait = 65min;
inline constexpr std::size_t kCliStdin = 16UL * 1024;
inline constexpr std::size_t kIcons = 64;
inline constexpr std::size_t kIconFile = 32UL * 1024;
inline constexpr std::size_t kIconName = 48;
inline constexpr std::size_t kLogo = 256UL * 1024;
inline constexpr std::size_t kThemeId = 64;
inline constexpr std::size_t kThemeCss = 256UL * 1024;
/// Characters, as the ones of skills.
inline constexpr std::size_t kOverview = 4000;
inline constexpr std::size_t kSkillName = 64;
inline constexpr std::size_t kSkillDescription = 1024;
inline constexpr std::size_t kSkillTreeFiles = 1000;
inline constexpr milliseconds kAgentCallback = 2s;
inline constexpr milliseconds kMentionSearch = 2s;
inline constexpr milliseconds kMentionResolve = 10s;
inline constexpr milliseconds kHookDecision = 10s;

}  // namespace svc::limits
