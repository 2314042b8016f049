import type { JsonInput, JsonValue } from "./json.js";
import type {
  Environment,
  Goal,
  InputBlock,
  Interaction,
  PermissionMode,
  QueuedMessage,
  ReasoningLevel,
  Thread,
  ThreadEvent,
  ThreadStatus,
  TimelineRow,
} from "./records.js";
import type { Call, LooseCall, NotSupported, OfThread, OptionalCall, Page, SdkCallOptions } from "./sdk_calls.js";

export type EnvironmentIntent =
  | { type: "project-default" }
  | { type: "reuse"; environmentId: string }
  | {
      type: "host";
      hostId: string;
      workspace: { type: "unmanaged"; path: string } | { type: "managed-worktree"; baseBranch?: string };
    };

interface ExecutionOptions {
  model?: string;
  reasoningLevel?: ReasoningLevel;
  serviceTier?: string;
  permissionMode?: PermissionMode;
}

export interface SpawnThread extends ExecutionOptions {
  projectId: string;
  /** One text block; give this or `input`. */
  prompt?: string;
  input?: InputBlock[];
  title?: string;
  /** Default: `{ type: "project-default" }`. */
  environment?: EnvironmentIntent;
  providerId?: string;
  visibility?: "visible" | "hidden";
  parentThreadId?: string;
  sourceThreadId?: string;
  sourceSeqEnd?: number;
  originKind?: "fork";
  sectionId?: string;
  executionInputSources?: JsonInput;
  pluginMetadata?: { [key: string]: JsonInput };
  sendAt?: number;
}

export interface TimelineCursor {
  anchorSeq: number;
  anchorId: string;
}

export interface SdkThreads {
  get(argument: OfThread & { include: "environment" } & SdkCallOptions): Promise<Thread & { environment: Environment | null }>;
  get(argument: OfThread & SdkCallOptions): Promise<Thread>;
  /** Newest activity first. `archived` absent: both. */
  list: OptionalCall<
    Page & {
      projectId?: string;
      archived?: boolean | string;
      parentThreadId?: string;
      sectionId?: string;
      originPluginId?: string;
      includeHidden?: boolean | string;
    },
    Thread[]
  >;
  /** Creates a thread and submits its first turn. Its origin is this plugin. */
  spawn: Call<SpawnThread, Thread>;
  send: Call<
    OfThread &
      ExecutionOptions & {
        input: InputBlock[];
        /** `start`: 409 when busy; `steer`: 409 when idle. */
        mode: "start" | "auto" | "queue-if-active" | "steer" | "steer-if-active";
        sendAt?: number;
      },
    { outcome: "started" | "steered" | "queued"; turnRequestId: string | null; queuedMessageId: string | null }
  >;
  /** Null: the latest failed or interrupted turn. */
  retry: Call<
    OfThread & { turnRequestId: string | null; sendAt?: number; reason?: string },
    { queuedMessageId: string; attempt: number }
  >;
  stop: Call<OfThread, Thread>;
  archive: Call<OfThread, Thread>;
  /** The last assistant text of the last finished turn. */
  output: Call<OfThread, { output: string | null }>;
  timeline: Call<
    OfThread & { includeNestedRows?: boolean; summaryOnly?: boolean; segmentLimit?: number; before?: TimelineCursor },
    {
      rows: TimelineRow[];
      goal: Goal | null;
      maxSeq: number;
      hasOlderRows: boolean;
      timelinePage: { olderCursor: TimelineCursor | null };
    }
  >;
  readonly events: {
    list: Call<
      OfThread & { afterSeq?: number; beforeSeq?: number; order?: "asc" | "desc"; types?: string[]; limit?: number },
      ThreadEvent[]
    >;
    /** The first event of the type after `afterSeq`; null after `waitMs` (at most 60 s). */
    wait: Call<OfThread & { type: string; afterSeq?: number; waitMs: number }, ThreadEvent | null>;
  };
  defaultExecutionOptions: Call<
    OfThread,
    {
      providerId: string;
      model: string | null;
      reasoningLevel: ReasoningLevel | null;
      permissionMode: PermissionMode;
      serviceTier: string | null;
    } | null
  >;
  update: Call<
    OfThread & {
      title?: string | null;
      sectionId?: string | null;
      parentThreadId?: string | null;
      visibility?: "visible" | "hidden";
    },
    Thread
  >;
  delete: Call<OfThread, unknown>;
  unarchive: Call<OfThread, Thread>;
  archiveAll: LooseCall;
  fork: Call<OfThread & Partial<SpawnThread>, Thread>;
  search: Call<Page & { query: string }, Thread[]>;
  editMessage: LooseCall;
  /** Until the thread has a status, or an event; exactly one of them. Default 20 min, asked every 250 ms. */
  wait: Call<OfThread & { status?: ThreadStatus; event?: string; timeoutMs?: number }, unknown>;
  open: Call<OfThread, unknown>;
  pin: Call<OfThread, Thread>;
  unpin: Call<OfThread, Thread>;
  reorderPinned: LooseCall;
  markRead: Call<OfThread, Thread>;
  markUnread: Call<OfThread, Thread>;
  promptHistory: LooseCall;
  conversationOutline: Call<OfThread, { items: { role: "user" | "assistant"; preview: string }[] }>;
  /** `pluginId`: default this plugin. */
  getPluginMetadata: Call<OfThread & { pluginId?: string }, { [key: string]: JsonValue }>;
  /** At most 256 KiB per plugin and thread. */
  updatePluginMetadata: Call<
    OfThread & { pluginId?: string; metadata: { [key: string]: JsonInput } },
    { [key: string]: JsonValue }
  >;
  compact: Call<OfThread, unknown>;
  childSummary: LooseCall;
  resolveMentions: LooseCall;
  storageFiles: LooseCall;
  storageLocation: LooseCall;
  storagePaths: Call<OfThread, { storageRootPath: string; paths: string[] }>;
  readonly interactions: {
    list: Call<OfThread, Interaction[]>;
    get: Call<OfThread & { interactionId: string }, Interaction>;
    resolve: Call<OfThread & { interactionId: string; decision?: string; answers?: JsonInput }, Interaction>;
    respond: Call<OfThread & { interactionId: string; value: JsonInput }, Interaction>;
    cancel: Call<OfThread & { interactionId: string }, Interaction>;
  };
  readonly queuedMessages: {
    create: LooseCall;
    list: Call<OfThread, QueuedMessage[]>;
    update: Call<OfThread & { queuedMessageId: string; [key: string]: unknown }, QueuedMessage>;
    delete: Call<OfThread & { queuedMessageId: string }, unknown>;
    send: Call<OfThread & { queuedMessageId: string }, unknown>;
    reorder: LooseCall;
    setGroupBoundary: Call<OfThread & { queuedMessageId: string; [key: string]: unknown }, unknown>;
  };
  readonly tabs: {
    get: Call<OfThread, { revision: number; tabs: JsonValue[] }>;
    /** 409 when the revision is another. */
    update: Call<OfThread & { expectedRevision: number; tabs: JsonInput[] }, { revision: number; tabs: JsonValue[] }>;
  };
  cancelPlan: NotSupported;
  clearGoal: NotSupported;
  paneAction: NotSupported;
  timelineTurnSummaryDetails: NotSupported;
  experimental_listAncestors: NotSupported;
  experimental_listDescendants: NotSupported;
}
