interface CommonFields {
  /** Default: the key as words. */
  label?: string;
  description?: string;
}

/** One declared setting. `default` must be a value of its type. */
export type PluginSettingDescriptor =
  | (CommonFields & { type: "string"; default?: string; secret?: true; experimental_multiline?: boolean })
  | (CommonFields & { type: "boolean"; default?: boolean })
  | (CommonFields & { type: "select"; default?: string; options: readonly string[] })
  | (CommonFields & { type: "number"; default?: number })
  | (CommonFields & { type: "project"; default?: string });

/** Settings by key: letters, digits, `-` and `_`. */
export type PluginSettingDescriptors = { readonly [key: string]: PluginSettingDescriptor };

type ValueOf<Descriptor extends PluginSettingDescriptor> = Descriptor extends { type: "boolean" }
  ? boolean
  : Descriptor extends { type: "number" }
    ? number
    : Descriptor extends { type: "select"; options: readonly (infer Option)[] }
      ? Option
      : string;

/** A key with a default is always present. */
export type PluginSettingsValues<Descriptors extends PluginSettingDescriptors> = {
  [Key in keyof Descriptors]: Descriptors[Key] extends { default: {} }
    ? ValueOf<Descriptors[Key]>
    : ValueOf<Descriptors[Key]> | undefined;
};

export interface PluginSettingsHandle<Descriptors extends PluginSettingDescriptors> {
  /** The effective values, those of secrets included. */
  get(): Promise<PluginSettingsValues<Descriptors>>;
  /** Calls `listener` after a save that changed a value. Returns what removes it again. */
  onChange(
    listener: (next: PluginSettingsValues<Descriptors>, previous: PluginSettingsValues<Descriptors>) => void,
  ): () => void;
}

export interface PluginSettings {
  /**
   * Declares settings. May be called several times with different keys.
   *
   * @throws TypeError when a descriptor is wrong or a key is declared already.
   */
  define<const Descriptors extends PluginSettingDescriptors>(descriptors: Descriptors): PluginSettingsHandle<Descriptors>;
}
