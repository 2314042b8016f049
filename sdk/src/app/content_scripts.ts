import type { PluginIconName } from "./icons.js";

/** What a content script shows in the sidebar row of a thread. */
export interface PluginThreadRowStatus {
  icon: PluginIconName;
  /** What the icon says to those who do not see it, and as its tooltip. */
  label: string;
  /** `running` shimmers; `destructive` is an older name of `error`. */
  tone?: "default" | "running" | "success" | "error" | "warning" | "destructive";
}

/** What `mount` of a content script gets. It is good until `signal` aborts. */
export interface PluginContentScriptContext {
  pluginId: string;
  /** Rises by one with every interpretation of the app entry in this window, failed ones included. */
  generation: number;
  /** Aborts before the disposer runs. */
  signal: AbortSignal;
  /** Shows a status in the thread's sidebar row; null withdraws it. Statuses of a script end with it. */
  experimental_setThreadRowStatus(threadId: string, status: PluginThreadRowStatus | null): void;
}

/** Undoes a script. Called at most once; disposers run in reverse order, failures are logged. */
export type PluginContentScriptDisposer = () => void | Promise<void>;

/** Code that runs beside the window's own for as long as the plugin is active, as `contentScripts.register` takes it. */
export interface PluginContentScriptRegistration {
  id: string;
  /**
   * Runs once per window and version, in registration order, and has 10 s; then the signal aborts and the script counts as
   * failed. Scripts have no hooks; same-origin `fetch` of the service's routes is theirs to use.
   */
  mount(context: PluginContentScriptContext): void | PluginContentScriptDisposer | Promise<void | PluginContentScriptDisposer>;
}
