import type { Project, Thread } from "./records.js";
import type { NotSupported, Ok, OptionalCall } from "./sdk_calls.js";
import type { SdkFiles, SdkHosts, SdkTerminals } from "./sdk_machines.js";
import type { SdkSubscription } from "./sdk_notices.js";
import type { SdkPlugins } from "./sdk_plugins.js";
import type { SdkProviders, SdkSkills } from "./sdk_providers.js";
import type { SdkSystem } from "./sdk_system.js";
import type { SdkTheme } from "./sdk_theme.js";
import type { SdkThreads, SdkThreadSections } from "./sdk_threads.js";
import type { SdkEnvironments, SdkProjects } from "./sdk_workspaces.js";
import type { PendingTodos } from "./timeline.js";

/** What `status.get` answers: the modules and plugins as `/readyz` has them, and the records that were asked about. */
export interface ServiceStatus {
  /** The project that was asked for, else that of the thread. */
  project: Project | null;
  thread: Thread | null;
  /** Of `thread`; null when no thread was asked about. */
  childThreads: Thread[] | null;
  /** Of `thread`; null when there are none. */
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
  readonly providers: SdkProviders;
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
