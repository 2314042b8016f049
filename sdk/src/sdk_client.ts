import type { JsonInput, JsonValue } from "./json.js";
import type { PluginRecord, PluginUpdateCheck } from "./record.js";
import type { Host, Model, PermissionMode, Project, Provider, Skill, Terminal, TerminalScope, Thread } from "./records.js";
import type { Call, NotSupported, Ok, OptionalCall, PathEntry, PathQuery, SdkCallOptions } from "./sdk_calls.js";
import type { SdkThreads, SdkThreadSections } from "./sdk_threads.js";
import type { PlaceProvider, SdkEnvironments, SdkProjects } from "./sdk_workspaces.js";
import type { PendingTodos } from "./timeline.js";
import type { StandardSchemaV1 } from "./standard_schema.js";

export interface DirectoryEntry {
  name: string;
  path: string;
  /** A link has the kind of what it leads to; one that leads nowhere is a `file`. */
  kind: "file" | "directory";
  isSymlink?: true;
}

export interface SdkHosts {
  /** The server's own machine first, then by name. */
  list: OptionalCall<{}, Host[]>;
  /**
   * Entries by name, at most 10,000; `path` is absolute, without it the home of the daemon's user. Rejects with `host_unavailable` when
   * the machine is away.
   */
  directory: Call<{ hostId: string; path?: string }, Ok & { directory: string; parent: string | null; entries: DirectoryEntry[] }>;
  get: Call<{ hostId: string }, Host>;
  /** `name`: 1 to 100 characters. A name that another machine has gets a number. */
  update: Call<{ hostId: string; name?: string }, Host>;
  /** The machine's key stops working and its daemon ends. The server's own machine cannot be removed (`conflict`). */
  delete: Call<{ hostId: string }, Ok>;
  /**
   * A code for `svc-hostd join`: used once, within 15 minutes (`expiresAt` in epoch milliseconds). Without `hostId` for a new machine.
   */
  createJoinCode: OptionalCall<{ hostId?: string; name?: string }, Ok & { joinCode: string; hostId: string; expiresAt: number }>;
  listProviders: OptionalCall<{}, PlaceProvider[]>;
  pathsExist: Call<{ hostId: string; paths: string[] }, Ok & { existence: { [path: string]: boolean } }>;
  cloneDefaultPath: Call<{ hostId: string; projectId: string }, Ok & { path: string }>;
  create: NotSupported;
  pickFolder: NotSupported;
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
    { terminalId: string; sinceSeq?: number | string; tailBytes?: number | string; limitChunks?: number | string },
    Ok & { chunks: { seq: number; dataBase64: string }[]; nextSeq: number; truncated: boolean }
  >;
  /** `if-clean` (default) is `conflict` while more than the shell runs; `force` ends the process group. */
  close: Call<{ terminalId: string; mode?: "force" | "if-clean" }, Terminal>;
  /** Without a scope all of them. */
  list: OptionalCall<{ scope?: TerminalScope }, Ok & { sessions: Terminal[] }>;
  input: Call<{ terminalId: string; dataBase64: string }, Terminal>;
  resize: Call<{ terminalId: string; cols: number; rows: number }, Terminal>;
  rename: Call<{ terminalId: string; title: string }, Terminal>;
  /** Opens a shell of the same scope, size and title with a new id, then closes the old one. */
  restart: Call<{ terminalId: string }, Terminal>;
}

/** Without `hostId` the server's machine. */
interface OnHost {
  hostId?: string;
}
/** `rootPath` confines, symlinks resolved first. */
interface Confined {
  rootPath?: string;
}

export interface SdkFiles {
  read: Call<
    { path: string } & OnHost & Confined,
    Ok & {
      path: string;
      content: string;
      contentEncoding: "utf8" | "base64";
      sha256: string;
      sizeBytes: number;
      mimeType?: string;
      /** Epoch milliseconds. */
      modifiedAtMs: number;
      mode: number;
    }
  >;
  /** `expectedSha256` null: the file must not exist; absent: unconditional. At most 25 MB. */
  write: Call<
    {
      path: string;
      content: string;
      contentEncoding?: "utf8" | "base64";
      createParents?: boolean;
      expectedSha256?: string | null;
      mode?: number;
    } & OnHost &
      Confined,
    Ok & ({ outcome: "written"; path: string; sha256: string; sizeBytes: number } | { outcome: "conflict"; currentSha256: string | null })
  >;
  /** Recursive; paths relative to `path`. `limit`: 100 by default, up to 5,000. */
  list: Call<
    { path: string; query?: string; limit?: number } & OnHost,
    Ok & { files: { name: string; path: string }[]; truncated: boolean }
  >;
  listPaths: Call<
    { path: string; includeFiles: boolean; includeDirectories: boolean } & Pick<PathQuery, "query" | "limit"> & OnHost,
    Ok & { paths: PathEntry[]; truncated: boolean }
  >;
  mkdir: Call<{ path: string; recursive?: boolean } & OnHost & Confined, Ok>;
  /** An existing destination is `conflict`. */
  move: Call<{ sourcePath: string; destinationPath: string } & OnHost & Confined, Ok>;
  /** A folder that is not empty is `conflict` without `recursive`. */
  remove: Call<{ path: string; recursive?: boolean } & OnHost & Confined, Ok>;
  /** `GET <baseUrl>/<relative path>` answers the bytes. `ttlMs`: milliseconds, 10 minutes by default, up to 24 hours. */
  createPreview: Call<{ rootPath: string; ttlMs?: number } & OnHost, Ok & { baseUrl: string; expiresAtMs: number }>;
}

interface OfSkills {
  projectId: string;
  environmentId?: string | null;
}

export interface SdkSkills {
  list: Call<OfSkills, Ok & { skills: Skill[] }>;
  listFiles: Call<OfSkills & { skillId: string }, Ok & { files: string[]; truncated: boolean }>;
  getContent: Call<OfSkills & { skillId: string; path: string }, Ok & { content: string; revision: string }>;
  /** 409 when the revision is another. */
  update: Call<OfSkills & { skillId: string; content: string; revision: string }, Ok & { filePath: string; revision: string }>;
  remove: Call<OfSkills & { skillId: string }, Ok & { deletedPath: string }>;
  readonly registry: { list: NotSupported; search: NotSupported; install: NotSupported };
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
    Ok & { schema: JsonValue; values: { [key: string]: JsonValue } }
  >;
  getSettings: OptionalCall<{ pluginId?: string }, Ok & { schema: JsonValue; values: { [key: string]: JsonValue } }>;
  list: OptionalCall<{}, Ok & { plugins: PluginRecord[] }>;
  /** The record carries its status: installed is not running. */
  install: Call<
    {
      source: string;
      /** Which plugin of a repository. */
      selection?: { kind: "root" } | { kind: "subdirectory"; path: string } | { kind: "entry"; name: string };
      /** Older form of a selection. */
      subdirectory?: string;
      /** Older form of a selection: an entry. */
      plugin?: string;
      /** Up to 128 characters. */
      tagPrefix?: string;
    },
    PluginRecord
  >;
  remove: Call<{ pluginId: string; purge?: boolean }, Ok & { removed: string; kept: string[] }>;
  enable: Call<{ pluginId: string }, PluginRecord>;
  disable: Call<{ pluginId: string }, PluginRecord>;
  /** Without `pluginId` every enabled plugin. */
  reload: OptionalCall<{ pluginId?: string }, Ok & { plugins: PluginRecord[] }>;
  /** 64 hexadecimal characters; made at the first call. */
  token: OptionalCall<{ pluginId?: string; rotate?: boolean }, Ok & { token: string }>;
  getSource: OptionalCall<{ pluginId?: string }, PluginSourceDetail>;
  /** Asks the sources; without an id those of every plugin. `id` is the same as `pluginId`. */
  checkUpdates: OptionalCall<{ pluginId?: string; id?: string }, PluginUpdateCheck[]>;
  /** The last results, without asking anybody. */
  listUpdateResults: OptionalCall<{}, PluginUpdateCheck[]>;
  applyUpdate: Call<
    { pluginId: string },
    Ok & {
      applied: boolean;
      from: string;
      to?: string;
      outcome: "current" | "updated" | "rolled-back";
      detail?: string;
    }
  >;
  readonly catalog: {
    search: OptionalCall<{ query?: string }, PluginCatalogEntry[]>;
    status: OptionalCall<{}, { pluginCount: number; includedPluginCount: number; optionalPluginCount: number }>;
    installPlan: Call<{ entryId: string; marketplace?: string }, PluginInstallPlan>;
    /** `confirmedSource`: the resolved source the user saw; an install that would take another one is refused. */
    install: Call<{ entryId: string; marketplace?: string; confirmedSource?: JsonInput }, PluginRecord>;
  };
  readonly marketplaces: {
    add: Call<{ source: string }, Marketplace>;
    list: OptionalCall<{}, Marketplace[]>;
    /** Without `name` all of them; one that fails says so and does not fail the call. */
    refresh: OptionalCall<{ name?: string }, MarketplaceRefresh[]>;
    /** The plugins that came from it stay. */
    remove: Call<{ name: string }, Ok & { convertedPluginIds: string[] }>;
  };
}

/** Where an installed plugin came from. */
export interface PluginSourceDetail {
  requested: string;
  resolved: string;
  subdirectory?: string;
  range?: string;
  tagPrefix?: string;
  resolvedTag?: string;
  integrity?: string;
  registry?: string;
  engines: { [name: string]: string };
  installedAt: number;
  /** Up to 10. */
  history: { version: string; resolved: string; at: number }[];
}

export interface Marketplace {
  name: string;
  displayName: string;
  description: string | null;
  source: string;
  sourceKind: "https" | "git" | "path";
  entryCount: number;
  official: false;
  /** Of a git marketplace. */
  resolvedCommit: string | null;
  lastRefreshAt: number | null;
  lastAttemptAt: number | null;
  lastError: string | null;
}

export interface MarketplaceRefresh {
  name: string;
  ok: boolean;
  error: string | null;
  marketplace: Marketplace;
}

export interface PluginCatalogEntry {
  entryId: string;
  pluginId: string;
  marketplace: string;
  marketplaceDisplayName: string;
  displayName: string;
  description: string;
  category: string | null;
  author: { name: string; url: string | null } | null;
  icon: string | null;
  iconUrl: string | null;
  source: JsonValue;
  installed: boolean;
  compatible: boolean;
  incompatibleReason: string | null;
  official: boolean;
  publisherKey: string;
  publisherLabel: string;
}

export type PluginInstallPlan = PluginCatalogEntry & { kind: "bundled" | "marketplace"; resolvedSource: JsonValue };

export interface SystemConfig {
  version: string;
  sdkVersion: string;
  dataDir: string;
  serverUrl: string;
  /** Id of the server's own machine; null on a server without machines. */
  primaryHostId: string | null;
  primaryHostPlatform: "linux" | "darwin" | "wsl" | "unknown" | null;
  /** IANA name. */
  timezone: string;
  safeMode: boolean;
  appearance: ActiveTheme;
  /** Names of the files `<dataDir>/themes/<name>.css`. */
  customThemes: string[];
  pluginThemes: PluginThemeEntry[];
  voiceTranscriptionEnabled: false;
}

export interface SystemVersion {
  version: string;
  sdkVersion: string;
  currentVersion: string;
  /** Null while the service knows of none: it asks nobody for newer versions of itself. */
  latestVersion: string | null;
  updateAvailable: boolean;
  isDevelopment: boolean;
  upgradeCommand: string | null;
  /** How this service was installed: `package`, or `source` where it runs from its build directory. */
  source: "package" | "source" | (string & {});
}

export type ProviderUsage =
  | {
      status: "ok";
      accountEmail: string | null;
      planLabel: string | null;
      windows: {
        label: string;
        usedPercent: number;
        /** ISO text. */
        resetsAt: string | null;
        cost?: { usedUsdCents: number; limitUsdCents: number };
      }[];
    }
  | { status: "not_installed" | "unauthenticated" | "expired" }
  | { status: "error"; message: string; accountEmail: string | null; planLabel: string | null };

/** By provider id in camelCase; `claudeCode`, `codex` and `cursor` are always there. */
export interface UsageLimits {
  claudeCode: ProviderUsage;
  codex: ProviderUsage;
  cursor: ProviderUsage;
  [providerKey: string]: ProviderUsage;
}

export interface ProviderModels {
  providers: Provider[];
  models: Model[];
  /** Valid when already chosen, not offered anew. */
  selectedOnlyModels: Model[];
  /** `maxPermissionMode` of the machine. */
  permissionCeiling: PermissionMode;
  modelLoadError: {
    providerId: string;
    code: "missing_executable" | "auth_required" | "timeout" | "provider_unavailable" | "failed";
    message: string;
  } | null;
}
type ModelQuery = { hostId?: string; environmentId?: string; providerId?: string };

export interface SdkSystem {
  config: OptionalCall<{}, Ok & SystemConfig>;
  version: OptionalCall<{}, Ok & SystemVersion>;
  usageLimits: OptionalCall<{ hostId?: string }, UsageLimits>;
  /** Which keys apply now, and which after a restart. */
  reloadConfig: OptionalCall<{}, Ok & { applied: string[]; needRestart: string[] }>;
  /** Whether a visible thread is unread or waits for input. */
  attention: OptionalCall<{}, Ok & { hasAttention: boolean }>;
  /** As `providers.models`. */
  executionOptions: OptionalCall<ModelQuery, Ok & ProviderModels>;
  providerStates: OptionalCall<{}, { providerId: string; hostId: string; available: boolean; unavailableReason: string | null }[]>;
  transcribeVoice: NotSupported;
  updateGeneralSettings: NotSupported;
  updateExperiments: NotSupported;
  updateKeyboardSettings: NotSupported;
  uiPreferences: NotSupported;
  cliSkillsStatus: NotSupported;
  installCliSkills: NotSupported;
  onboardingAgents: NotSupported;
  onboardingRepos: NotSupported;
  onboardingEvent: NotSupported;
}

/** The palette of the app window, the same for everyone who looks at it. */
export interface ThemeChoice {
  /** A built-in id, the name of a custom theme, or `plugin:<pluginId>:<id>`. */
  themeId: BuiltinThemeId | (string & {});
  /** As it was given: `#rrggbb` or the name of a colour; null for the window's own icon. */
  faviconColor: FaviconColor | null;
}

export type BuiltinThemeId = "default" | "nord" | "dracula" | "solarized" | "gruvbox" | "catppuccin";
/** `#rrggbb`, or a name; `default` is null. */
export type FaviconColor = "blue" | "green" | "orange" | "pink" | "purple" | "red" | "teal" | "yellow" | (string & {});

export interface ActiveTheme extends ThemeChoice {
  name: string;
  /** Path of the sheet; null when there is none to load. */
  cssUrl: string | null;
  codeTheme: { dark?: string; light?: string } | null;
  /** False while the chosen theme is not there: the window shows its own palette. */
  available: boolean;
  problem: string | null;
}

export interface PluginThemeEntry {
  /** `plugin:<pluginId>:<id>` */
  id: string;
  pluginId: string;
  name: string;
  description: string | null;
}

export interface ThemeCatalog {
  active: ActiveTheme;
  /** Names of the files `<dataDir>/themes/<name>.css`, without those of built-in palettes. */
  custom: string[];
  plugins: PluginThemeEntry[];
  /** The folder of the custom ones. */
  dir: string;
}

export interface SdkTheme {
  get: OptionalCall<{}, ActiveTheme>;
  catalog: OptionalCall<{}, Ok & ThemeCatalog>;
  /** The id alone, or with a colour; without `faviconColor` the colour stays. */
  set(argument: string | ({ themeId: string; faviconColor?: FaviconColor | "default" | null } & SdkCallOptions)): Promise<ActiveTheme>;
}

/** A `changed` message of the service. */
export interface SdkNotice {
  type: "changed";
  entity: "thread" | "project" | "environment" | "host" | "system" | (string & {});
  /** Absent in changes of order. */
  id?: string;
  /** What changed; ignore kinds you do not know. */
  changes: string[];
  metadata?: JsonValue;
}

/** The connection to the service; inside of the service it is always there. */
export interface SdkConnectionNotice {
  state: "connected" | "connecting" | "disconnected";
  /** It was lost before: fetch again what you show. */
  reconnected: boolean;
  /** Milliseconds until it is tried again; null while nobody waits for that. */
  reconnectDelayMs: number | null;
}

export type SdkNoticeEvent =
  | "thread:changed"
  | "project:changed"
  | "environment:changed"
  | "host:changed"
  | "system:changed"
  | "system:config-changed"
  | "realtime:connection";

/** An id that fits the event narrows it to one record; the others are ignored. They may also stand in `selector`. */
export interface SdkNoticeSelector {
  threadId?: string;
  projectId?: string;
  environmentId?: string;
  hostId?: string;
}

export type SdkSubscription = SdkNoticeSelector & { selector?: SdkNoticeSelector } & (
    | { event: "realtime:connection"; callback: (notice: SdkConnectionNotice) => void }
    | { event: Exclude<SdkNoticeEvent, "realtime:connection">; callback: (notice: SdkNotice) => void }
  );

export interface ServiceStatus {
  /** The project that was asked for, else that of the thread. */
  project: Project | null;
  thread: Thread | null;
  childThreads: Thread[] | null;
  pendingTodos: PendingTodos | null;
  modules: { name: string; state: string; detail?: string | null }[];
  plugins: { id: string; status: string }[];
}

/**
 * The administrative client of the service, as this plugin. Calls run through the same route handlers as HTTP, with the same
 * validation and errors, without a socket.
 *
 * A method whose answer is one record or one list returns that; every other one returns the whole answer, its `ok: true`
 * included. A failure rejects with an error named `HttpError` (`status`, `code`, `details?`); a call without answer within 75 s with
 * `RequestTimeoutError`. A method whose records this service does not have rejects with status 501 and code `not_supported`.
 */
export interface PluginSdk {
  readonly threads: SdkThreads;
  readonly threadSections: SdkThreadSections;
  readonly projects: SdkProjects;
  readonly environments: SdkEnvironments;
  readonly hosts: SdkHosts;
  readonly providers: {
    list: OptionalCall<{ hostId?: string; environmentId?: string }, Provider[]>;
    models: OptionalCall<ModelQuery, Ok & ProviderModels>;
  };
  readonly terminals: SdkTerminals;
  readonly files: SdkFiles;
  readonly skills: SdkSkills;
  readonly plugins: SdkPlugins;
  readonly system: SdkSystem;
  readonly theme: SdkTheme;
  /** What `/readyz` says, with the records that are asked about. */
  readonly status: { get: OptionalCall<{ projectId?: string; threadId?: string }, Ok & ServiceStatus> };
  readonly guide: { render: NotSupported };
  /**
   * Calls back when records change. Returns what ends it.
   *
   * @throws TypeError for an unknown event, and an id that is no text.
   */
  subscribe(options: SdkSubscription): () => void;
}
