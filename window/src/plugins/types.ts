import type { CollectedPluginApp } from "#sdk/app_policy/collected.js";

/** An app entry that is in use. A new object for every change of it. */
export interface ActivePlugin {
  readonly pluginId: string;
  readonly name: string;
  /** Of the bundle. */
  readonly hash: string;
  /** The mount generation: rises with every interpretation of the plugin's app entry in this window. */
  readonly generation: number;
  /** The server's counter of successful loads, as it was read last. */
  readonly serverGeneration: number;
  readonly app: CollectedPluginApp;
}

/** The lists of registrations by their name in `CollectedPluginApp`. */
export type RegistrationKinds = Omit<CollectedPluginApp, "warnings" | "unsupported">;

/** One registration with the plugin that made it. */
export interface Registered<K extends keyof RegistrationKinds> {
  readonly plugin: ActivePlugin;
  readonly registration: CollectedPluginApp[K][number];
}

export type FailurePhase = "load" | "setup" | "mount" | "render" | "dispose";

export interface PluginFailure {
  readonly phase: FailurePhase;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly message: string;
  readonly stack?: string;
  /** The slot or script it belongs to, for example `slots.navPanel todos`. */
  readonly slot?: string;
}

export interface ContentScriptState {
  readonly id: string;
  readonly state: "mounting" | "mounted" | "failed" | "disposed";
}

/** How one plugin's app entry fares in this window. */
export interface PluginDiagnostics {
  /**
   * `active`: the newest bundle is in use. `stale`: it failed and the previous version stays in use. `failed`: it failed and there
   * is no previous version. `needs-update`: it was built for another major version of the SDK.
   */
  readonly state: "active" | "stale" | "failed" | "needs-update";
  /** The mount generation; 0 before the first interpretation. */
  readonly generation: number;
  /** Of the bundle in use; null when there is none. */
  readonly hash: string | null;
  /** Of the bundle that failed. */
  readonly failedHash?: string;
  readonly contentScripts: readonly ContentScriptState[];
  readonly lastFailure?: PluginFailure;
  readonly warnings: readonly string[];
  readonly unsupported: readonly string[];
}
