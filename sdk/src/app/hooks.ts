import type { JsonValue } from "../json.js";
import type { PluginRpcContract } from "../rpc.js";
import type { PluginSdk } from "../sdk_client.js";
import type { Composer, ComposerView } from "./composer.js";
import type { PluginNavigate, PluginSvcContext } from "./navigation.js";
import type { RpcInfiniteQuery, RpcInfiniteQueryOptions, RpcQuery, RpcQueryOptions } from "./rpc_queries.js";
import type { PluginAppPanel, PluginFixedTabTarget } from "./slots/panel.js";
import type { PluginCodeTheme, PluginProviderInfo, PluginRealtimeConnectionState, PluginSettingsState } from "./window_state.js";
import type { PluginRpcClient } from "./rpc_client.js";
import { runtime } from "./runtime.js";
import type {
  PluginSidebarThreadActions,
  PluginSidebarThreadPullRequestState,
  PluginSidebarThreads,
  PluginSidebarThreadSplit,
} from "./sidebar.js";

// Every hook takes the plugin it works for from the mount that calls it, and throws outside of one.

/**
 * Calls methods of the plugin's server entry: `const rpc = useRpc<typeof rpcContract>()` with a type-only import of the
 * contract. The result is the same object on every render.
 */
export function useRpc<Contract extends PluginRpcContract = PluginRpcContract>(): PluginRpcClient<Contract> {
  return runtime("useRpc")<Contract>();
}

/**
 * Calls `handler` for each `svc.realtime.publish(channel, payload)` of this plugin. The latest handler is called; a throw in it
 * is logged. Signals sent while the connection was lost are gone: fetch again when `useRealtimeConnectionState()` becomes
 * `connected`.
 */
export function useRealtime(channel: string, handler: (payload: JsonValue) => void): void {
  runtime("useRealtime")(channel, handler);
}

/** The connection that carries signals. The first change to `connected` is no reconnect. */
export function useRealtimeConnectionState(): PluginRealtimeConnectionState {
  return runtime("useRealtimeConnectionState")();
}

/** The plugin's settings without secrets; at most 30 s old, and fetched again when they change. */
export function useSettings(): PluginSettingsState {
  return runtime("useSettings")();
}

/** The project and thread of the surface the component is mounted in, else of the window's route. */
export function useSvcContext(): PluginSvcContext {
  return runtime("useSvcContext")();
}

/** Ways to other pages, panels and sites from where the component is mounted. The same object on every render. */
export function useSvcNavigate(): PluginNavigate {
  return runtime("useSvcNavigate")();
}

/** The composer of the surface, else of the route. */
export function useComposer(): Composer {
  return runtime("useComposer")();
}

/** Every composer on screen, oldest first. */
export function useComposers(): Composer[] {
  return runtime("useComposers")();
}

/** What the composer of the surface, else of the route, shows. Renders again only when that changes. */
export function useComposerView(): ComposerView {
  return runtime("useComposerView")();
}

/**
 * Fetches with an RPC method and keeps the result. No retry. Signals named in `realtime` and every reconnect fetch again,
 * several within 50 ms once.
 */
export function experimental_useRpcQuery<Data = JsonValue>(options: RpcQueryOptions): RpcQuery<Data> {
  return runtime("experimental_useRpcQuery")<Data>(options);
}

/** As `experimental_useRpcQuery`, page by page. */
export function experimental_useRpcInfiniteQuery<Data = JsonValue>(options: RpcInfiniteQueryOptions<Data>): RpcInfiniteQuery<Data> {
  return runtime("experimental_useRpcInfiniteQuery")<Data>(options);
}

/** The service's client, as `svc.sdk` of the server entry; calls are made by the window for this plugin. */
export function useSdk(): PluginSdk {
  return runtime("useSdk")();
}

/** Opens the fixed tabs of this plugin's page in the right panel that is on screen. */
export function experimental_useAppPanel(): PluginAppPanel {
  return runtime("experimental_useAppPanel")();
}

/** The target last handed to a fixed tab of this plugin; in memory only. */
export function experimental_useFixedTabTarget(tab: { panelId: string; id: string }): PluginFixedTabTarget {
  return runtime("experimental_useFixedTabTarget")(tab);
}

/** The agent providers. */
export function useProviders(): PluginProviderInfo[] {
  return runtime("useProviders")();
}

/** The theme of source code in the present light or dark mode. Renders again when either changes. */
export function useCodeTheme(): PluginCodeTheme {
  return runtime("useCodeTheme")();
}

/** The id of the plugin whose mount this is: its package name without `svc-plugin-`. */
export function experimental_usePluginId(): string {
  return runtime("experimental_usePluginId")();
}

/** The threads and projects of the sidebar, kept current. */
export function experimental_useSidebarThreads(): PluginSidebarThreads {
  return runtime("experimental_useSidebarThreads")();
}

/** What the window's own thread list does with threads. The same object on every render. */
export function experimental_useSidebarThreadActions(): PluginSidebarThreadActions {
  return runtime("experimental_useSidebarThreadActions")();
}

/** The pull request of a thread's branch. Rows of one environment ask once. */
export function experimental_useSidebarThreadPullRequest(threadId: string): PluginSidebarThreadPullRequestState {
  return runtime("experimental_useSidebarThreadPullRequest")(threadId);
}

/** How dragging a thread's row opens a split, and the split that the thread is in. */
export function experimental_useSidebarThreadSplit(threadId: string): PluginSidebarThreadSplit {
  return runtime("experimental_useSidebarThreadSplit")(threadId);
}

/** Known by name only: `{ isLoading: false, data: [] }`. */
export function experimental_useBranches(...options: unknown[]): { isLoading: boolean; data: never[] } {
  return runtime("experimental_useBranches")(...options);
}

/** Known by name only: `{ isLoading: false, data: [] }`. */
export function useEnvironmentProviders(...options: unknown[]): { isLoading: boolean; data: never[] } {
  return runtime("useEnvironmentProviders")(...options);
}

/** Known by name only: null. */
export function experimental_useQuestionFormHost(...options: unknown[]): null {
  return runtime("experimental_useQuestionFormHost")(...options);
}
