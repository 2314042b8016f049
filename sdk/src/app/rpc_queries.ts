import type { JsonInput, JsonValue } from "../json.js";
import type { PluginRpcContract } from "../rpc.js";

/** Fetch again when a signal arrives: always, or when `affects` says so. */
export interface RpcQuerySignal {
  channel: string;
  affects?(payload: JsonValue): boolean;
}

/** What `experimental_useRpcQuery` fetches. The plugin, `method` and `input` are the key: equal ones share a result. */
export interface RpcQueryOptions {
  contract?: PluginRpcContract;
  method: string;
  /** Part of the key: a new value is another query. */
  input?: JsonInput;
  /** False: nothing is fetched until it is true. Default true. */
  enabled?: boolean;
  /** Milliseconds for which a result is not fetched again by another mount. Default 30,000. */
  staleTime?: number;
  /** Milliseconds until a fetch fails. Default 75,000. */
  timeoutMs?: number;
  realtime?: readonly RpcQuerySignal[];
}

/** The state of a query, as `experimental_useRpcQuery` returns it. */
export interface RpcQuery<Data> {
  /** The last result; undefined before the first one. */
  data: Data | undefined;
  /** Why the last fetch failed; null when it did not. */
  error: Error | null;
  /** There is no result yet. */
  isLoading: boolean;
  /** A fetch runs, also one that renews a result. */
  isFetching: boolean;
  /** The same function on each render. */
  refetch(): Promise<void>;
}

/** What `experimental_useRpcInfiniteQuery` fetches: pages, each by the cursor that the one before names. */
export interface RpcInfiniteQueryOptions<Data> extends Omit<RpcQueryOptions, "input"> {
  /** The input of a page; `cursor` is null for the first. */
  input(cursor: JsonValue): JsonInput;
  /** The cursor of the page after `page`; undefined or null when it is the last. */
  getNextCursor(page: Data): JsonValue | undefined;
}

/** The state of a query by pages; `data` has the pages so far, first one first. */
export interface RpcInfiniteQuery<Data> extends RpcQuery<Data[]> {
  /** Does nothing without a next page. The same function on each render. */
  fetchNextPage(): Promise<void>;
  hasNextPage: boolean;
}
