import type { JsonInput, JsonValue } from "./json.js";
import type { PluginRecord, PluginUpdateCheck } from "./record.js";
import type {
  Environment,
  Host,
  Model,
  Project,
  ProjectSource,
  Provider,
  Terminal,
  TerminalScope,
} from "./records.js";
import type { Call, LooseCall, NotSupported, OptionalCall, Page, SdkCallOptions } from "./sdk_calls.js";
import type { SdkThreads } from "./sdk_threads.js";
import type { StandardSchemaV1 } from "./standard_schema.js";

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
  /** The server's own machine first, then by name. */
  list: OptionalCall<{}, Host[]>;
  /**
   * Entries by name, at most 10,000; `path` is absolute, without it the home of the daemon's user. Rejects with `host_unavailable` when
   * the machine is away.
   */
  directory: Call<
    { hostId: string; path?: string },
    { directory: string; parent: string | null; entries: DirectoryEntry[] }
  >;
  get: Call<{ hostId: string }, Host>;
  /** `name`: 1 to 100 characters. A name that another machine has gets a number. */
  update: Call<{ hostId: string; name?: string }, Host>;
  /** The machine's key stops working and its daemon ends. The server's own machine cannot be removed (`conflict`). */
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
  /** Asks the sources; without `id` those of every plugin. */
  checkUpdates: OptionalCall<{ id?: string }, PluginUpdateCheck[]>;
  /** The last results, without asking anybody. */
  listUpdateResults: OptionalCall<{}, PluginUpdateCheck[]>;
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
  /** Id of the server's own machine; null on a server without machines. */
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

/** The palette of the app window, the same for everyone who looks at it. */
export interface ThemeChoice {
  /** `default`, the name of a custom theme, or `plugin:<pluginId>:<id>`. */
  themeId: string;
  /** `#rrggbb`, or null for the window's own icon. */
  faviconColor: string | null;
}

export interface ActiveTheme extends ThemeChoice {
  name: string;
  /** Path of the sheet; null when there is none to load. */
  cssUrl: string | null;
  codeTheme: { dark?: string; light?: string } | null;
  /** False while the chosen theme is not there: the window shows its own palette. */
  available: boolean;
  problem: string | null;
}

export interface ThemeCatalog {
  active: ThemeChoice;
  /** Names of the files `<dataDir>/themes/<name>.css`. */
  custom: string[];
  plugins: { id: string; name: string }[];
}

export interface SdkTheme {
  get: OptionalCall<{}, ActiveTheme>;
  catalog: OptionalCall<{}, ThemeCatalog>;
  /** Without `faviconColor` the colour stays. */
  set: Call<{ themeId: string; faviconColor?: string | null }, ActiveTheme>;
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
  readonly theme: SdkTheme;
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
