import type { StandardSchemaV1 } from "./standard_schema.js";

interface CommonFields<Value> {
  /** What people read. Default: the key as words. */
  label?: string;
  description?: string;
  /** The value while nothing (or nothing that still fits) is saved. It must fit type, options and schema. */
  default?: Value;
  /**
   * An own check of every value that is saved: synchronous, and it returns the value unchanged. Its first issue is what
   * people see. It never leaves the server.
   */
  experimental_schema?: StandardSchemaV1;
}

interface StringDescriptor extends CommonFields<string> {
  type: "string";
  /** Kept in a file of its own, masked in logs, never sent to a client. */
  secret?: boolean;
  /** Shown as a text area. Not with `secret`. */
  experimental_multiline?: boolean;
}
interface BooleanDescriptor extends CommonFields<boolean> {
  type: "boolean";
}
interface SelectDescriptor extends CommonFields<string> {
  type: "select";
  /** At least one; unique, not empty. */
  options: readonly string[];
}
interface NumberDescriptor extends CommonFields<number> {
  /** A finite number. */
  type: "number";
}
interface ProjectDescriptor extends CommonFields<string> {
  /** The id of a project. */
  type: "project";
}

/** One declared setting. Values have at most 262,144 bytes as JSON. */
export type PluginSettingDescriptor = StringDescriptor | BooleanDescriptor | SelectDescriptor | NumberDescriptor | ProjectDescriptor;

/** A value of any setting. */
export type PluginSettingValue = string | boolean | number;

/** Settings by key: letters, digits, `-` and `_`. */
export type PluginSettingDescriptors = { readonly [key: string]: PluginSettingDescriptor };

type ValueOf<Descriptor extends PluginSettingDescriptor> = Descriptor extends { type: "boolean" }
  ? boolean
  : Descriptor extends { type: "number" }
    ? number
    : Descriptor extends { type: "select"; options: readonly (infer Option)[] }
      ? Option
      : string;

/** A key with a default is always present; one without may be undefined. */
export type PluginSettingsValues<Descriptors extends PluginSettingDescriptors> = {
  [Key in keyof Descriptors]: Descriptors[Key] extends { default: {} } ? ValueOf<Descriptors[Key]> : ValueOf<Descriptors[Key]> | undefined;
};

/** Settings that were declared together: reads them, follows them, and saves them. */
export interface PluginSettingsHandle<Descriptors extends PluginSettingDescriptors> {
  /** The effective values, those of secrets included. A saved value that no longer fits reads as the default. */
  get(): Promise<PluginSettingsValues<Descriptors>>;
  /**
   * Calls `listener` after a save that changed an effective value of this handle. A listener that throws or rejects is logged.
   * Returns what removes it again.
   */
  onChange(
    listener: (next: PluginSettingsValues<Descriptors>, previous: PluginSettingsValues<Descriptors>) => void | Promise<void>,
  ): () => void;
  /**
   * Saves values as a client would: the same checks, all of it or nothing, and listeners hear of it. `null` goes back to
   * the default. Resolves with the effective values.
   *
   * @throws TypeError (`code: "invalid_input"`, `issues`) when a value does not fit.
   */
  experimental_set(partial: {
    readonly [Key in keyof Descriptors]?: ValueOf<Descriptors[Key]> | null;
  }): Promise<PluginSettingsValues<Descriptors>>;
}

/** `svc.settings`: what users set of the plugin. */
export interface PluginSettings {
  /**
   * Declares settings; `svc plugin config <id>` and the app show and change them. May be called several times with
   * different keys.
   *
   * @throws TypeError when a descriptor is wrong or a key is declared already.
   */
  define<const Descriptors extends PluginSettingDescriptors>(descriptors: Descriptors): PluginSettingsHandle<Descriptors>;
}
