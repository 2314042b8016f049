import type { PluginRecord as SdkPluginRecord, PluginStatus } from "#sdk/record.js";
import type { SystemConfig as SdkSystemConfig } from "#sdk/sdk_client.js";

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

interface SettingSchemaCommon {
  label?: string;
  description?: string;
}

/** One setting as a client sees it. */
export type SettingDescriptor = SettingSchemaCommon &
  (
    | { type: "string"; secret?: boolean; default?: string; experimental_multiline?: boolean }
    | { type: "boolean"; default?: boolean }
    | { type: "select"; options: string[]; default?: string }
    | { type: "number"; default?: number }
    | { type: "project"; default?: string }
  );

/** A value as a client sees it; of a secret only whether it is set. */
export type SettingValue = string | number | boolean | null | { set: boolean };

/** `GET /plugins/:id/settings`. */
export interface PluginSettingsAnswer {
  schema: Record<string, SettingDescriptor>;
  values: Record<string, SettingValue>;
}

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
}

