import type { JsonInput, JsonValue } from "../json.js";
import type { PluginRpcContract } from "../rpc.js";
import type { PluginSettingValue } from "../settings.js";
import type { OpenPanelOptions } from "./slots.js";
import type { PluginFileSource } from "./slots_more.js";

export type PluginRealtimeConnectionState = "connecting" | "connected" | "reconnecting";

export interface PluginSettingsState {
  /** Undefined until they were fetched, and when that failed. Secrets never appear. */
  values?: Record<string, PluginSettingValue>;
  isLoading: boolean;
}

export interface PluginSvcContext {
  projectId: string | null;
  threadId: string | null;
}

export interface FileTarget {
  path: string;
  source?: PluginFileSource;
}

export interface PluginNavigate {
  toThread(threadId: string): void;
  toProject(projectId: string): void;
  /** `path` is that of a `navPanel` of this plugin. */
  toPluginPanel(path: string, options?: { subPath?: string; replace?: boolean }): void;
  /** Opens the new-thread page. */
  toCompose(options?: { initialPrompt?: string; focusPrompt?: boolean }): void;
  /** False when declined; the reason is logged. */
  openThreadPanel(options: OpenPanelOptions): boolean;
  /** `http:` and `https:` only; false otherwise. */
  openUrl(url: string): boolean;
  experimental_openFilePreview(options: { target: FileTarget; location?: { line: number } }): boolean;
  experimental_openFileExternally(options: { target: FileTarget; location?: { line: number } }): boolean;
  /** Without effect: returns `false`. */
  experimental_openTerminal(...options: unknown[]): boolean;
}

/** Fetch again when a signal arrives: always, or when `affects` says so. */
export interface RpcQuerySignal {
  channel: string;
  affects?(payload: JsonValue): boolean;
}

export interface RpcQueryOptions {
  contract?: PluginRpcContract;
  method: string;
  /** Part of the key: a new value is another query. */
  input?: JsonInput;
  /** Default true. */
  enabled?: boolean;
  /** Milliseconds for which a result is not fetched again by another mount. Default 30,000. */
  staleTime?: number;
  /** Default 75,000 ms. */
  timeoutMs?: number;
  realtime?: readonly RpcQuerySignal[];
}

export interface RpcQuery<Data> {
  data: Data | undefined;
  error: Error | null;
  /** There is no result yet. */
  isLoading: boolean;
  isFetching: boolean;
  refetch(): Promise<void>;
}

export interface RpcInfiniteQueryOptions<Data> extends Omit<RpcQueryOptions, "input"> {
  /** The input of a page; `cursor` is null for the first. */
  input(cursor: JsonValue): JsonInput;
  /** The cursor of the page after `page`; undefined or null when it is the last. */
  getNextCursor(page: Data): JsonValue | undefined;
}

export interface RpcInfiniteQuery<Data> extends RpcQuery<Data[]> {
  fetchNextPage(): Promise<void>;
  hasNextPage: boolean;
}

export interface PluginAppPanel {
  /** False when the surface has no right panel, the tab is unknown or its `validate` refuses the target. */
  open(options: { surface: { kind: "current" }; tab: { panelId: string; id: string }; target?: unknown }): boolean;
}

export interface PluginFixedTabTarget {
  /** Rises by one with each target. */
  sequence: number;
  target: unknown;
  clear(): void;
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
