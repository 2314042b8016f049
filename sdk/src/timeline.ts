import type { JsonValue } from "./json.js";
import type { Mention, UserAnswers, UserQuestion } from "./records.js";

// What the timeline of a thread shows of its log. Times are epoch milliseconds.

/** What the agent works towards until it is reached. Times are epoch milliseconds. */
export interface Goal {
  objective: string;
  /** `budgetLimited`: the tokens of its budget are used up. */
  status: "active" | "paused" | "budgetLimited" | "complete";
  /** The event of the log that said so last. */
  sourceSeq: number;
  /** Null without one. */
  tokenBudget: number | null;
  tokensUsed: number;
  timeUsedSeconds: number;
  updatedAt: number;
}

/** The agent's list of what is to do, as it was last. Times are epoch milliseconds. */
export interface PendingTodos {
  items: { id: string; text: string; status: "pending" | "in_progress" | "completed" }[];
  /** The event of the log that said so. */
  sourceSeq: number;
  updatedAt: number;
}

/** How full the model's context is, in tokens. Null where the agent does not say. */
export interface ContextWindowUsage {
  usedTokens: number | null;
  modelContextWindow: number | null;
  estimated: boolean;
}

/** Rows, oldest first. Times are epoch milliseconds. */
export interface Timeline {
  rows: TimelineRow[];
  /** The last event of the log that is in it. */
  maxSeq: number;
  goal: Goal | null;
  pendingTodos: PendingTodos | null;
  /** What the agent thinks right now; null while it does not. */
  activeThinking: { id: string; text: string; startedAt: number; updatedAt: number } | null;
  /** Reserved: null in this version of the service. */
  activePromptMode: { mode: "plan"; prompt: string; providerId: string } | null;
  activeWorkflows: TimelineRow[];
  activeBackgroundCommands: TimelineRow[];
  contextWindowUsage?: ContextWindowUsage;
  /** The provider has put another model in place of the chosen one; null when it has not. */
  modelFallback: { originalModel: string; fallbackModel: string; reason: "provider" | "refusal"; message: string } | null;
  timelinePage: {
    kind: "latest" | "older";
    segmentLimit: number;
    returnedSegmentCount: number;
    hasOlderRows: boolean;
    /** Goes back as `beforeAnchorSeq` and `beforeAnchorId`; null without older rows. */
    olderCursor: TimelineCursor | null;
  };
  /** As in `timelinePage`. */
  hasOlderRows: boolean;
  /** The answer to `afterSequence`, in place of `rows`: what changed, and the order of all ids when that changed. */
  delta?: { upsertRows: TimelineRow[]; rowOrder?: string[] };
}

/** The start of the oldest rows of a page: older ones come before it. */
export interface TimelineCursor {
  anchorSeq: number;
  anchorId: string;
}

/** `pending`: it goes on; `interrupted`: the turn ended before it did. */
export type TimelineRowStatus = "pending" | "completed" | "error" | "interrupted";

/** What all rows have. Times are epoch milliseconds. */
export interface TimelineRowBase {
  /** Stable from page to page. */
  id: string;
  threadId: string;
  /** Null for what belongs to no turn. */
  turnId: string | null;
  /** The first event of the log that the row shows; `sourceSeqEnd` is the last. */
  sourceSeqStart: number;
  sourceSeqEnd: number;
  startedAt: number;
  createdAt: number;
  /** The item whose streamed text belongs to the row. */
  itemId?: string;
}

/** What is attached to a message: how much of each kind, and where it is. */
export interface TimelineAttachments {
  webImages: number;
  localImages: number;
  localFiles: number;
  imageUrls: string[];
  localImagePaths: string[];
  localFilePaths: string[];
}

/** A message to the agent, of a user or of who is the `initiator`. */
export interface TimelineUserRow extends TimelineRowBase {
  kind: "conversation";
  role: "user";
  text: string;
  initiator: "user" | "agent" | "system" | "mixed";
  /** The thread whose agent sent it; null for others. */
  senderThreadId: string | null;
  mentions: Mention[];
  /** Null without any. */
  attachments: TimelineAttachments | null;
  turnRequest: { kind: "message" | "steer"; status: "pending" | "accepted" | "rejected"; isGrouped: boolean };
  systemMessageKind: string;
  systemMessageSubject: null;
}

/** What the agent said, in Markdown. */
export interface TimelineAssistantRow extends TimelineRowBase {
  kind: "conversation";
  role: "assistant";
  text: string;
  attachments: null;
  turnRequest: null;
}

/** A finished turn: what is between its messages. */
export interface TimelineTurnRow extends TimelineRowBase {
  kind: "turn";
  status: TimelineRowStatus;
  /** How many rows it folds. */
  summaryCount: number;
  /** How many of them are steps: those that say why it did not end well are none. Absent: all. */
  stepCount?: number;
  completedAt: number | null;
  /** Only with `includeNestedRows`. */
  children: TimelineRow[] | null;
}

/** What the service says: an operation, an error, or what happened to the thread. */
export interface TimelineSystemRow extends TimelineRowBase {
  kind: "system";
  systemKind: "operation" | "error" | "reconnect" | "debug";
  title: string;
  detail: string | null;
  status: TimelineRowStatus | null;
  /** Of operations. */
  operationKind?:
    | "thread-provisioning"
    | "thread-interrupted"
    | "compaction"
    | "context-clear"
    | "parent-change"
    | "plugin-interaction"
    | "warning"
    | "generic";
  completedAt?: number | null;
  parentChange?: {
    action: "assign" | "release" | "transfer";
    previousParentThreadId: string | null;
    previousParentThreadTitle: string | null;
    nextParentThreadId: string | null;
    nextParentThreadTitle: string | null;
  };
}

/** One row of a timeline; `kind` tells which. */
export type TimelineRow =
  | TimelineUserRow
  | TimelineAssistantRow
  | TimelineTurnRow
  | TimelineSystemRow
  | (TimelineRowBase & { kind: "work"; status: TimelineRowStatus } & TimelineWork);

/** What a command does, for people. */
export interface ActivityIntent {
  type: "read" | "list_files" | "search" | "unknown";
  command: string;
  name?: string;
  path?: string;
  query?: string;
}

type ApprovalStatus = "waiting_for_approval" | "denied" | null;

/** What the agent did, by `workKind`: members that a row of the kind `work` has beside those of all rows. */
export type TimelineWork =
  | {
      workKind: "command";
      callId: string;
      command: string;
      cwd: string | null;
      output: string;
      exitCode: number | null;
      source: string | null;
      approvalStatus: ApprovalStatus;
      activityIntents: ActivityIntent[];
      completedAt: number | null;
    }
  | {
      workKind: "tool";
      callId: string;
      toolName: string;
      toolArgs: { [key: string]: JsonValue } | null;
      output: string;
      approvalStatus: ApprovalStatus;
      statusLabels?: { pending: string; completed: string };
      presentation?: JsonValue;
      activityIntents: ActivityIntent[];
      completedAt: number | null;
    }
  /** One row per file. */
  | {
      workKind: "file-change";
      callId: string;
      change: {
        path: string;
        kind: "add" | "delete" | "update";
        movePath: string | null;
        diff: string | null;
        diffStats: { added: number; removed: number };
      };
      stdout: string | null;
      stderr: string | null;
      approvalStatus: ApprovalStatus;
    }
  | { workKind: "web-search"; queries: string[] }
  | { workKind: "web-fetch"; url: string; prompt: string | null; pattern: string | null }
  | { workKind: "image-view"; path: string }
  | {
      workKind: "approval";
      approvalKind: "file-edit" | "permission-grant";
      interactionId: string;
      lifecycle: "pending" | "waiting" | "resolving" | "granted" | "denied" | "interrupted";
      grantScope: "turn" | "session" | null;
      statusReason: string | null;
      target: { itemId: string; toolName: string | null };
    }
  | {
      workKind: "question";
      interactionId: string;
      questions: UserQuestion[];
      answers: UserAnswers | null;
      lifecycle: "pending" | "resolving" | "answered" | "interrupted";
    }
  | {
      workKind: "delegation";
      callId: string;
      toolName: string;
      subagentType: string | null;
      description: string | null;
      output: string;
      completedAt: number | null;
      childRows: TimelineRow[];
    }
  | {
      workKind: "workflow";
      taskType: string;
      taskStatus: "pending" | "running" | "paused" | "completed" | "failed" | "killed" | "stopped";
      description: string;
      summary: string | null;
      usage: { totalTokens: number; toolUses: number; durationMs: number } | null;
    }
  | { workKind: "reasoning"; text: string }
  | { workKind: "plan"; text: string };
