import type { JsonInput, JsonValue } from "../json.js";
import type { PluginRpcContract } from "../rpc.js";

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
