import type { PluginSettingValue } from "../settings.js";

export type PluginRealtimeConnectionState = "connecting" | "connected" | "reconnecting";

export interface PluginSettingsState {
  /** Undefined until they were fetched, and when that failed. Secrets never appear. */
  values?: Record<string, PluginSettingValue>;
  isLoading: boolean;
}

export interface PluginProviderInfo {
  id: string;
  displayName: string;
  icon: string | null;
}

export interface PluginCodeTheme {
  name: string;
  mode: "light" | "dark";
}
