#pragma once

#include <cstddef>
#include <string_view>

/// What server and daemons say to each other, by name. Both sides build and read the messages; the contract describes their
/// members.
namespace svc::hostprotocol {

/// One integer for the whole protocol; both sides must have the same.
inline constexpr int kProtocolVersion = 1;
/// Subprotocol of the session's WebSocket.
inline constexpr std::string_view kSubprotocol = "svc-host-daemon.v1";

inline constexpr std::string_view kHostKeyPrefix = "svch_";
/// Join codes and local enroll keys.
inline constexpr std::string_view kEnrollKeyPrefix = "svce_";

/// `type` of messages from the server.
namespace to_daemon {
inline constexpr std::string_view kHeartbeatAck = "heartbeat-ack";
inline constexpr std::string_view kRequest = "host-rpc.request";    ///< requestId, command
inline constexpr std::string_view kSessionClose = "session-close";  ///< reason
inline constexpr std::string_view kWatchSet =
    "watch-set.replace";  ///< accepted, nothing to watch yet
/// generation, ports; accepted, nothing is shared yet
inline constexpr std::string_view kConnectShares = "connect-shares.replace";
// Of terminals that the daemon has. What is for one that it has no more is ignored.
inline constexpr std::string_view kTerminalInput = "terminal.input";    ///< terminalId, dataBase64
inline constexpr std::string_view kTerminalResize = "terminal.resize";  ///< terminalId, cols, rows
/// terminalId, seq: every chunk before it has arrived; ended (boolean): so has the exit, and the daemon forgets the terminal
inline constexpr std::string_view kTerminalAck = "terminal.ack";
}  // namespace to_daemon

/// `type` of messages from a daemon.
namespace to_server {
inline constexpr std::string_view kHeartbeat = "heartbeat";
/// requestId, commandType, ok, result; or ok false, errorCode, errorMessage, errorDetails? (an object)
inline constexpr std::string_view kResponse = "host-rpc.response";
inline constexpr std::string_view kSignal =
    "plugin-host.signal";  ///< pluginId, generation, signal, payload
/// pluginId, generation; only exits that nobody asked for
inline constexpr std::string_view kWorkerExited = "plugin-host.worker-exited";
/// pluginId, generation, lines: { stream: "stdout" | "stderr", text }[]
inline constexpr std::string_view kLog = "plugin-host.log";
/// terminalId, seq, dataBase64. Numbers begin at 0 and rise by one; after a gap, what is missing is gone.
inline constexpr std::string_view kTerminalOutput = "terminal.output";
/// terminalId, bytes: so many more of its input have reached the program
inline constexpr std::string_view kTerminalTaken = "terminal.taken";
/// terminalId, exitCode (128 + n after signal n). After its last output; again with each session until it is acknowledged.
inline constexpr std::string_view kTerminalExit = "terminal.exit";
}  // namespace to_server

/// `type` of a command, a member of the command object beside its payload.
namespace command {
inline constexpr std::string_view kCall = "plugin.host.call";
inline constexpr std::string_view kCancel = "plugin.host.cancel";
inline constexpr std::string_view kDispose = "plugin.host.dispose";
/// { path? } → { directory, parent | null, entries: { name, path, kind }[] }
inline constexpr std::string_view kDirectory = "host.directory";
/// { paths } → { existence: { [path]: boolean } }
inline constexpr std::string_view kPathsExist = "host.paths-exist";
// Files: the body of the route of the same name without hostId → its answer without ok. Errors: `invalid_input`, `not_found`,
// `conflict`, `too_large`, `forbidden` (outside of the roots, or not this user's), `unavailable` (the disk).
inline constexpr std::string_view kReadFile = "host.read-file";
inline constexpr std::string_view kWriteFile = "host.write-file";
inline constexpr std::string_view kListFiles = "host.list-files";
inline constexpr std::string_view kListPaths = "host.list-paths";
inline constexpr std::string_view kMakeDirectory = "host.mkdir";
inline constexpr std::string_view kMovePath = "host.move-path";
inline constexpr std::string_view kRemovePath = "host.remove-path";
/// { path, rootPath? } → { path, kind: "file" | "directory" | "other", sizeBytes, modifiedAtMs, mode, mimeType? }
inline constexpr std::string_view kFileMetadata = "host.file-metadata";
/// { path, rootPath?, offset, length } → { dataBase64, sizeBytes, modifiedAtMs }; at most kFileRange bytes
inline constexpr std::string_view kFileRange = "host.file-range";
/// { path, folders } → { folders: { folder, skills: { name, description, directory, frontMatter, files: { path, size, digest, executable }[] }[],
/// problems: { path, message }[] }[] }: skills in folders below `path`. Those that are not there are left out.
inline constexpr std::string_view kSkills = "host.skills";
// Repositories. `path` is a folder, absolute. What has an outcome answers { outcome: "available", … } or Unavailable (server-api.md 7.3).
/// { path, mergeBaseBranch?, baseBranch? } → outcome, workspace. What work is compared with: `mergeBaseBranch`, which has to be there, else
/// `baseBranch` when that is there, else the default branch, else what is checked out.
inline constexpr std::string_view kGitStatus = "git.status";
/// { path, target: { type, mergeBaseBranch?, baseBranch?, sha? } } → outcome, diff
inline constexpr std::string_view kGitDiff = "git.diff";
/// the same → outcome, files, initialPatches, mergeBaseRef, shortstat, truncated
inline constexpr std::string_view kGitDiffFiles = "git.diff-files";
/// { path, target, paths } → outcome, patches
inline constexpr std::string_view kGitDiffPatch = "git.diff-patch";
/// { path, filePath, side: "old" | "new", target, mergeBaseRef? } → { path, content, contentEncoding, sizeBytes }
inline constexpr std::string_view kGitDiffFile = "git.diff-file";
/// { path, query?, limit?, selectedBranch? } → the answer of projects.branches
inline constexpr std::string_view kGitBranches = "git.branches";
/// { path } → { isGitRepo, remoteUrl | null }
inline constexpr std::string_view kGitRemote = "git.remote";
/// { path, query?, limit?, includeFiles?, includeDirectories? } → { isGitRepo, paths, truncated }; without the last two in no repository
inline constexpr std::string_view kGitPaths = "git.paths";
/// { path } → the answer of environments.pullRequest
inline constexpr std::string_view kGitPullRequest = "git.pull-request";
/// { path, message } → { commitSha, commitSubject, leftOut }; the last is what git has not taken, a daemon before it leaves it out
inline constexpr std::string_view kGitCommit = "git.commit";
/// { path, branchName, isNew?, baseBranch? } → { checkout }
inline constexpr std::string_view kGitCheckout = "git.checkout";
/// { cloneId, remoteUrl, path } → { path }, when all of it is there
inline constexpr std::string_view kGitClone = "git.clone";
/// { cloneId } → { running, progress | null }
inline constexpr std::string_view kGitCloneState = "git.clone-state";
/// { cloneId } → { cancelled }; the clone then answers `aborted`
inline constexpr std::string_view kGitCloneCancel = "git.clone-cancel";
// Environments; a machine does one thing at a time for each. `workspace` is { type, path?, branchName?, baseBranch? }.
/// { environmentId, workspace, projectPath? } → { path, ownsPath, isGitRepo, isWorktree, branchName, baseBranch, defaultBranch }
inline constexpr std::string_view kEnvironmentCreate = "environment.create";
/// the same and env → { exitCode, output }: .svc/setup of the checkout, when there is one
inline constexpr std::string_view kEnvironmentSetup = "environment.setup";
/// { environmentId } → { cancelled }
inline constexpr std::string_view kEnvironmentCancel = "environment.cancel";
/// as setup → { removed, keptBecause? }: "uncommitted", "unmerged", (of a personal folder) "unsaved" work, or "submodule"s that are there
inline constexpr std::string_view kEnvironmentRemove = "environment.remove";
/// { terminalId, cwd | null, cols, rows, start: { mode: "shell" } | { mode: "command", command }, env } → { pid, initialCwd }
inline constexpr std::string_view kTerminalOpen = "terminal.open";
/// { terminalId, mode: "force" | "if-clean" } → { closed }; false when the daemon has no such terminal. `conflict` when something
/// runs in it. The exit comes as a message.
inline constexpr std::string_view kTerminalClose = "terminal.close";
/// { terminals: { terminalId, seq }[] } → { live: string[] }: what the server has of this machine, and the first chunk it lacks of
/// each. Asked once in each session; before, nothing of earlier terminals is sent. Those that are not named are ended.
inline constexpr std::string_view kTerminalResume = "terminal.resume";
}  // namespace command

/// Most bytes of one answer to host.file-range.
inline constexpr std::size_t kFileRange = std::size_t{4} << 20U;

/// `reason` of session-close.
namespace close_reason {
inline constexpr std::string_view kReplaced = "replaced";  ///< the daemon stops
inline constexpr std::string_view kExpired = "expired";    ///< it reconnects, as on shutdown
inline constexpr std::string_view kRemoved = "removed";    ///< it forgets its credential and stops
inline constexpr std::string_view kShutdown = "shutdown";
}  // namespace close_reason

/// `reason` in the details of the 401 for the key of a machine that this server has removed, and remembers. The daemon does as for close_reason::kRemoved.
inline constexpr std::string_view kRefusedAsRemoved = "removed";

}  // namespace svc::hostprotocol
