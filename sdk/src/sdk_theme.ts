import type { Ok, OptionalCall, SdkCallOptions } from "./sdk_calls.js";

/** The palette of the app window, the same for everyone who looks at it. */
export interface ThemeChoice {
  /** A built-in id, the name of a custom theme, or `plugin:<pluginId>:<id>`. */
  themeId: BuiltinThemeId | (string & {});
  /** As it was given: `#rrggbb` or the name of a colour; null for the window's own icon. */
  faviconColor: FaviconColor | null;
}

/** The palettes that come with the window. */
export type BuiltinThemeId = "default" | "nord" | "dracula" | "solarized" | "gruvbox" | "catppuccin";
/** `#rrggbb`, or a name; `default` is null. */
export type FaviconColor = "blue" | "green" | "orange" | "pink" | "purple" | "red" | "teal" | "yellow" | (string & {});

/** The palette that was chosen, and whether it can be shown. */
export interface ActiveTheme extends ThemeChoice {
  name: string;
  /** Path of the sheet; null when there is none to load. */
  cssUrl: string | null;
  /** Themes of source code that go with it; null for the window's own. */
  codeTheme: { dark?: string; light?: string } | null;
  /** False while the chosen theme is not there: the window shows its own palette. */
  available: boolean;
  /** For people: why it is not available; null while it is. */
  problem: string | null;
}

/** A palette that a plugin brings. */
export interface PluginThemeEntry {
  /** `plugin:<pluginId>:<id>` */
  id: string;
  pluginId: string;
  name: string;
  description: string | null;
}

/** The palettes that can be chosen, beside the built-in ones. */
export interface ThemeCatalog {
  active: ActiveTheme;
  /** Names of the files `<dataDir>/themes/<name>.css`, without those of built-in palettes. */
  custom: string[];
  plugins: PluginThemeEntry[];
  /** The folder of the custom ones. */
  dir: string;
}

/** `svc.sdk.theme`: the palette of the app window. */
export interface SdkTheme {
  get: OptionalCall<{}, ActiveTheme>;
  catalog: OptionalCall<{}, Ok & ThemeCatalog>;
  /** The id alone, or with a colour; without `faviconColor` the colour stays. */
  set(argument: string | ({ themeId: string; faviconColor?: FaviconColor | "default" | null } & SdkCallOptions)): Promise<ActiveTheme>;
}
