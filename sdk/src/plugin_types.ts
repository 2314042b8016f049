import type { PluginRpcContract } from "./rpc.js";
import type { PluginSettingDescriptors, PluginSettingsValues, PluginSettingValue } from "./settings.js";

/**
 * What both entries of a plugin agree on. The server entry exports one such type; `SvcPluginApi<Types>` checks what it publishes, and
 * `definePluginHooks<Types>()` what the app entry asks and hears. Each member may be left out.
 */
export interface PluginTypes {
  /** `typeof` what `defineRpcContract` returned. */
  rpc?: PluginRpcContract;
  /** `typeof` what `svc.settings.define` takes, declared `as const satisfies PluginSettingDescriptors`. */
  settings?: PluginSettingDescriptors;
  /** The payload of each channel of `svc.realtime`: JSON, or `undefined` for a signal without one. */
  signals?: object;
}

/** The RPC contract among the types of a plugin; any method where it names none. */
export type RpcOf<Types extends PluginTypes> = Types extends { rpc: infer Rpc extends PluginRpcContract } ? Rpc : PluginRpcContract;

/** The channels of a plugin; any name where its types list none. */
export type SignalChannel<Types extends PluginTypes> = Types extends { signals: infer Signals extends object }
  ? keyof Signals & string
  : string;

/** What is published on a channel; `Otherwise` where the types of the plugin list none. */
export type SignalOf<Types extends PluginTypes, Channel extends string, Otherwise> = Types extends { signals: infer Signals extends object }
  ? Channel extends keyof Signals
    ? Signals[Channel]
    : never
  : Otherwise;

/** The settings that an app entry sees: all but secrets. */
export type VisibleSettings<Types extends PluginTypes> = Types extends { settings: infer Settings extends PluginSettingDescriptors }
  ? { [Key in keyof Settings as Settings[Key] extends { secret: true } ? never : Key]: PluginSettingsValues<Settings>[Key] }
  : Record<string, PluginSettingValue>;
