import type { PluginIconName } from "./icons.js";

export interface PluginThreadRowStatus {
  icon: PluginIconName;
  label: string;
  /** `running` shimmers; `destructive` is an older name of `error`. */
  tone?: "default" | "running" | "success" | "error" | "warning" | "destructive";
}

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

export interface PluginContentScriptRegistration {
  id: string;
  /**
   * Runs once per window and version, in registration order, and has 10 s; then the signal aborts and the script counts as
   * failed. Scripts have no hooks; same-origin `fetch` of the service's routes is theirs to use.
   */
  mount(context: PluginContentScriptContext): void | PluginContentScriptDisposer | Promise<void | PluginContentScriptDisposer>;
}
