/** `running` is the healthy state. */
export type PluginStatus = "starting" | "running" | "error" | "incompatible" | "missing" | "disabled" | "degraded" | "needs-configuration";

/** One installed plugin, as `GET /api/v1/plugins` lists it. Times are epoch milliseconds, durations milliseconds. */
export interface PluginRecord {
  id: string;
  /** The source as it was given to `svc plugin install`. */
  source: string;
  sourceDisplay: string;
  rootDir: string;
  /** Of the loaded manifest, else the one installed last. */
  version: string;
  provenance: "builtin" | "direct" | "catalog";
  isOrphanedBuiltin: boolean;
  publisherLabel: string | null;
  catalogEntryId?: string;
  catalogMarketplaceName?: string;
  enabled: boolean;
  name: string;
  description: string;
  icon: string | null;
  iconUrl: string | null;
  logoUrl: string | null;
  logoDarkUrl: string | null;
  icons: { [name: string]: string };
  status: PluginStatus;
  /** For people: why the status is what it is. */
  statusDetail: string | null;
  /** The last failure of plugin code; it never overwrites `statusDetail`. */
  lastError: PluginErrorInfo | null;
  problems: { code: string; message: string }[];
  /** Registrations that this version of the service accepts and ignores. */
  unsupported: string[];
  /** Counts successful loads. */
  generation: number;
  /** Null while it is not loaded. */
  loadedAt: number | null;
  loadMs: number | null;
  /** Calls of handlers, those of earlier loads included. */
  handlerStats: { count: number; totalMs: number; maxMs: number; errorCount: number };
  /** Failures outside of calls, stalls of the event loop, terminations, and calls that waited for a reload. */
  counters: { outOfBandErrors: number; watchdogStalls: number; terminations: number; heldCalls: number };
  /** What it has at the moment, of what has a limit per plugin. */
  resources?: { workerThreads: number; descriptors: number; databaseBytes: number; databaseConnections: number };
  services: PluginServiceInfo[];
  schedules: PluginScheduleInfo[];
  /** `shadowed`: another command of the name is reached by `svc <name>`. */
  cliCommand: { name: string; summary: string; shadowed: boolean } | null;
  capabilities: {
    kind: "skill" | "theme" | "agent-tool" | "thread-integration";
    id: string;
    label: string;
    detail: string | null;
  }[];
  hasSettings: boolean;
  app: {
    hasApp: boolean;
    bundle: {
      jsUrl: string;
      cssUrl: string | null;
      hash: string;
      jsBytes: number;
      sdkMajor: number;
      sdkVersion: string;
      compatible: boolean;
      /** Properties of the window's plugin runtime that it uses; absent when its metadata does not say. */
      runtimeSlots?: string[];
    } | null;
  };
  providerIds: string[];
  updateState: PluginUpdateState;
}

/** A failure of plugin code. */
export interface PluginErrorInfo {
  /** Epoch milliseconds. */
  at: number;
  message: string;
  /** Mapped to the sources where there are source maps; null when what was thrown has none. */
  stack: string | null;
  /** Where it came from: `rpc:<method>`, `cli`, `timer`, `rejection`, `load`, `environment` (what ended all of it), … */
  source: string;
}

/** A background service of a plugin, as its record shows it. */
export interface PluginServiceInfo {
  name: string;
  /** `backoff`: it failed and waits for `nextStartAt`; `stopped`: it resolved, or the plugin waits for configuration. */
  state: "running" | "backoff" | "stopped";
  /** Starts after a failure. */
  restarts: number;
  /** Epoch milliseconds; null unless the state is `backoff`. */
  nextStartAt: number | null;
  /** The last failure; null when there was none. */
  lastError: { at: number; message: string } | null;
}

/** A schedule of a plugin, as its record shows it. Times are epoch milliseconds. */
export interface PluginScheduleInfo {
  name: string;
  cron: string;
  /** IANA name of the time zone that `cron` is read in. */
  timezone: string;
  nextRunAt: number;
  /** Null before the first run. */
  lastRunAt: number | null;
  /** Null before the first run. */
  lastStatus: "running" | "ok" | "error" | null;
  /** Of the last run; null when it did not fail. */
  lastError: string | null;
  /** The last run stood for those that were due while the server did not run. */
  lastRunMissed: boolean;
}

/** The last update check in short, and the last update that was rolled back. Times are epoch milliseconds. */
export interface PluginUpdateState {
  outcome?: "current" | "update-available" | "pinned" | "incompatible" | "unavailable";
  detail?: string;
  availableVersion?: string;
  /** The available version as its source names it: with a commit, for example. Goes back as `confirmedSource` of an update. */
  availableSource?: string;
  /** The available version was installed before and rolled back. */
  rolledBack?: { at: number; detail: string };
  blockedVersion?: string;
  blockedReasons?: string[];
  lastCheckAt?: number;
  /** The last update that was rolled back: because it failed, or because a user asked for it (`byHand`). */
  lastFailure?: { version: string; at: number; detail: string; resolved?: string; byHand?: true };
}

/** What the source of one installed plugin offered when it was asked last. */
export interface PluginUpdateCheck {
  id: string;
  outcome: "current" | "update-available" | "pinned" | "incompatible" | "unavailable";
  /** `resolved` is where the version came from, such as `npm:<package>@<version>` or `git:<url>@<commit>`. */
  installed: { version: string; resolved?: string };
  /** The newest version this service can run; only with `update-available`. */
  candidate?: { version: string; resolved?: string };
  /** The candidate was installed before and rolled back, because it failed or because a user asked for it. */
  rolledBack?: { at: number; detail: string };
  /** A newer version that this service cannot run, and why. */
  blocked?: { version: string; reasons: string[] };
  detail?: string;
  /** Epoch milliseconds. */
  checkedAt: number;
}

/** What one installed plugin uses, as `GET /api/v1/plugins/top` shows it. Totals count since the server started. */
export interface PluginUsage {
  id: string;
  /** CPU time of the plugin's threads in milliseconds. */
  cpuMs: number;
  /** Of one core, over the last second or so. */
  cpuPercent: number;
  /** JavaScript heap in bytes. */
  heapBytes: number;
  /** Buffers and WebAssembly. */
  externalBytes?: number;
  workerThreads?: number;
  /** On files, names, keys and compression, that run or wait for one of 32 threads. */
  blockingOperations?: number;
  /** Open files, sockets and pipes. */
  descriptors?: number;
  /** What SQLite holds for its databases. */
  databaseBytes?: number;
  databaseConnections?: number;
  /** Environments that were given up because native code did not return, and the memory they still hold. */
  parkedEnvironments?: number;
  parkedBytes?: number;
  /** Delay of the event loop in milliseconds, 99th percentile of the last two minutes. */
  loopDelayP99Ms: number;
  calls: number;
  /** Failed calls and failures outside of calls. */
  errors: number;
  /** Starts of services after a failure, and of the plugin after a termination. */
  restarts: number;
}
