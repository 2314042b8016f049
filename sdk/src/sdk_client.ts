import type { JsonInput, JsonValue } from "./json.js";
import type { PluginRecord } from "./record.js";
import type {
  Environment,
  Goal,
  Host,
  InputBlock,
  Interaction,
  Model,
  PermissionMode,
  Project,
  ProjectSource,
  Provider,
  QueuedMessage,
  ReasoningLevel,
  Terminal,
  TerminalScope,
  Thread,
  ThreadEvent,
  ThreadStatus,
  TimelineRow,
} from "./records.js";
import type { StandardSchemaV1 } from "./standard_schema.js";

/** What every call takes besides its own members. */
export interface SdkCallOptions {
  /** Abort: the call rejects with `AbortError`, and the service stops working on it where it can. */
  signal?: AbortSignal;
}

type Call<Argument extends object, Result> = (argument: Argument & SdkCallOptions) => Promise<Result>;
type OptionalCall<Argument extends object, Result> = (argument?: Argument & SdkCallOptions) => Promise<Result>;
/** A method of a later version: its members are not settled. */
type LooseCall = (argument?: { [key: string]: unknown } & SdkCallOptions) => Promise<unknown>;
/** Named only: rejects with an `HttpError` of status 501 and code `not_supported`. */
type NotSupported = (argument?: object) => Promise<never>;

interface Page {
  /** Default and maximum: 100 and 1000. */
  limit?: number | string;
  offset?: number | string;
}
interface OfThread {
  threadId: string;
}

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

export interface SdkProjects {
  /** In sidebar order; the personal project only when asked for. */
  list: OptionalCall<{ includePersonal?: boolean | string }, Project[]>;
  get: Call<{ projectId: string }, Project>;
  create: Call<{ name: string; source: { type: "local_path"; hostId: string; path: string } }, Project>;
  update: Call<{ projectId: string; name?: string }, Project>;
  delete: Call<{ projectId: string }, unknown>;
  reorder: LooseCall;
  paths: LooseCall;
  files: LooseCall;
  fileContent: LooseCall;
  branches: Call<
    { projectId: string },
    { branches: JsonValue[]; branchesTruncated: boolean; hasUncommittedChanges: boolean }
  >;
  defaultExecutionOptions: LooseCall;
  promptHistory: LooseCall;
  readonly sources: {
    add: Call<{ projectId: string; type: "local_path"; hostId: string; path: string }, ProjectSource>;
    update: Call<{ projectId: string; sourceId: string; [key: string]: unknown }, ProjectSource>;
    delete: Call<{ projectId: string; sourceId: string }, unknown>;
  };
  readonly attachments: { upload: LooseCall; read: LooseCall; copy: LooseCall };
  sidebarBootstrap: NotSupported;
}

interface OfEnvironment {
  environmentId: string;
}

export interface SdkEnvironments {
  get: Call<OfEnvironment, Environment>;
  list: OptionalCall<Page & { projectId?: string }, Environment[]>;
  listProviders: LooseCall;
  update: Call<OfEnvironment & { [key: string]: unknown }, Environment>;
  delete: Call<OfEnvironment, unknown>;
  status: Call<
    OfEnvironment,
    | { outcome: "available"; workspace: { checkout: JsonValue; workingTree: JsonValue } }
    | { outcome: "unavailable"; message: string }
  >;
  paths: LooseCall;
  diff: LooseCall;
  diffFile: LooseCall;
  diffFiles: LooseCall;
  diffPatch: LooseCall;
  diffBranches: LooseCall;
  commit: LooseCall;
  pullRequest: LooseCall;
  archiveThreads: LooseCall;
  markPullRequestDraft: NotSupported;
  markPullRequestReady: NotSupported;
  mergePullRequest: NotSupported;
}

export interface DirectoryEntry {
  name: string;
  path: string;
  kind: "file" | "directory" | "symlink";
}

export interface SdkHosts {
  /** The server's own machine first. */
  list: OptionalCall<{}, Host[]>;
  /** Without `path` the user's home. */
  directory: Call<
    { hostId: string; path?: string },
    { directory: string; parent: string | null; entries: DirectoryEntry[] }
  >;
  get: Call<{ hostId: string }, Host>;
  update: Call<{ hostId: string; name?: string }, Host>;
  delete: Call<{ hostId: string }, unknown>;
  create: LooseCall;
  listProviders: LooseCall;
  pathsExist: Call<{ hostId: string; paths: string[] }, { existence: { [path: string]: boolean } }>;
  cloneDefaultPath: LooseCall;
  pickFolder: LooseCall;
  suspend: NotSupported;
  resume: NotSupported;
  retryCleanup: NotSupported;
  retryUpdate: NotSupported;
  providerCliStatus: NotSupported;
  installProviderCli: NotSupported;
}

export interface TerminalStart {
  scope: TerminalScope;
  cols: number;
  rows: number;
  title?: string;
  start?: { mode: "shell" } | { mode: "command"; command: string };
}

export interface SdkTerminals {
  create: Call<TerminalStart, Terminal>;
  get: Call<{ terminalId: string }, Terminal>;
  /** From a ring of 1 MiB; `truncated`: bytes before the first chunk are gone. */
  output: Call<
    { terminalId: string; sinceSeq?: number; tailBytes?: number; limitChunks?: number },
    { chunks: { seq: number; dataBase64: string }[]; nextSeq: number; truncated: boolean }
  >;
  close: Call<{ terminalId: string; mode?: "graceful" | "force" }, Terminal>;
  list: OptionalCall<{ [key: string]: unknown }, Terminal[]>;
  input: Call<{ terminalId: string; dataBase64: string }, unknown>;
  resize: Call<{ terminalId: string; cols: number; rows: number }, Terminal>;
  rename: Call<{ terminalId: string; title: string }, Terminal>;
  restart: Call<{ terminalId: string }, Terminal>;
}

export interface SdkFiles {
  /** `rootPath` confines, symlinks resolved first. Without `hostId` the server's machine. */
  read: Call<
    { path: string; hostId?: string; rootPath?: string },
    {
      path: string;
      content: string;
      contentEncoding: "utf8" | "base64";
      sha256: string;
      sizeBytes: number;
      mode: number;
    }
  >;
  /** `expectedSha256` null: the file must not exist; absent: unconditional. At most 25 MB. */
  write: Call<
    {
      path: string;
      content: string;
      hostId?: string;
      rootPath?: string;
      contentEncoding?: "utf8" | "base64";
      createParents?: boolean;
      expectedSha256?: string | null;
      mode?: number;
    },
    | { outcome: "written"; path: string; sha256: string; sizeBytes: number }
    | { outcome: "conflict"; currentSha256: string | null }
  >;
  /** Paths relative to `path`. */
  list: Call<
    { hostId?: string; path: string; query?: string; limit?: number },
    { files: { path: string }[]; truncated: boolean }
  >;
  listPaths: LooseCall;
  mkdir: LooseCall;
  move: LooseCall;
  remove: LooseCall;
  createPreview: Call<
    { hostId?: string; rootPath: string; ttlMs: number },
    { baseUrl: string; expiresAtMs: number }
  >;
}

/** `pluginId` where it is optional: default this plugin. */
export interface SdkPlugins {
  /**
   * Calls an RPC method of a plugin; its handler sees this plugin as the caller. The result is checked by `outputSchema`
   * when given.
   */
  callRpc<Schema extends StandardSchemaV1>(
    argument: { pluginId: string; method: string; input?: JsonInput; outputSchema: Schema } & SdkCallOptions,
  ): Promise<StandardSchemaV1.InferOutput<Schema>>;
  callRpc(argument: { pluginId: string; method: string; input?: JsonInput } & SdkCallOptions): Promise<JsonValue>;
  /** Null unsets. */
  updateSettings: Call<
    { pluginId?: string; values: { [key: string]: JsonInput } },
    { schema: JsonValue; values: { [key: string]: JsonValue } }
  >;
  getSettings: OptionalCall<{ pluginId?: string }, { schema: JsonValue; values: { [key: string]: JsonValue } }>;
  list: OptionalCall<{}, { plugins: PluginRecord[] }>;
  /** The record carries its status: installed is not running. */
  install: Call<{ source: string; selection?: JsonInput; tagPrefix?: string }, PluginRecord>;
  remove: Call<{ pluginId: string; purge?: boolean }, { removed: string; kept: string[] }>;
  enable: Call<{ pluginId: string }, PluginRecord>;
  disable: Call<{ pluginId: string }, PluginRecord>;
  /** Without `pluginId` every enabled plugin. */
  reload: OptionalCall<{ pluginId?: string }, { plugins: PluginRecord[] }>;
  token: OptionalCall<{ pluginId?: string; rotate?: boolean }, string>;
  getSource: OptionalCall<{ pluginId?: string }, JsonValue>;
  checkUpdates: OptionalCall<{ id?: string }, JsonValue[]>;
  listUpdateResults: OptionalCall<{}, JsonValue[]>;
  applyUpdate: Call<
    { pluginId: string },
    {
      applied: boolean;
      from: string;
      to?: string;
      outcome: "current" | "updated" | "rolled-back";
      detail?: string;
    }
  >;
  readonly catalog: {
    search: OptionalCall<{ query?: string }, JsonValue[]>;
    status: OptionalCall<{}, JsonValue>;
    installPlan: LooseCall;
    install: Call<{ entryId: string; marketplace?: string; confirmedSource?: JsonInput }, PluginRecord>;
  };
  readonly marketplaces: {
    add: Call<{ source: string }, JsonValue>;
    list: OptionalCall<{}, JsonValue>;
    refresh: Call<{ name: string }, JsonValue>;
    remove: Call<{ name: string }, unknown>;
  };
}

export interface SystemConfig {
  version: string;
  sdkVersion: string;
  dataDir: string;
  serverUrl: string;
  primaryHostId: string | null;
  /** IANA name. */
  timezone: string;
  safeMode: boolean;
}

export type ProviderUsage =
  | {
      status: "ok";
      accountEmail: string | null;
      planLabel: string | null;
      windows: {
        label: string;
        usedPercent: number;
        resetsAt: number | null;
        cost?: { usedUsdCents: number; limitUsdCents: number };
      }[];
    }
  | { status: "not_installed" | "unauthenticated" | "expired" }
  | { status: "error"; message: string };

export interface SdkSystem {
  config: OptionalCall<{}, SystemConfig>;
  version: OptionalCall<{}, { version: string; sdkVersion: string }>;
  /** By provider id in camelCase. */
  usageLimits: OptionalCall<{ hostId?: string }, { [providerKey: string]: ProviderUsage }>;
  reloadConfig: LooseCall;
  attention: LooseCall;
  executionOptions: LooseCall;
  providerStates: LooseCall;
  transcribeVoice: NotSupported;
  updateGeneralSettings: NotSupported;
  uiPreferences: NotSupported;
}

export interface SdkNotice {
  id?: string;
  /** What changed; ignore kinds you do not know. */
  changes: string[];
  metadata?: JsonValue;
}

export type SdkNoticeEvent =
  | "thread:changed"
  | "project:changed"
  | "environment:changed"
  | "host:changed"
  | "system:changed"
  | "system:config-changed"
  | "realtime:connection";

/**
 * The administrative client of the service, as this plugin. Calls run through the same route handlers as HTTP, with the same
 * validation and errors, without a socket.
 *
 * A failure rejects with an error named `HttpError` (`status`, `code`, `details?`); a call without answer within 75 s with
 * `RequestTimeoutError`. A method whose records this service does not have rejects with status 501 and code `not_supported`.
 */
export interface PluginSdk {
  readonly threads: SdkThreads;
  readonly threadSections: { list: LooseCall; create: LooseCall; update: LooseCall; delete: LooseCall };
  readonly projects: SdkProjects;
  readonly environments: SdkEnvironments;
  readonly hosts: SdkHosts;
  readonly providers: {
    list: OptionalCall<{ hostId?: string }, Provider[]>;
    models: OptionalCall<
      { hostId?: string; environmentId?: string; providerId?: string },
      {
        models: Model[];
        selectedOnlyModels: Model[];
        modelLoadError: { providerId: string; message: string } | null;
      }
    >;
  };
  readonly terminals: SdkTerminals;
  readonly files: SdkFiles;
  readonly skills: {
    list: LooseCall;
    listFiles: LooseCall;
    getContent: LooseCall;
    update: LooseCall;
    remove: LooseCall;
    readonly registry: { list: NotSupported; search: NotSupported; install: NotSupported };
  };
  readonly plugins: SdkPlugins;
  readonly system: SdkSystem;
  readonly theme: { get: NotSupported; catalog: NotSupported; set: NotSupported };
  /** What `/readyz` says. */
  readonly status: {
    get: OptionalCall<
      {},
      { modules: { name: string; state: string; detail?: string | null }[]; plugins: { id: string; status: string }[] }
    >;
  };
  readonly guide: { render: NotSupported };
  /**
   * Calls back when records change. Returns what ends it.
   *
   * @throws TypeError for an unknown event.
   */
  subscribe(options: {
    event: SdkNoticeEvent;
    callback: (notice: SdkNotice) => void;
    selector?: { [key: string]: JsonInput };
  }): () => void;
}
