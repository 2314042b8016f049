/** Records of the theme routes of the server. A theme is one CSS file with `:root, .light` and `.dark` blocks that overrides the window's tokens. */

/** Id of the palette that is part of the window: no sheet is loaded for it. */
export const DEFAULT_THEME_ID = "default";

/** Names of code themes by mode, as the theme's author gave them; an absent mode keeps the window's own. */
export interface CodeThemeNames {
  dark?: string;
  light?: string;
}

/** The choice that is stored by the server, the same for every window. */
export interface ThemeChoice {
  /** A built-in id, the name of a custom theme, or `plugin:<pluginId>:<id>`. */
  themeId: string;
  /** `#rrggbb` or the name of a colour, as it was given; null for the window's own icon. */
  faviconColor: string | null;
}

/** `GET /api/v1/theme` and `PUT /api/v1/theme` answer `{ theme: ActiveTheme }`. */
export interface ActiveTheme extends ThemeChoice {
  name: string;
  /** Path of the sheet with its hash (`/api/v1/themes/…/theme.css?h=…`, immutable), for `url()`; null: nothing to load. */
  cssUrl: string | null;
  codeTheme: CodeThemeNames | null;
  /** False when the chosen theme is not there now (its plugin is off, its file is gone or refused): the window shows its own palette. */
  available: boolean;
  /** Why `available` is false, as a sentence. */
  problem: string | null;
}

/** A theme that can be chosen. */
export interface ThemeEntry {
  id: string;
  name: string;
  description: string | null;
  kind: "builtin" | "custom" | "plugin";
  pluginId: string | null;
  cssUrl: string | null;
  codeTheme: CodeThemeNames | null;
}

/** `GET /api/v1/themes`. */
export interface ThemeCatalog {
  active: ActiveTheme;
  /** Every theme that can be chosen: built in, then custom ones, then those of plugins, each by name. */
  themes: ThemeEntry[];
  /** Ids of files `<dataDir>/themes/<id>.css`. */
  custom: string[];
  /** Themes of plugins that are loaded. */
  plugins: { id: string; pluginId: string; name: string; description: string | null }[];
  /** Where the custom ones are. */
  dir: string;
  /** Files in `<dataDir>/themes` that are left out, with the reason. */
  problems: { id: string; message: string }[];
}

/**
 * Body of `PUT /api/v1/theme`: an absent `faviconColor` keeps the present one, null clears it. A theme that is not there is
 * `invalid_input`. Windows learn of it through `changed { entity: "system", changes: ["config-changed"] }`.
 */
export interface ThemeChange {
  themeId: string;
  faviconColor?: string | null;
}
