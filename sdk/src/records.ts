import type { JsonValue } from "./json.js";

// Core records. Times are epoch milliseconds, durations milliseconds. Ids are opaque: never parse them.

export type ThreadStatus = "pending" | "idle" | "starting" | "active" | "stopping" | "error";

export interface Thread {
  /** `thr_…` */
  id: string;
  projectId: string;
  environmentId: string | null;
  /** The agent provider. */
  providerId: string;
  title: string | null;
  /** What to show while there is no title. */
  titleFallback: string;
  sectionId: string | null;
  status: ThreadStatus;
  parentThreadId: string | null;
  sourceThreadId: string | null;
  originKind: "fork" | null;
  /** The plugin that created it with `svc.sdk`. */
  originPluginId: string | null;
  visibility: "visible" | "hidden";
  hasPendingInteraction: boolean;
  activeBackgroundAgentCount: number;
  pinSortKey: string | null;
  archivedAt: number | null;
  pinnedAt: number | null;
  deletedAt: number | null;
  lastReadAt: number | null;
  latestAttentionAt: number | null;
  createdAt: number;
  updatedAt: number;
  runtime: {
    displayStatus: ThreadStatus | "provisioning" | "host-reconnecting" | "waiting-for-host";
    hostReconnectGraceExpiresAt: number | null;
  };
}

export type TurnState = "accepted" | "dispatched" | "started" | "completed" | "failed" | "interrupted";

export interface Turn {
  /** Null until the agent has acknowledged the prompt. */
  id: string | null;
  requestId: string;
  threadId: string;
  state: TurnState;
  /** 1 for the first; a retry is a new request with the next number. */
  attempt: number;
  retryOfRequestId: string | null;
  initiator: "user" | "agent" | "system" | "mixed";
  providerTurnId: string | null;
  error: { message: string; code?: string } | null;
  acceptedAt: number;
  dispatchedAt: number | null;
  startedAt: number | null;
  endedAt: number | null;
}

/** One entry of a thread's durable log. */
export interface ThreadEvent {
  /** Increases by one per thread. */
  seq: number;
  threadId: string;
  /** `client/turn/requested`, `turn/started`, `item/completed`, …; ignore types you do not know. */
  type: string;
  scope: { kind: "thread" } | { kind: "turn"; turnId: string };
  data: { [key: string]: JsonValue };
  createdAt: number;
}

/** What a timeline shows. */
export type TimelineRow =
  | {
      kind: "conversation";
      id: string;
      threadId: string;
      role: "user" | "assistant";
      text: string;
      initiator: "user" | "agent" | "system" | "mixed";
      attachments?: JsonValue[];
      sourceSeqStart: number;
      sourceSeqEnd: number;
      createdAt: number;
    }
  | {
      kind: "turn";
      id: string;
      status: "active" | "completed" | "failed" | "interrupted";
      startedAt: number;
      completedAt: number | null;
      children?: TimelineRow[];
    }
  | ({ kind: "work"; id: string } & TimelineWork)
  | { kind: "system"; id: string; text: string };

export type TimelineWork =
  | { workKind: "command"; command: string; output: string | null; exitCode: number | null }
  | { workKind: "tool"; toolName: string; toolArgs: JsonValue; output: string | null }
  | { workKind: "file-change"; changes: JsonValue[] }
  | { workKind: "reasoning"; text: string }
  | { workKind: "plan"; [key: string]: JsonValue };

export interface Goal {
  text: string;
  status: "active" | "complete";
}

export interface Mention {
  kind: "plugin" | "file" | "thread";
  /** Of a plugin: `<providerId>:<itemId>`. */
  id: string;
  label: string;
  /** Where it stands in the text. */
  start: number;
  end: number;
}

export type InputBlock =
  | { type: "text"; text: string; mentions?: Mention[]; visibility?: "agent-only" }
  | { type: "localFile"; path: string; name: string; sizeBytes: number; mimeType?: string }
  | { type: "localImage"; path: string }
  | { type: "image"; url: string };

export interface QueuedMessage {
  id: string;
  threadId: string;
  content: InputBlock[];
  model: string | null;
  reasoningLevel: string | null;
  permissionMode: string | null;
  serviceTier: string | null;
  /** Sent as one turn with the row after it. */
  groupWithNext: boolean;
  sendAt: number | null;
  waitingOn:
    | { kind: "time" }
    | { kind: "thread-busy" }
    | { kind: "provisioning" }
    | { kind: "interaction" }
    | { kind: "plugin"; pluginId: string; reason: string }
    | null;
  payload: { kind: "inline" } | { kind: "retry"; retryOfTurnRequestId: string; attempt: number };
  editable: boolean;
  createdAt: number;
  updatedAt: number;
}

export type InteractionPayload =
  | {
      kind: "approval";
      subject: { kind: "command" | "file_change" | "permission_grant" | "plan" | "tool_use"; [key: string]: JsonValue };
      decisions: ("allow_once" | "allow_for_session" | "deny")[];
    }
  | { kind: "user_question"; questions: JsonValue[] }
  | { kind: "plugin"; pluginId: string; rendererId: string; title: string; data: JsonValue; presentation?: JsonValue };

export interface Interaction {
  id: string;
  threadId: string;
  status: "pending" | "resolving" | "resolved" | "interrupted";
  payload: InteractionPayload;
  resolution: JsonValue;
  createdAt: number;
  expiresAt: number | null;
}

export interface ProjectSource {
  id: string;
  type: "local_path";
  hostId: string;
  path: string;
  isDefault: boolean;
}

export interface Project {
  id: string;
  kind: "standard" | "personal";
  name: string;
  gitRemoteUrl: string | null;
  sources: ProjectSource[];
  createdAt: number;
  updatedAt: number;
}

export interface Environment {
  id: string;
  name: string;
  projectId: string;
  hostId: string;
  path: string | null;
  managed: boolean;
  isGitRepo: boolean;
  isWorktree: boolean;
  workspaceProvisionType: "unmanaged" | "managed-worktree" | "provider";
  providerId: string | null;
  branchName: string | null;
  baseBranch: string | null;
  defaultBranch: string | null;
  mergeBaseBranch: string | null;
  status: "creating" | "provisioning" | "ready" | "error" | "destroyed";
  statusDetail: string | null;
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

export type TerminalScope =
  | { kind: "host_path"; hostId: string; /** Null: the user's home. */ cwd: string | null }
  | { kind: "environment"; environmentId: string };

export interface Terminal {
  id: string;
  scope: TerminalScope;
  title: string;
  /** `lost`: its host is gone beyond its grace. */
  status: "starting" | "running" | "exited" | "lost";
  exitCode: number | null;
  initialCwd: string;
  cols: number;
  rows: number;
  createdAt: number;
}

export type PermissionMode = "accept-edits" | "auto" | "full";
export type ReasoningLevel = "none" | "low" | "medium" | "high" | "xhigh" | "ultracode" | "max" | "ultra";

export interface ProviderCapabilities {
  supportsServiceTier: boolean;
  supportsNativeUserQuestion: boolean;
  fork: "none" | "tip" | "checkpoint";
  supportsManualCompaction: boolean;
  supportsThreadArchive: boolean;
  supportsThreadRename: boolean;
  permissionModes: PermissionMode[];
  reasoningLevels: ReasoningLevel[];
}

/** An agent provider. */
export interface Provider {
  id: string;
  displayName: string;
  available: boolean;
  unavailableReason: string | null;
  logoUrl: string | null;
  /** The plugin that declares it; null when it is configured. */
  pluginId: string | null;
  capabilities: ProviderCapabilities;
}

export interface Model {
  id: string;
  model: string;
  displayName: string;
  description: string | null;
  isDefault: boolean;
  routeProviderId: string | null;
  defaultReasoningEffort: string | null;
  supportedReasoningEfforts: { reasoningEffort: string; description: string }[];
}
