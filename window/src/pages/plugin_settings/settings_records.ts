import type { JsonValue } from "#sdk/json.js";

export type SettingType = "string" | "boolean" | "select" | "number" | "project";

/** What a client may see of a declared setting. The default of a secret is never sent. */
export interface SettingDescriptor {
  type: SettingType;
  label: string;
  description?: string;
  default?: JsonValue;
  secret?: true;
  experimental_multiline?: true;
  options?: readonly string[];
}

/** As `GET /plugins/:id/settings` answers. A secret's value is only `{ set: boolean }`. */
export interface SettingsView {
  schema: { readonly [key: string]: SettingDescriptor };
  values: { readonly [key: string]: JsonValue };
}

/** Changes of one save; `null` resets to the default. */
export type SettingChanges = { [key: string]: JsonValue | null };
