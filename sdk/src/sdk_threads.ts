import type { JsonInput, JsonValue } from "./json.js";
import type {
  ApprovalDecision,
  Environment,
  EnvironmentIntent,
  Host,
  InputBlock,
  Interaction,
  InteractionResolution,
  PermissionGrant,
  PermissionMode,
  QueuedMessage,
  ReasoningLevel,
  ServiceTier,
  Thread,
  ThreadEventOf,
  ThreadEventType,
  ThreadSection,
  ThreadStatus,
  Timeline,
  TimelineRow,
  UserAnswers,
} from "./records.js";
import type { Call, NotSupported, OfThread, Ok, OptionalCall, Page, PathEntry, PathQuery, SdkCallOptions } from "./sdk_calls.js";

/** `explicit`: chosen for this call; `client-preference`: remembered. Recorded only. */
export type ExecutionInputSource = "explicit" | "client-preference";
/** Where the model, level, mode and tier of a request come from, by the name of the member. */
export interface ExecutionInputSources {
  [field: string]: ExecutionInputSource;
}

interface ExecutionOptions {
  model?: string | null;
  reasoningLevel?: ReasoningLevel | null;
  serviceTier?: ServiceTier | null;
  /** `workspace-write` is an older name of `accept-edits`. */
  permissionMode?: PermissionMode | "workspace-write" | null;
  executionInputSources?: ExecutionInputSources;
}

/** What `threads.spawn` takes. What is left out of model, level, mode and tier comes from the project's defaults. */
export interface SpawnThread extends ExecutionOptions {
  projectId: string;
  /** One text block; give this or `input`. */
  prompt?: string;
  input?: InputBlock[];
  title?: string;
  /** Default: `{ type: "project-default" }`. */
  environment?: EnvironmentIntent;
  /** Default: that of the project, else the first available one. */
  providerId?: string | null;
  /** `hidden`: lists have it only with `includeHidden`. Default `visible`. */
  visibility?: "visible" | "hidden";
  parentThreadId?: string;
  sourceThreadId?: string;
  /** Last event of the source that the fork knows. Default: all of them. */
  sourceSeqEnd?: number;
  originKind?: "fork";
  /** Older name of `originKind`. */
  childOrigin?: "fork";
  sectionId?: string;
  /** An agent works in a thread; the system need not. */
  startedOnBehalfOf?: { initiator: "agent" | "system"; senderThreadId: string } | { initiator: "system"; senderThreadId?: null };
  /** Of this plugin, as `threads.updatePluginMetadata` would set it. */
  pluginMetadata?: { [key: string]: JsonInput };
  /** Epoch milliseconds; the thread is `pending` until then. */
  sendAt?: number;
}

/** The agent's session is copied when it can fork; otherwise the transcript opens the first prompt. */
export interface ForkThread {
  sourceThreadId: string;
  /** Default: the whole thread. */
  sourceSeqEnd?: number;
  /** Without it the fork stays `idle`. */
  input?: InputBlock[];
  agentContextSeed?: InputBlock[];
  title?: string;
  /** Default `visible`. */
  visibility?: "visible" | "hidden";
  /** Default `reuse`: the environment of the source. */
  workspace?: "reuse" | "isolated";
  permissionMode?: PermissionMode;
}

/** What the next turn uses. */
export interface ThreadExecutionOptions {
  providerId: string;
  /** Null: what the agent uses by itself. */
  model: string | null;
  reasoningLevel: ReasoningLevel | null;
  permissionMode: PermissionMode;
  serviceTier: ServiceTier;
  source: "client/turn/requested";
  /** The latest turn request of the log; absent before the first. */
  seq?: number;
}

/** A message that the user has sent before. */
export interface PromptHistoryEntry {
  id: string;
  /** Epoch milliseconds. */
  createdAt: number;
  input: InputBlock[];
}

/** Threads in which a search found something, newest activity first; `total` counts those beyond the limit, too. */
export interface ThreadSearchGroup {
  results: {
    thread: Thread;
    matches: {
      sourceKind: "title" | "title_fallback" | "user_message" | "assistant_message" | "system_message";
      sourceSeq: number | null;
      text: string;
      /** UTF-16 units of `text`. */
      highlightRanges: { start: number; end: number }[];
    }[];
  }[];
  total: number;
}

/** A tab of the thread's right panel; a kind you do not know is kept and not shown. */
export interface ThreadTab {
  id: string;
  kind: string;
  [member: string]: JsonValue;
}

type OfInteraction = OfThread & { interactionId: string };
type OfQueuedMessage = OfThread & { queuedMessageId: string };
type Archived = Ok & { archivedThreadIds: string[] };
type Resolution =
  | { resolution: InteractionResolution }
  | { decision: ApprovalDecision; grantedPermissions?: PermissionGrant | null }
  | { kind?: "user_answer"; answers: UserAnswers };

interface ThreadWaitForStatusResult {
  matched: true;
  threadId: string;
  target: { kind: "status"; status: ThreadStatus };
  thread: Thread;
}
interface ThreadWaitForEventResult<Type extends string> {
  matched: true;
  threadId: string;
  target: { kind: "event"; eventType: string };
  event: ThreadEventOf<Type>;
}

/** `svc.sdk.threads`: conversations with agents, their messages and their logs. */
export interface SdkThreads {
  get<Include extends "environment" | "host" | "environment,host" = never>(
    argument: OfThread & { include?: Include } & SdkCallOptions,
  ): Promise<
    Thread &
      ([Include] extends [never]
        ? {}
        : ("environment" extends Include ? { environment: Environment | null } : {}) &
            ("host" extends Include ? { host: Host | null } : {}) &
            ("environment,host" extends Include ? { environment: Environment | null; host: Host | null } : {}))
  >;
  /** Newest activity first. `archived` absent: both. Without `limit` up to 1,000. */
  list: OptionalCall<
    Page & {
      projectId?: string;
      archived?: boolean | string;
      hasParent?: boolean | string;
      parentThreadId?: string;
      sourceThreadId?: string;
      originKind?: "fork";
      originPluginId?: string;
      sectionId?: string;
      unsectioned?: boolean | string;
      includeHidden?: boolean | string;
    },
    Thread[]
  >;
  /** Creates a thread and submits its first turn. Its origin is this plugin. 409 `conflict` when no machine has its agent. */
  spawn: Call<SpawnThread, Thread>;
  /** Copies a thread, up to a message when one is named. Its origin is this plugin. */
  fork: Call<ForkThread, Thread>;
  /** Sends a message. An agent that cannot steer gets it at the head of the queue. */
  send: Call<
    OfThread &
      ExecutionOptions & {
        input: InputBlock[];
        /** `start`: 409 when busy; `steer`: 409 when idle; `auto`: start, or queue when busy. */
        mode: "start" | "auto" | "queue-if-active" | "steer" | "steer-if-active";
        senderThreadId?: string;
        sendAt?: number;
      },
    Ok & { outcome: "started" | "steered" | "queued"; turnRequestId: string | null; queuedMessageId: string | null }
  >;
  /** Null: the latest turn. 409 `conflict` when it neither failed nor was interrupted, and while a retry of it is live. */
  retry: Call<
    OfThread & { turnRequestId: string | null; sendAt?: number; reason?: string },
    Ok & { queuedMessageId: string; attempt: number }
  >;
  /** History stays, and a later message resumes. An idle thread answers at once. */
  stop: Call<OfThread, Ok & { thread: Thread }>;
  /** The thread and all its descendants that are not archived; active ones are stopped first. */
  archive: Call<OfThread, Archived>;
  archiveAll: Call<OfThread, Archived>;
  /** Only this thread. */
  unarchive: Call<OfThread, Ok & { thread: Thread }>;
  /** The last assistant text of the last finished turn. */
  output: Call<OfThread, Ok & { output: string | null }>;
  /** `segmentLimit`: 20 by default, up to 200; `beforeAnchorSeq` and `beforeAnchorId` are those of `olderCursor`. */
  timeline: Call<
    OfThread & {
      includeNestedRows?: boolean | string;
      summaryOnly?: boolean | string;
      segmentLimit?: number | string;
      beforeAnchorSeq?: number | string;
      beforeAnchorId?: string;
      afterSequence?: number | string;
    },
    Ok & Timeline
  >;
  /** What a `turn` row of the timeline folds, the newest of it when it is very long: `olderSeqEnd` is the `sourceSeqEnd` of the rows before. */
  timelineTurnSummaryDetails: Call<
    OfThread & { turnId: string; sourceSeqStart: number | string; sourceSeqEnd: number | string },
    Ok & { rows: TimelineRow[]; olderSeqEnd: number | null }
  >;
  readonly events: {
    /** With `types`, of these only, and so typed. */
    list<Type extends ThreadEventType = ThreadEventType>(
      argument: OfThread &
        SdkCallOptions & {
          afterSeq?: number | string;
          beforeSeq?: number | string;
          order?: "asc" | "desc";
          types?: readonly Type[];
          limit?: number | string;
        },
    ): Promise<ThreadEventOf<Type>[]>;
    /** The first event of the type after `afterSeq`; null after `waitMs` (milliseconds, at most 60,000; 0 only looks). */
    wait<Type extends ThreadEventType>(
      argument: OfThread & SdkCallOptions & { type: Type; afterSeq?: number; waitMs: number },
    ): Promise<ThreadEventOf<Type> | null>;
  };
  defaultExecutionOptions: Call<OfThread, ThreadExecutionOptions | null>;
  /** Null clears. A parent that is a descendant is `conflict`. */
  update: Call<
    OfThread & {
      title?: string | null;
      sectionId?: string | null;
      parentThreadId?: string | null;
      visibility?: "visible" | "hidden";
      model?: string | null;
      reasoningLevel?: ReasoningLevel | null;
    },
    Thread
  >;
  /** Descendants go too. With children and without `childThreadsConfirmed` 409 `conflict`. */
  delete: Call<OfThread & { childThreadsConfirmed?: boolean | string }, Ok>;
  /** `limitPerGroup`: 20 by default, up to 100. */
  search: Call<{ query: string; limitPerGroup?: number | string }, Ok & { active: ThreadSearchGroup; archived: ThreadSearchGroup }>;
  /** Replaces the last user message; 409 unless the provider forks at checkpoints. */
  editMessage: Call<
    OfThread & ExecutionOptions & { operationId: string; input: InputBlock[]; expectedRequestSequence?: number },
    Ok & { operationId: string; requestSequence: number }
  >;
  /**
   * Until the thread has a status, or an event of a type; exactly one of them. Milliseconds: 20 minutes and 250 by default. Rejects
   * with `ThreadWaitTimeoutError`, and with `ThreadWaitUnreachableError` when it cannot come any more.
   */
  wait<Until extends { status: ThreadStatus; event?: undefined } | { event: ThreadEventType; status?: undefined }>(
    argument: OfThread & Until & { timeoutMs?: number; pollIntervalMs?: number } & SdkCallOptions,
  ): Promise<
    Until extends { status: ThreadStatus }
      ? ThreadWaitForStatusResult
      : Until extends { event: infer Type extends string }
        ? ThreadWaitForEventResult<Type>
        : never
  >;
  /** Opens the thread in every window; `delivered`: how many were told. */
  open: Call<
    OfThread & {
      file?: { source: "workspace" | "thread-storage"; path: string; lineNumber: number | null } | null;
      split?: "left" | "right" | "top" | "down" | "replace";
    },
    Ok & { delivered: number }
  >;
  pin: Call<OfThread, Thread>;
  unpin: Call<OfThread, Thread>;
  /** The neighbours at the new place; null: the end. Returns the pinned threads in order. */
  reorderPinned: Call<OfThread & { previousThreadId: string | null; nextThreadId: string | null }, Thread[]>;
  markRead: Call<OfThread, Thread>;
  markUnread: Call<OfThread, Thread>;
  /** The user's messages, newest first. */
  promptHistory: Call<OfThread & { limit?: number | string }, PromptHistoryEntry[]>;
  conversationOutline: Call<
    OfThread,
    Ok & {
      items: {
        id: string;
        role: "user" | "assistant";
        preview: string;
        attachmentSummary: { fileCount: number; imageCount: number } | null;
      }[];
      maxSeq: number;
    }
  >;
  /** `pluginId`: default this plugin. */
  getPluginMetadata: Call<OfThread & { pluginId?: string }, { [key: string]: JsonValue }>;
  /** Merged by top-level key, null removes. At most 256 KiB per plugin and thread. */
  updatePluginMetadata: Call<OfThread & { pluginId?: string; metadata: { [key: string]: JsonInput } }, { [key: string]: JsonValue }>;
  /** 409 when the thread is busy or its agent cannot. */
  compact: Call<OfThread, Ok>;
  childSummary: Call<OfThread, Ok & { nonDeletedChildCount: number }>;
  /** Unknown ids are left out. */
  resolveMentions: Call<{ threadIds: string[] }, { threadId: string; projectId: string; label: string }[]>;
  /** The folder lies on the server's machine. */
  storageFiles: Call<
    OfThread & { query?: string; limit?: number | string },
    Ok & { storageRootPath: string; files: { name: string; path: string }[]; truncated: boolean }
  >;
  storagePaths: Call<OfThread & PathQuery, Ok & { storageRootPath: string; paths: PathEntry[]; truncated: boolean }>;
  storageLocation: Call<OfThread, Ok & { storageRootPath: string; hostId: string }>;
  readonly interactions: {
    /** The pending and resolving ones, oldest first. */
    list: Call<OfThread, Interaction[]>;
    get: Call<OfInteraction, Interaction>;
    /** Of an agent's interaction. 400 for a decision that is not available, 409 for a second answer. */
    resolve: Call<OfInteraction & Resolution, Interaction>;
    /** Of a plugin's interaction; at most 64 KiB. */
    respond: Call<OfInteraction & { value: JsonInput }, Interaction>;
    cancel: Call<OfInteraction, Interaction>;
  };
  readonly queuedMessages: {
    list: Call<OfThread, QueuedMessage[]>;
    create: Call<OfThread & ExecutionOptions & { input: InputBlock[]; senderThreadId?: string; sendAt?: number }, QueuedMessage>;
    /** 409 when it was changed since `expectedUpdatedAt`. */
    update: Call<OfQueuedMessage & { input: InputBlock[]; expectedUpdatedAt: number }, QueuedMessage>;
    delete: Call<OfQueuedMessage, Ok>;
    send: Call<OfQueuedMessage & { mode: "auto" | "steer" }, Ok & { queuedMessage: QueuedMessage }>;
    /** The neighbours at the new place; null: the end. Returns the queue. */
    reorder: Call<
      OfQueuedMessage & {
        previousQueuedMessageId: string | null;
        nextQueuedMessageId: string | null;
        groupBoundaryQueuedMessageId?: string | null;
      },
      QueuedMessage[]
    >;
    /** The head up to that row becomes one group; 409 when the prefix is another. Returns the queue. */
    setGroupBoundary: Call<
      OfThread & { groupBoundaryQueuedMessageId: string | null; expectedGroupedPrefixQueuedMessageIds: string[] },
      QueuedMessage[]
    >;
  };
  readonly tabs: {
    get: Call<OfThread, Ok & { revision: number; tabs: ThreadTab[] }>;
    /** 409 when the revision is another. At most 64 tabs. */
    update: Call<OfThread & { expectedRevision: number; tabs: JsonInput[] }, Ok & { revision: number; tabs: ThreadTab[] }>;
  };
  cancelPlan: NotSupported;
  clearGoal: NotSupported;
  paneAction: NotSupported;
  experimental_listAncestors: NotSupported;
  experimental_listDescendants: NotSupported;
  /** Of older versions. */
  rateLimitRecovery: NotSupported;
  /** Of older versions. */
  continueAfterRateLimit: NotSupported;
}

/** `svc.sdk.threadSections`: headings of the sidebar. Threads of a deleted one stay, without a section. */
export interface SdkThreadSections {
  list: OptionalCall<{}, ThreadSection[]>;
  create: Call<{ name: string }, ThreadSection>;
  update: Call<{ id: string; name: string }, Ok & { id: string; name: string; updatedThreadCount: number }>;
  delete: Call<{ id: string }, Ok & { id: string; name: string; updatedThreadCount: number }>;
}
