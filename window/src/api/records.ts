import type { JsonValue } from "#sdk/json.js";
import type { PluginRecord as SdkPluginRecord, PluginStatus } from "#sdk/record.js";
import type { SystemConfig as SdkSystemConfig } from "#sdk/sdk_system.js";
import type { PluginSettingDescriptor } from "#sdk/settings.js";

export type {
  PluginErrorInfo,
  PluginScheduleInfo,
  PluginServiceInfo,
  PluginStatus,
  PluginUpdateCheck,
  PluginUpdateState,
  PluginUsage,
} from "#sdk/record.js";

/** One installed plugin, as `GET /plugins` lists it. */
export type PluginRecord = SdkPluginRecord;

/** The bundle of an app entry. */
export type PluginBundle = NonNullable<PluginRecord["app"]["bundle"]>;

/** Whether the plugin's app entry belongs into the window. */
export function hasActiveApp({ status }: Pick<PluginRecord, "status">): boolean {
  return status === "running" || status === "needs-configuration" || status === "degraded";
}

/** `GET /plugins/safe-mode`. While it is on, plugins that are not part of the service are held. */
export interface SafeMode {
  enabled: boolean;
  /** Plugins that did not load when it was switched off. */
  problems?: { id: string; status: PluginStatus; statusDetail: string | null }[];
}

/** What a client may see of a declared setting. The default of a secret is never sent. */
export interface SettingDescriptor {
  type: PluginSettingDescriptor["type"];
  /** The key in words when the plugin gives none. */
  label: string;
  description?: string;
  default?: JsonValue;
  secret?: true;
  experimental_multiline?: true;
  options?: readonly string[];
}

/** `GET /plugins/:id/settings`. A secret's value is only `{ set: boolean }`. */
export interface PluginSettingsAnswer {
  schema: { readonly [key: string]: SettingDescriptor };
  values: { readonly [key: string]: JsonValue };
}

/** Changes of one save; `null` resets to the default. */
export type SettingChanges = { [key: string]: JsonValue | null };

export interface CliContribution {
  pluginId: string;
  name: string;
  summary: string;
  commands: unknown[];
  rendersHelp: boolean;
}

export interface MentionProviderContribution {
  pluginId: string;
  id: string;
  label: string;
  triggers: string[];
}

/** `GET /plugins/contributions`. */
export interface Contributions {
  cliCommands: CliContribution[];
  mentionProviders: MentionProviderContribution[];
}

/** `GET /system/config`. */
export interface SystemConfig extends SdkSystemConfig {
  /** The collections of records that this server has routes for, for example `threads`. */
  records: string[];
  /** Path of `svc` on the server's machine; null where it is not beside the server. */
  cliPath: string | null;
}
