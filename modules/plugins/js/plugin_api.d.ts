import type { SvcPluginApi } from "../../../sdk/src/api";

/** Namespaces that several parts fill. */
export type SharedNamespace = "agents" | "storage" | "ui";

/** What a factory is given, while its parts are added. */
export type SvcUnderConstruction = {
  -readonly [Member in keyof SvcPluginApi]?: Member extends SharedNamespace ? Partial<SvcPluginApi[Member]> : SvcPluginApi[Member];
};

/** The object under construction that parts extend: one per load of a plugin. */
export interface PluginApi {
  readonly pluginId: string;
  /** The `svc` object given to the factory. Each part adds its member: `api.svc.rpc = …`. */
  readonly svc: SvcUnderConstruction;
  /** True from the start of the factory until it has settled. */
  readonly inFactory: boolean;
  /**
   * Wraps a member function: after invalidation it throws PluginContextStaleError (name), before it runs `fn`.
   * `member` is the full name used in messages, e.g. "rpc.register".
   */
  guard<A extends unknown[], R>(member: string, fn: (...args: A) => R): (...args: A) => R;
  /** Throws `TypeError("<member>: <what>")` (argument validation of registrations and actions). */
  fail(member: string, what: string): never;
  /** Reports a problem in the plugin's record and log (D35). */
  problem(code: string, message: string): void;
  /** Lists a member that is accepted and does nothing in the record's `unsupported[]`; once per name. */
  unsupported(member: string): void;
  /**
   * Replaces what the host knows of this kind of registration ("rpc", "cli"). `value` is JSON; channels read it through
   * `IGeneration::registration(kind)`, and callers see it while this load is the committed one. A function is asked for the value when
   * the factory has ended, after it at once: a kind of which a plugin may have thousands does not become text for each of them.
   */
  setRegistration(kind: string, value: unknown): void;
  /** Registers cleanup in the order of svc.onDispose. */
  onDispose(fn: () => void | Promise<void>): void;
}
