import type { JsonInput, JsonValue } from "../json.js";
import type { PluginTypes, RpcOf, SignalChannel, SignalOf, VisibleSettings } from "../plugin_types.js";
import { experimental_useRpcQuery, useRealtime, useRpc, useSettings } from "./hooks.js";
import type { PluginRpcCallArgs, PluginRpcClient, PluginRpcResult } from "./rpc_client.js";
import type { RpcQuery, RpcQueryOptions } from "./rpc_queries.js";

/** What arrives of a signal: `undefined` is sent as `null`. */
export type PluginSignalPayload<Types extends PluginTypes, Channel extends string> =
  Exclude<SignalOf<Types, Channel, JsonValue>, undefined> | (undefined extends SignalOf<Types, Channel, JsonValue> ? null : never);

/** A channel whose every signal fetches again, or the signals of it that concern the query. */
export type PluginQuerySignal<Types extends PluginTypes> =
  | SignalChannel<Types>
  | {
      [Channel in SignalChannel<Types>]: { channel: Channel; affects(payload: PluginSignalPayload<Types, Channel>): boolean };
    }[SignalChannel<Types>];

/** When and how long a query fetches. */
export interface PluginQueryOptions<Types extends PluginTypes> extends Pick<RpcQueryOptions, "enabled" | "staleTime" | "timeoutMs"> {
  /** Fetch again when one of these signals arrives. Every reconnect does, too. */
  on?: readonly PluginQuerySignal<Types>[];
}

/** What `definePluginHooks` returns: the hooks of the window with the types of one plugin. */
export interface TypedPluginHooks<Types extends PluginTypes> {
  /** `useRpc()` of the SDK. */
  useRpc(this: void): PluginRpcClient<RpcOf<Types>>;
  /**
   * Fetches with an RPC method and keeps the result: `useRpcQuery("todos_list", null, { on: ["todos-changed"] })`. No retry; equal
   * inputs share a result; a new input is another query.
   */
  useRpcQuery<Method extends keyof RpcOf<Types> & string>(
    this: void,
    method: Method,
    ...args: PluginRpcCallArgs<RpcOf<Types>[Method], PluginQueryOptions<Types>>
  ): RpcQuery<PluginRpcResult<RpcOf<Types>[Method]>>;
  /**
   * The plugin's settings without secrets. `values` is undefined until they were fetched, and when that failed; then, a setting with a
   * default has a value.
   */
  useSettings(this: void): { values?: VisibleSettings<Types>; isLoading: boolean };
  /** Calls the latest `handler` for each signal of the channel. Those sent while the connection was lost do not come later. */
  useSignal<Channel extends SignalChannel<Types>>(
    this: void,
    channel: Channel,
    handler: (payload: PluginSignalPayload<Types, Channel>) => void,
  ): void;
}

type AnySignal = string | { channel: string; affects?(payload: unknown): boolean };
type AnyQueryOptions = Omit<RpcQueryOptions, "method" | "input" | "realtime"> & { on?: readonly AnySignal[] };

function useRpcQuery(method: string, input?: unknown, options: AnyQueryOptions = {}): RpcQuery<unknown> {
  const { on = [], ...rest } = options;
  return experimental_useRpcQuery<unknown>({
    ...rest,
    method,
    input: (input ?? null) as JsonInput,
    realtime: on.map((signal) => (typeof signal === "string" ? { channel: signal } : signal)),
  });
}

/**
 * The hooks of the app entry with the types that the server entry exports. Call it once, beside the components:
 * `const { useRpcQuery, useSettings } = definePluginHooks<Types>()` with a type-only import of `Types`. No server code gets into the
 * bundle, and what does not fit is found when types are checked.
 */
export function definePluginHooks<Types extends PluginTypes>(): TypedPluginHooks<Types> {
  return { useRpc, useRpcQuery, useSettings, useSignal: useRealtime } as unknown as TypedPluginHooks<Types>;
}
