export type * from "./interactions.js";
export type * from "./provider_records.js";
export type * from "./thread_events.js";
export type * from "./thread_items.js";
export type * from "./timeline.js";
export type * from "./unknown_type.js";

// Core records. Times are epoch milliseconds, durations milliseconds. Ids are opaque: never parse them.

/**
 * What an agent may do without asking. `auto`: it asks before what it thinks needs it; `accept-edits`: changes of files in its folder are
 * allowed; `full`: it never asks.
 */
export type PermissionMode = "accept-edits" | "auto" | "full";
/** How much a model thinks, from least to most; a model offers some of them. `none`: it has no choice. */
export type ReasoningLevel = "none" | "low" | "medium" | "high" | "xhigh" | "ultracode" | "max" | "ultra";
/** `fast`: quicker answers, of providers with `supportsServiceTier`. */
export type ServiceTier = "default" | "fast";

/**
 * `pending`: its first message waits; `starting`: a turn is prepared; `active`: a turn runs; `stopping`: a stop was asked for; `idle`:
 * nothing runs; `error`: the last turn failed, and the next message starts another one.
 */
export type ThreadStatus = "pending" | "idle" | "starting" | "active" | "stopping" | "error";

/** `unmanaged-worktree`: a folder of the user's own that is a git worktree. */
export type WorkspaceDisplayKind = "managed-worktree" | "unmanaged-worktree" | "other";

/** What goes on in the background of a thread, counted. */
export interface ThreadActivity {
  activeWorkflowCount: number;
  activeBackgroundAgentCount: number;
  activeBackgroundCommandCount: number;
  activePlanModeCount: number;
  activeGoalCount: number;
}

/** A conversation with an agent: one record in lists, answers and events. Times are epoch milliseconds, null for what has not happened. */
export interface Thread {
  /** `thr_…` */
  id: string;
  projectId: string;
  /** Where it works; null before its first environment is made. */
  environmentId: string | null;
  /** The agent provider. */
  providerId: string;
  /** What the user, a plugin or the agent called it. */
  title: string | null;
  /** What to show while there is no title: the first line of the first message, up to 80 characters. */
  titleFallback: string;
  /** The section of the sidebar that it is in; null when in none. */
  sectionId: string | null;
  status: ThreadStatus;
  /** The thread that it belongs to: archived and deleted with it. */
  parentThreadId: string | null;
  /** The thread that it was forked from. */
  sourceThreadId: string | null;
  /** `fork`: made from another thread. */
  originKind: "fork" | null;
  /** Older name of `originKind`, with the same value. */
  childOrigin: "fork" | null;
  /** The plugin that created it with `svc.sdk`. */
  originPluginId: string | null;
  /** `hidden`: lists have it only with `includeHidden`. */
  visibility: "visible" | "hidden";
  /** Neither archived nor deleted. */
  canSpawnChild: boolean;
  hasPendingInteraction: boolean;
  activeBackgroundAgentCount: number;
  activity: ThreadActivity;
  /** Order among the pinned ones, compared as bytes. */
  pinSortKey: string | null;
  archivedAt: number | null;
  pinnedAt: number | null;
  deletedAt: number | null;
  /** Null while it was never read. */
  lastReadAt: number | null;
  /** Creation, then each end of a turn and each new interaction; unread is what is later than `lastReadAt`. */
  latestAttentionAt: number;
  createdAt: number;
  updatedAt: number;
  runtime: {
    displayStatus: ThreadStatus | "provisioning" | "host-reconnecting" | "waiting-for-host";
    hostReconnectGraceExpiresAt: number | null;
  };
  /** The machine of the environment; null while there is none, like the two after it. */
  environmentHostId: string | null;
  environmentName: string | null;
  environmentBranchName: string | null;
  environmentWorkspaceDisplayKind: WorkspaceDisplayKind;
}

/**
 * `accepted`: stored; `dispatched`: hooks have passed, the machine was told; `started`: the agent works on it. `completed`, `failed` and
 * `interrupted` never change.
 */
export type TurnState = "accepted" | "dispatched" | "started" | "completed" | "failed" | "interrupted";

/** One request to an agent and what became of it. Times are epoch milliseconds, null for what has not happened. */
export interface Turn {
  /** Null until the agent has acknowledged the prompt. */
  id: string | null;
  /** Known before the turn has an id. */
  requestId: string;
  threadId: string;
  state: TurnState;
  /** 1 for the first; a retry is a new request with the next number. */
  attempt: number;
  /** The request that this one tries again; null for a first one. */
  retryOfRequestId: string | null;
  /** `mixed`: messages of several were joined. */
  initiator: "user" | "agent" | "system" | "mixed";
  /** The agent's own id of the turn; null while it has told none. */
  providerTurnId: string | null;
  /** Null unless it failed. */
  error: { message: string; code?: string } | null;
  acceptedAt: number;
  /** This and the times after it are null until it happens. */
  dispatchedAt: number | null;
  startedAt: number | null;
  endedAt: number | null;
}

/** What a mention stands for. */
export type MentionResource =
  /** `itemId`: `<providerId>:<itemId>`. */
  | { kind: "plugin"; pluginId: string; itemId: string; label: string; icon?: string }
  | { kind: "thread"; threadId: string; label: string; projectId?: string }
  | { kind: "project"; projectId: string; label: string }
  | { kind: "section"; sectionId: string; label: string }
  | { kind: "path"; source: "workspace" | "thread-storage"; entryKind: "file" | "directory"; path: string; label: string }
  | {
      kind: "command";
      trigger: "/";
      name: string;
      source: "command" | "skill";
      origin: "builtin" | "project" | "user";
      label: string;
      argumentHint: string | null;
    };

/** A mention in a text block. */
export interface Mention {
  /** Where the label stands in the text, in UTF-16 units; `end` is the first one behind it. */
  start: number;
  end: number;
  resource: MentionResource;
}

/** A part of a message: at most 50 of them, and 1 MiB of text. `agent-only` is not shown to people. */
export type InputBlock = { visibility?: "agent-only" } & (
  | { type: "text"; text: string; mentions?: Mention[] }
  | { type: "localFile"; path: string; name?: string; sizeBytes?: number; mimeType?: string }
  | { type: "localImage"; path: string }
  | { type: "image"; url: string }
);

/**
 * Where a thread works. `project-default`: the default source of the project, in place. `host`: without `hostId` the server's
 * machine; an `unmanaged` workspace with `path: null` is the project's source on that machine. `managed-worktree`: a git worktree of
 * its own on a new branch. `personal`: an empty folder of its own.
 */
export type EnvironmentIntent =
  { type: "project-default" } | { type: "reuse"; environmentId: string } | { type: "host"; hostId?: string; workspace: WorkspaceIntent };

/**
 * The folder of a new environment: one that is there (`unmanaged`; `branch` is checked out before the first turn, and refused with
 * `conflict` when there are uncommitted changes), a git worktree of its own, or an empty folder.
 */
export type WorkspaceIntent =
  | { type: "unmanaged"; path: string | null; branch?: { kind: "existing"; name: string } | { kind: "new"; baseBranch: string } }
  | { type: "managed-worktree"; baseBranch?: { kind: "named"; name: string } | { kind: "default" } | string }
  | { type: "personal" };

/** A message that waits to be sent to its thread's agent. Times are epoch milliseconds. */
export interface QueuedMessage {
  id: string;
  threadId: string;
  content: InputBlock[];
  /** Null: what the thread uses. */
  model: string | null;
  /** Null: what the thread uses. */
  reasoningLevel: ReasoningLevel | null;
  permissionMode: PermissionMode;
  serviceTier: ServiceTier;
  /** Sent as one turn with the row after it. */
  groupWithNext: boolean;
  /** Not before this time; null: as soon as nothing else holds it. */
  sendAt: number | null;
  /** What holds it; null when only the ones before do. */
  waitingOn:
    | { kind: "time" }
    | { kind: "thread-busy" }
    | { kind: "provisioning" }
    | { kind: "interaction" }
    | { kind: "plugin"; pluginId: string; reason: string }
    | null;
  /** `retry`: it stands for an earlier turn request; `attempt` is 2 for the first retry. */
  payload: { kind: "inline" } | { kind: "retry"; retryOfTurnRequestId: string; attempt: number };
  /** False for a retry, which sends the message of an earlier turn as it was. */
  editable: boolean;
  createdAt: number;
  updatedAt: number;
}

/** A heading of the sidebar under which threads are put. Times are epoch milliseconds. */
export interface ThreadSection {
  id: string;
  /** 1 to 80 characters. */
  name: string;
  createdAt: number;
  updatedAt: number;
}

/** A folder of a project on one machine. Times are epoch milliseconds. */
export interface ProjectSource {
  id: string;
  projectId: string;
  type: "local_path";
  hostId: string;
  path: string;
  /** Exactly one source of a project is. */
  isDefault: boolean;
  createdAt: number;
  updatedAt: number;
}

/** Folders that belong together, on one or more machines: what threads are about. Times are epoch milliseconds. */
export interface Project {
  /** `proj_personal` is the one of kind `personal`; it has no sources. */
  id: string;
  kind: "standard" | "personal";
  name: string;
  /** Null when the sources are no git checkouts with a remote. */
  gitRemoteUrl: string | null;
  sources: ProjectSource[];
  createdAt: number;
  updatedAt: number;
}

/** A folder on a machine in which threads work. Times are epoch milliseconds, null for what has not happened. */
export interface Environment {
  id: string;
  name: string | null;
  projectId: string;
  hostId: string;
  /** Null while it is being made. */
  path: string | null;
  managed: boolean;
  isGitRepo: boolean;
  isWorktree: boolean;
  workspaceProvisionType: "unmanaged" | "managed-worktree" | "personal" | "provider";
  /** What made it, for the provision type `provider`; else null. */
  providerId: string | null;
  branchName: string | null;
  baseBranch: string | null;
  defaultBranch: string | null;
  /** What its work is compared with when a call names no branch; null until somebody has said. */
  mergeBaseBranch: string | null;
  /**
   * `creating`: the folder is made; `provisioning`: its setup script runs; `error`: one of both failed, `statusDetail` says how;
   * `destroyed`: kept as history.
   */
  status: "creating" | "provisioning" | "ready" | "error" | "destroyed";
  /** For people: what went wrong; null when nothing did. */
  statusDetail: string | null;
  /** `retiring`: nobody needs it, and it is removed at `retireAt`; `removing`: that goes on, `teardown` says how. */
  lifecycle: {
    phase: "active" | "retiring" | "removing";
    retireAt: number | null;
    teardown: { status: string; attempt: number } | null;
  };
  createdAt: number;
  updatedAt: number;
}

/**
 * `available`: calls of host entries can be made. `setup-required`: it has never connected, or speaks another version of the
 * protocol. `unavailable`: it was connected and is away.
 */
export type MachineState = "available" | "setup-required" | "unavailable";

/** A machine with a host daemon. Times are epoch milliseconds. */
export interface Host {
  id: string;
  /** 1 to 100 characters; unique. */
  name: string;
  type: "persistent" | "ephemeral";
  /** Whether its daemon has a session with the server now. */
  status: "connected" | "disconnected";
  /** `server`: the server's own machine, which is always there. */
  role: "server" | "machine";
  /** Follows `status` after a grace of some seconds. */
  state: MachineState;
  /** For people: why it is not available and what to do, or a warning; null when there is nothing to say. */
  stateMessage: string | null;
  /** Null for a machine that was enrolled by hand. */
  machineProviderId: string | null;
  /** Always `active` for a machine that was enrolled by hand. */
  lifecycle: {
    phase: "creating" | "active" | "suspending" | "suspended" | "resuming" | "removing" | "destroyed";
    message: string | null;
    teardown: { status: "running" | "failed" | "removed"; attempt: number } | null;
  };
  maxPermissionMode: PermissionMode;
  /** Null before its first connection. Kept about once a minute. */
  lastSeenAt: number | null;
  /** Of a daemon that was refused because it speaks another version of the protocol; null after the next session. */
  lastRejectedProtocolVersion: number | null;
  createdAt: number;
  updatedAt: number;
}

/** Where a terminal runs: in a folder of a machine, in an environment, or in that of a thread. */
export type TerminalScope =
  | { kind: "host_path"; hostId: string; /** Null: the user's home. */ cwd: string | null }
  | { kind: "environment"; environmentId: string }
  /** The environment of the thread. */
  | { kind: "thread"; threadId: string };

/** A program in a terminal on a machine. Times are epoch milliseconds, null for what has not happened. */
export interface Terminal {
  id: string;
  scope: TerminalScope;
  /** The thread that it was opened for; null when none was named. */
  threadId: string | null;
  environmentId: string | null;
  hostId: string;
  title: string;
  /** `disconnected`: its host is gone beyond its grace; `running` again when the host still has it. */
  status: "starting" | "running" | "exited" | "disconnected";
  /** Null while it runs, and when it ended without one. */
  exitCode: number | null;
  /** Null while it is open. */
  closeReason:
    "user" | "process-exit" | "daemon-disconnect" | "environment-destroyed" | "thread-archived" | "thread-deleted" | "open-timeout" | null;
  initialCwd: string;
  /** Columns; `rows` are its lines. */
  cols: number;
  rows: number;
  /** Null before the first input. */
  lastUserInputAt: number | null;
  createdAt: number;
  updatedAt: number;
}
