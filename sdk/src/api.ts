import type { PluginAgents } from "./agents.js";
import type { PluginBackground } from "./background.js";
import type { PluginCli } from "./cli.js";
import type { PluginEvents, PluginHooks } from "./events.js";
import type { PluginHosts, PluginProviders } from "./hosts.js";
import type { PluginHttp } from "./http.js";
import type { JsonInput, JsonLike, MaybePromise } from "./json.js";
import type { PluginTypes, SignalChannel, SignalOf } from "./plugin_types.js";
import type { PluginAiServices, PluginEnvironments, PluginMachines, PluginServerAccess } from "./registries.js";
import type { PluginRpc } from "./rpc.js";
import type { PluginSdk } from "./sdk_client.js";
import type { PluginSettings } from "./settings.js";
import type { PluginStorage } from "./storage.js";
import type { PluginUi } from "./ui.js";

/**
 * The plugin's own log, shown by `svc plugin logs <id>`. Never throws, never blocks. An Error is logged with its
 * stack, mapped to the source you wrote; a line over 64 KiB is cut and marked.
 */
export interface PluginLog {
  debug(message: unknown): void;
  info(message: unknown): void;
  warn(message: unknown): void;
  error(message: unknown): void;
}

/** What follows the channel: a payload that may be `undefined` or `null` may be left out. */
export type PluginSignalArgs<Types extends PluginTypes, Channel extends string> =
  undefined extends SignalOf<Types, Channel, JsonInput | undefined>
    ? [payload?: SignalOf<Types, Channel, JsonInput | undefined>]
    : null extends SignalOf<Types, Channel, JsonInput | undefined>
      ? [payload?: SignalOf<Types, Channel, JsonInput | undefined>]
      : [payload: SignalOf<Types, Channel, JsonInput | undefined>];

/** `svc.realtime`: signals from the server entry to app entries, which `useRealtime` hears. */
export interface PluginRealtime<Types extends PluginTypes = PluginTypes> {
  /**
   * Pushes a signal to every connected client at once. Nothing is stored or replayed, and every client sees it:
   * send what changed, not the secret itself. Signals reach each client in publish order.
   *
   * @param channel Non-empty; clients filter by plugin id and channel.
   * @param payload At most 1 MiB of JSON; `undefined` becomes `null`.
   * @throws TypeError when the channel is empty, or the payload is not JSON or too large.
   */
  publish<Channel extends SignalChannel<Types>>(channel: Channel, ...payload: PluginSignalArgs<Types, Channel>): void;
  /** Where the plugin's types list no channels: a payload whose type is an `interface`. */
  publish<Payload>(channel: Types extends { signals: object } ? never : string, payload: Payload & JsonLike<Payload>): void;
}

/** `svc.status`: what the plugin says of its own state. */
export interface PluginStatusApi {
  /**
   * Sets the status `needs-configuration` with this explanation for the user. It resets on the next load. Throwing
   * an Error whose `name` is `NeedsConfigurationError` means the same.
   */
  needsConfiguration(message: string): void;
}

/** `svc.server`: where the service runs. */
export interface PluginServerInfo {
  /** `http://127.0.0.1:<port>`, without a trailing slash and without `/api/v1`. */
  readonly loopbackBaseUrl: string;
  /** Public address of the app window; null when there is none. */
  readonly experimental_appUrl: string | null;
  /** The data directory of the server. */
  readonly experimental_dataDir: string;
  /** Id of the server's own machine, for `svc.hosts`; null on a server without machines. */
  readonly experimental_hostId: string | null;
}

/**
 * What the server entry's default export receives: `export default (svc: SvcPluginApi) => { … }`. The export may be
 * asynchronous and must settle within 30 s.
 *
 * Registrations made before it settles take effect together when the load succeeds; later ones at once. Everything
 * else acts at once. Arguments are checked at the call: `TypeError("<member>: <what is wrong>")`, which fails the load
 * when nothing catches it.
 *
 * The object belongs to one load. After the plugin was reloaded, disabled or removed every member but `log` throws an
 * error named `PluginContextStaleError`, so never keep it in module-level state.
 *
 * With the `PluginTypes` of the plugin, `SvcPluginApi<Types>`, signals are checked, too.
 */
export interface SvcPluginApi<Types extends PluginTypes = PluginTypes> {
  /** The package name without its `svc-plugin-` prefix. */
  readonly pluginId: string;
  readonly log: PluginLog;
  readonly storage: PluginStorage;
  readonly http: PluginHttp;
  readonly rpc: PluginRpc;
  readonly realtime: PluginRealtime<Types>;
  readonly background: PluginBackground;
  readonly cli: PluginCli;
  readonly settings: PluginSettings;
  readonly agents: PluginAgents;
  readonly ui: PluginUi;
  readonly events: PluginEvents;
  readonly experimental_hooks: PluginHooks;
  readonly hosts: PluginHosts;
  readonly providers: PluginProviders;
  readonly sdk: PluginSdk;
  /** Accepted, not used: see `unsupported[]` of the plugin's record. */
  readonly experimental_environments: PluginEnvironments;
  readonly experimental_machines: PluginMachines;
  readonly experimental_serverAccess: PluginServerAccess;
  readonly experimental_aiServices: PluginAiServices;
  readonly status: PluginStatusApi;
  readonly server: PluginServerInfo;
  /**
   * Runs `fn` when this load ends: reload, disable, remove, server stop. Last registered first, each bounded by 5 s; one
   * that fails does not stop the rest.
   */
  onDispose(fn: () => MaybePromise<void>): void;
  /**
   * Runs `fn` once, after a user has installed the plugin: not on an update, a reload, a restart or an enable. The
   * installation waits for all of these for at most 30 s and succeeds also when one fails, which is logged.
   */
  onInstall(fn: () => MaybePromise<void>): void;
}

/** The default export of a server entry. */
export type PluginFactory = (svc: SvcPluginApi) => MaybePromise<unknown>;
