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
inline constexpr milliseconds kBuild = 120s;
inline constexpr milliseconds kStageClean = 1h;
inline constexpr std::size_t kBundleJs = 16UL * 1024 * 1024;
inline constexpr std::size_t kBundleCss = 4UL * 1024 * 1024;
inline constexpr std::size_t kBundleWarn = 1024UL * 1024;
/// Previous bundles of one plugin that are still served.
inline constexpr std::size_t kBundlesKept = 2;
/// Responses from this size on are compressed.
inline constexpr std::size_t kAssetCompress = 1024;
/// Bytes of a host bundle, of which there is at least one.
inline constexpr std::size_t kArtifact = 256UL * 1024 * 1024;
/// Quiet time of a watched directory before it is built.
inline constexpr milliseconds kDevDebounce = 300ms;
/// Between two looks at a directory that cannot be watched.
inline constexpr milliseconds kDevPoll = 1s;
/// Last lines of npm's output that are shown when it fails.
inline constexpr std::size_t kNpmTail = 8;
inline constexpr std::size_t kSkillName = 64;
inline constexpr std::size_t kSkillDescription = 1024;
inline constexpr std::size_t kSkillTreeFiles = 1000;
inline constexpr std::size_t kSkillTreeBytes = 10UL * 1024 * 1024;
inline constexpr std::size_t kSkillTreeDepth = 24;
inline constexpr milliseconds kAgentCallback = 2s;
/// Characters, as the one of labels.
inline constexpr std::size_t kInstructions = 4096;
inline constexpr std::size_t kToolLabel = 80;
inline constexpr std::size_t kConfigIds = 256;
inline constexpr std::size_t kParamOverride = 128UL * 1024;
inline constexpr std::size_t kToolResult = 8UL * 1024 * 1024;
/// Characters.
inline constexpr std::size_t kInputTitle = 160;
/// The payload of a form and its answer, each.
inline constexpr std::size_t kInputPayload = 64UL * 1024;
inline constexpr milliseconds kInputTimeout = 10min;
inline constexpr milliseconds kInputTimeoutMax = 60min;
inline constexpr milliseconds kDescribe = 2s;
inline constexpr milliseconds kToolDetach = 50s;
/// Between two signs of life of a call from an MCP client, and before the first.
inline constexpr milliseconds kMcpProgress = 5s;
/// Between two signs of life of a stream of changes.
inline constexpr milliseconds kMcpKeepAlive = 15s;
/// Changes of a list within this time are one message.
inline constexpr milliseconds kMcpChangeJoin = 200ms;
/// Entries of one page of a list.
inline constexpr std::size_t kMcpPage = 250;
/// Streams of changes in all, and of one client.
inline constexpr std::size_t kMcpStreams = 512;
inline constexpr std::size_t kMcpStreamsClient = 128;
/// Requests that plugins have not answered, detached calls included.
inline constexpr std::size_t kMcpCalls = 1024;
/// Bytes of a request's id or a progress token as JSON.
inline constexpr std::size_t kMcpId = 256;
/// Bytes of a session's name.
inline constexpr std::size_t kMcpSession = 1024;
inline constexpr std::size_t kMcpInstructions = 32UL * 1024;
/// Characters of a tool's name that leave room for the prefix of a client (D30); a longer one is offered with a warning.
inline constexpr std::size_t kAgentToolName = 50;
/// Characters of a tool's name that models take.
inline constexpr std::size_t kMcpToolName = 64;
/// Resources that one stream follows.
inline constexpr std::size_t kMcpUris = 64;
/// Random bytes of a client's bearer token.
inline constexpr std::size_t kMcpToken = 32;
/// Tokens of clients that are not revoked.
inline constexpr std::size_t kMcpTokens = 1000;
/// Characters of the name that a person gives a token.
inline constexpr std::size_t kMcpTokenName = 100;
/// Calls that the list of what clients called remembers.
inline constexpr std::size_t kMcpHistory = 500;
inline constexpr milliseconds kMentionSearch = 2s;
inline constexpr milliseconds kMentionResolve = 10s;
inline constexpr milliseconds kHookDecision = 10s;
/// How long what asks every plugin (a hook, a session of an agent, a call by name) waits for those that are loaded for the first time.
inline constexpr milliseconds kPluginsStart = 20s;
/// The same for the lists and the handshake of an MCP client, which gives up on a server that takes long; it is told of changes later.
inline constexpr milliseconds kMcpPluginsStart = 3s;
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
/// One run of git, npm or curl.
inline constexpr milliseconds kFetchTool = 10min;
inline constexpr milliseconds kUpdateCheck = 6h;
inline constexpr std::size_t kUpdateParallel = 4;
inline constexpr milliseconds kUpdateHold = 30s;
inline constexpr milliseconds kStabilise = 30s;
inline constexpr milliseconds kSnapshotKeep = 24h * 7;

// Machines and host entries.
inline constexpr std::size_t kArtifactTries = 2;
inline constexpr milliseconds kArtifactKeep = 24h * 7;
/// A call of a host entry, start of the worker included, without a timeoutMs.
inline constexpr milliseconds kHostCall = 30s;
inline constexpr milliseconds kHostCallMax{2'147'483'647};
/// What the way to the daemon and back may take beside it.
inline constexpr milliseconds kHostTransport = 6s;
inline constexpr std::size_t kHostInput = 32UL * 1024 * 1024;
/// Results and signals.
inline constexpr std::size_t kHostOutput = 8UL * 1024 * 1024;
/// Calls of one plugin at a time, and the bytes of their inputs together.
inline constexpr std::size_t kHostActive = 256;
inline constexpr std::size_t kHostActiveBytes = 32UL * 1024 * 1024;
inline constexpr milliseconds kWorkerStart = 10s;
inline constexpr milliseconds kCancelGrace = 5s;
inline constexpr milliseconds kWorkerStop = 5s;
inline constexpr milliseconds kWorkerIdle = 5min;
inline constexpr std::size_t kWorkerLogLine = 16UL * 1024;
/// Lines a minute of one worker.
inline constexpr std::size_t kWorkerLogLines = 1000;
inline constexpr milliseconds kDisposeWait = 6s;
/// Retired identities that are remembered for each plugin.
inline constexpr std::size_t kRetired = 32;
/// A message between server, daemon and worker.
inline constexpr std::size_t kIpcMessage = 40UL * 1024 * 1024;
inline constexpr std::size_t kWatchCount = 256;
inline constexpr std::size_t kWatchBatchPaths = 4096;
inline constexpr std::size_t kWatchBatchBytes = 1024UL * 1024;
inline constexpr std::size_t kWatchPath = 16UL * 1024;
inline constexpr std::size_t kWatchIgnored = 4096;
inline constexpr milliseconds kWatchDebounce = 75ms;
inline constexpr milliseconds kWatchDebounceMin = 10ms;
inline constexpr milliseconds kWatchDebounceMax = 5s;
inline constexpr milliseconds kWatchWait = 500ms;
inline constexpr milliseconds kWatchWaitMax = 30s;
inline constexpr milliseconds kEnrollTtl = 15min;
/// Characters.
inline constexpr std::size_t kHostName = 100;
inline constexpr milliseconds kSessionHeartbeat = 5s;
inline constexpr milliseconds kSessionLease = 30s;
inline constexpr milliseconds kSessionRetry = 1s;
inline constexpr milliseconds kSessionRetryMax = 30s;
inline constexpr milliseconds kSessionConnect = 10s;
inline constexpr milliseconds kSessionFirst = 60s;
/// How long a host with a lost socket is not yet disconnected; the longer one while work of somebody runs there.
inline constexpr milliseconds kSessionGrace = 5s;
inline constexpr milliseconds kSessionWorkGrace = 30s;
/// The longest pause between two tries of a daemon that may be waited for: until kSessionWorkGrace is over.
inline constexpr milliseconds kSessionGraceRetry = 5s;
inline constexpr milliseconds kUpdateRetry = 5s;
inline constexpr milliseconds kUpdateRetryMax = 5min;
inline constexpr milliseconds kLocalRestart = 1s;
inline constexpr milliseconds kLocalRestartMax = 60s;
inline constexpr milliseconds kDaemonExit = 15s;

// Files and terminals of machines.
/// Content of one file that is written, and of one that is read from another machine.
inline constexpr std::size_t kFileWrite = 25'000'000;
inline constexpr std::size_t kListingDefault = 100;
inline constexpr std::size_t kListing = 5000;
/// Entries that one listing looks at before it says that there is more.
inline constexpr std::size_t kListingScan = 200'000;
inline constexpr milliseconds kFileCommand = 30s;

// Repositories and environments of machines.
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

// Previews and terminals of machines.
inline constexpr milliseconds kPreviewTtl = 10min;
inline constexpr milliseconds kPreviewTtlMax = 24h;
inline constexpr std::size_t kPreviews = 1000;
/// Output of one terminal that is kept.
inline constexpr std::size_t kTerminalRing = 1024UL * 1024;
inline constexpr milliseconds kTerminalOpen = 30s;
/// How long the record of a terminal that has ended is kept.
inline constexpr milliseconds kTerminalKeep = 24h;
/// Live ones of one machine.
inline constexpr std::size_t kTerminals = 64;
/// Bytes of one message of input.
inline constexpr std::size_t kTerminalInput = 64UL * 1024;
/// Rows and columns.
inline constexpr int kTerminalSize = 1000;
/// Characters.
inline constexpr std::size_t kTerminalTitle = 200;

}  // namespace svc::limits
