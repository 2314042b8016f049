import type { Ok, OptionalCall, SdkCallOptions } from "./sdk_calls.js";

/** The palette of the app window, the same for everyone who looks at it. */
export interface ThemeChoice {
  /** A built-in id, the name of a custom theme, or `plugin:<pluginId>:<id>`. */
  themeId: BuiltinThemeId | (string & {});
  /** As it was given: `#rrggbb` or the name of a colour; null for the window's own icon. */
  faviconColor: FaviconColor | null;
}

export type BuiltinThemeId = "default" | "nord" | "dracula" | "solarized" | "gruvbox" | "catppuccin";
/** `#rrggbb`, or a name; `default` is null. */
export type FaviconColor = "blue" | "green" | "orange" | "pink" | "purple" | "red" | "teal" | "yellow" | (string & {});

export interface ActiveTheme extends ThemeChoice {
  name: string;
  /** Path of the sheet; null when there is none to load. */
  cssUrl: string | null;
  codeTheme: { dark?: string; light?: string } | null;
  /** False while the chosen theme is not there: the window shows its own palette. */
  available: boolean;
  problem: string | null;
}

export interface PluginThemeEntry {
  /** `plugin:<pluginId>:<id>` */
  id: string;
  pluginId: string;
  name: string;
  description: string | null;
}

export interface ThemeCatalog {
  active: ActiveTheme;
  /** Names of the files `<dataDir>/themes/<name>.css`, without those of built-in palettes. */
  custom: string[];
  plugins: PluginThemeEntry[];
  /** The folder of the custom ones. */
  dir: string;
}

export interface SdkTheme {
  get: OptionalCall<{}, ActiveTheme>;
  catalog: OptionalCall<{}, Ok & ThemeCatalog>;
  /** The id alone, or with a colour; without `faviconColor` the colour stays. */
  set(argument: string | ({ themeId: string; faviconColor?: FaviconColor | "default" | null } & SdkCallOptions)): Promise<ActiveTheme>;
}
