/** `presentation` of a tool, and the older names of its parts. */
import type { PluginApi } from "../../plugins/js/plugin_api";
import { checkObject, checkText, ignoreUnknownFields } from "../../plugins/js/policy/arguments";
import { kToolLabel } from "./limits";

export interface Presentation {
  label?: { pending: string; completed: string };
  icon?: { glyph: string };
  suppress?: boolean;
  tint?: { light: string; dark: string };
}

const kRenamed = { experimental_statusLabels: "presentation.label", experimental_presentation: "presentation" };

export type OldName = keyof typeof kRenamed;
export const kOldNames = Object.keys(kRenamed) as OldName[];

export function readPresentation(api: PluginApi, member: string, tool: Record<string, unknown>, what: string): Presentation | undefined {
  const given = tool.presentation ?? tool.experimental_presentation;
  const labels = tool.experimental_statusLabels;
  if (given === undefined && labels === undefined) {
    return undefined;
  }
  const fields = given === undefined ? {} : checkObject(api.fail, member, given, `presentation of ${what}`);
  ignoreUnknownFields(api.problem, member, fields, ["label", "icon", "suppress", "tint"], `presentation of ${what}`);
  return readFields(api, member, { ...fields, label: fields.label ?? labels }, `presentation of ${what}`);
}

function readFields(api: PluginApi, member: string, fields: Record<string, unknown>, what: string): Presentation {
  const texts = <Key extends string>(name: string, keys: readonly Key[], limit: number): Record<Key, string> | undefined => {
    if (fields[name] === undefined) {
      return undefined;
    }
    const value = checkObject(api.fail, member, fields[name], `${name} in ${what}`);
    const read = (key: Key): [Key, string] => [key, shortText(api, member, value[key], `${name}.${key} in ${what}`, limit)];
    return Object.fromEntries(keys.map(read)) as Record<Key, string>;
  };
  if (fields.suppress !== undefined && typeof fields.suppress !== "boolean") {
    api.fail(member, `suppress in ${what} must be a boolean`);
  }
  const read: Presentation = {
    label: texts("label", ["pending", "completed"], kToolLabel),
    icon: texts("icon", ["glyph"], kToolLabel),
    suppress: fields.suppress as boolean | undefined,
    tint: texts("tint", ["light", "dark"], kToolLabel),
  };
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined));
}

function shortText(api: PluginApi, member: string, value: unknown, what: string, limit: number): string {
  const text = checkText(api.fail, member, value, what);
  if (text.length > limit) {
    api.fail(member, `${what} has ${text.length} characters, the limit toolLabel is ${limit}`);
  }
  return text;
}

/** Says once per load and name that an older name was used. */
export function oldNameReporter(api: PluginApi, member: string): (tool: Record<string, unknown>) => void {
  const told = new Set<string>();
  return (tool) => {
    for (const name of kOldNames) {
      if (tool[name] !== undefined && !told.has(name)) {
        told.add(name);
        api.problem("renamed_field", `${member}: "${name}" is an older name of "${kRenamed[name]}"; use that`);
      }
    }
  };
}
