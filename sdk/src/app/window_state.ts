import type { PluginSettingValue } from "../settings.js";

/** `connecting`: the first time; `reconnecting`: the connection was lost, and so are signals meanwhile; `connected`: signals arrive. */
export type PluginRealtimeConnectionState = "connecting" | "connected" | "reconnecting";

/** What `useSettings()` returns. */
export interface PluginSettingsState {
  /** Undefined until they were fetched, and when that failed. Secrets never appear. */
  values?: Record<string, PluginSettingValue>;
  isLoading: boolean;
}

/** An agent provider, as `useProviders()` lists it. */
export interface PluginProviderInfo {
  id: string;
  displayName: string;
  /** Reserved: null in this version of the window. `experimental_ProviderIcon` shows one. */
  icon: string | null;
}

/** The colours of source code in the window, as `useCodeTheme()` returns them. */
export interface PluginCodeTheme {
  /** Name of the theme of the highlighter that the chosen palette uses in this mode. */
  name: string;
  mode: "light" | "dark";
}
