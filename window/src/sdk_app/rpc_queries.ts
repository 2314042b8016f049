import { hashKey, QueryClient, type QueryKey, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useRef } from "react";

import type { RpcInfiniteQuery, RpcInfiniteQueryOptions, RpcQuery, RpcQueryOptions } from "#sdk/app/rpc_queries.js";
import { kQueryStaleMs, kRefetchJoinMs } from "#sdk/app_policy/limits.js";
import { findJsonProblem } from "#sdk/json_problem.js";
import type { JsonInput, JsonValue } from "#sdk/json.js";

import { realtime } from "@/api/realtime";
import { activePluginsNow, subscribeActivePlugins } from "@/plugins/active";
import type { PluginMount } from "@/plugins/mount_context";
import { useMount } from "./mount";
import { rpcClientOf } from "./rpc";

/**
 * The results of plugins' own methods. A client of their own: what the window does with its queries when it reconnects would
 * fetch these a second time.
 */
export const pluginQueryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: false,
      staleTime: kQueryStaleMs,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      // Loopback answers also when the machine is offline.
      networkMode: "always",
    },
  },
});

/** The generation is part of the key: other code may expect another shape. */
function keyOf({ plugin }: PluginMount, method: string, input: JsonInput): readonly unknown[] {
  // What is not JSON cannot be a key; the call refuses it with the same words.
  return ["rpc", plugin.pluginId, plugin.generation, method, findJsonProblem(input, "$input") ?? [input]];
}

function call(
  { plugin }: PluginMount,
  { method, timeoutMs }: Pick<RpcQueryOptions, "method" | "timeoutMs">,
  input: JsonInput,
  signal: AbortSignal,
): Promise<unknown> {
  return rpcClientOf(plugin.pluginId).call(method, input, { signal, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
}

type Signals = NonNullable<RpcQueryOptions["realtime"]>;

const serverGenerationOf = (pluginId: string): number | undefined =>
  activePluginsNow().find((plugin) => plugin.pluginId === pluginId)?.serverGeneration;

/** Calls `onReload` when another load of the server entry answers from now on, while the app entry stays. */
function onServerReload(pluginId: string, onReload: () => void): () => void {
  let known = serverGenerationOf(pluginId);
  return subscribeActivePlugins(() => {
    const now = serverGenerationOf(pluginId);
    if (now !== undefined && now !== known) {
      known = now;
      onReload();
    }
  });
}

/** Calls `onReason` for every signal that matches, for every reconnect (signals of the time between are lost), and for every reload. */
function onReasons(pluginId: string, channels: readonly string[], signals: () => Signals, onReason: () => void): () => void {
  const onSignal = (channel: string) => (payload: JsonValue) => {
    const matching = signals().filter((signal) => signal.channel === channel);
    if (matching.some((signal) => signal.affects?.(payload) ?? true)) {
      onReason();
    }
  };
  const stops = channels.map((channel) => realtime.onSignal(pluginId, channel, onSignal(channel)));
  stops.push(
    realtime.onConnected((isReconnect) => isReconnect && onReason()),
    onServerReload(pluginId, onReason),
  );
  return () => stops.forEach((stop) => stop());
}

/** The kept result is not shown as the present one to who asks for it next. */
function markStale(queryKey: QueryKey): void {
  void pluginQueryClient.invalidateQueries({ queryKey, exact: true, refetchType: "none" });
}

/** Ends the watch over a result that nobody shows; by the hash of its key. */
const unseen = new Map<string, () => void>();

/** A result is kept for a while after the last component that shows it has gone: what happens then makes it stale, too. */
function watchUnseen(queryKey: QueryKey, pluginId: string, channels: readonly string[], signals: Signals): void {
  const hash = hashKey(queryKey);
  const cache = pluginQueryClient.getQueryCache();
  if (cache.get(hash) === undefined) {
    return;
  }
  unseen.get(hash)?.();
  const stops = [
    onReasons(
      pluginId,
      channels,
      () => signals,
      () => markStale(queryKey),
    ),
    cache.subscribe(({ type, query }) => type === "removed" && query.queryHash === hash && stop()),
  ];
  const stop = () => {
    unseen.delete(hash);
    stops.forEach((each) => each());
  };
  unseen.set(hash, stop);
}

/** Signals, reconnects and reloads ask for one fetch, several of them within a moment for one together. */
function useRefetchTriggers(
  { plugin }: PluginMount,
  { enabled = true, realtime: signals = [] }: Pick<RpcQueryOptions, "enabled" | "realtime">,
  queryKey: QueryKey,
  refetch: () => void,
): void {
  const { pluginId } = plugin;
  const hash = hashKey(queryKey);
  const latest = useRef({ queryKey, signals, refetch });
  useEffect(() => {
    latest.current = { queryKey, signals, refetch };
  });
  const channels = JSON.stringify([...new Set(signals.map(({ channel }) => channel))]);
  useEffect(() => {
    if (!enabled) {
      return;
    }
    const { queryKey: key } = latest.current;
    const names = JSON.parse(channels) as string[];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const schedule = () => {
      // Who leaves before the fetch has been answered, or was begun, leaves no result that is taken for the present one.
      markStale(key);
      timer ??= setTimeout(() => {
        timer = undefined;
        latest.current.refetch();
      }, kRefetchJoinMs);
    };
    const stop = onReasons(pluginId, names, () => latest.current.signals, schedule);
    unseen.get(hash)?.();
    return () => {
      clearTimeout(timer);
      stop();
      // What the last render said is what counts from here on.
      watchUnseen(key, pluginId, names, latest.current.signals);
    };
  }, [pluginId, enabled, channels, hash]);
}

/** A function that stays the same: components give it to effects as one of their dependencies. It does what the last render said. */
function useSame(act: () => Promise<void>): () => Promise<void> {
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  return useCallback(() => latest.current(), []);
}

/** Fetches what is true by now: an answer that is on its way was asked for before the reason to ask again. */
async function fetchAnew(queryKey: readonly unknown[], refetch: () => Promise<unknown>): Promise<void> {
  await pluginQueryClient.cancelQueries({ queryKey, exact: true });
  await refetch();
}

export function useRpcQuery(options: RpcQueryOptions): RpcQuery<unknown> {
  const mount = useMount("experimental_useRpcQuery");
  const { enabled = true, method, input = null, staleTime = kQueryStaleMs } = options;
  const queryKey = keyOf(mount, method, input);
  const query = useQuery(
    {
      queryKey,
      queryFn: ({ signal }) => call(mount, options, input, signal),
      enabled,
      staleTime,
    },
    pluginQueryClient,
  );
  const { data, error, isFetching } = query;
  const refetch = useSame(() => fetchAnew(queryKey, query.refetch));
  useRefetchTriggers(mount, options, queryKey, () => void refetch());
  return {
    data,
    error,
    isFetching,
    isLoading: isFetching && data === undefined,
    refetch,
  };
}

export function useRpcInfiniteQuery(options: RpcInfiniteQueryOptions<unknown>): RpcInfiniteQuery<unknown> {
  const mount = useMount("experimental_useRpcInfiniteQuery");
  const { enabled = true, method, staleTime = kQueryStaleMs } = options;
  const queryKey = [...keyOf(mount, method, options.input(null)), "pages"];
  const query = useInfiniteQuery(
    {
      queryKey,
      queryFn: ({ pageParam, signal }) => call(mount, options, options.input(pageParam), signal),
      initialPageParam: null as JsonValue,
      // Null ends it too.
      getNextPageParam: (page): JsonValue | undefined => options.getNextCursor(page) ?? undefined,
      enabled,
      staleTime,
    },
    pluginQueryClient,
  );
  const { data, error, isFetching, hasNextPage } = query;
  const refetch = useSame(() => fetchAnew(queryKey, query.refetch));
  useRefetchTriggers(mount, options, queryKey, () => void refetch());
  const fetchNextPage = useSame(async () => {
    if (hasNextPage) {
      await query.fetchNextPage();
    }
  });
  return {
    data: data?.pages,
    error,
    isFetching,
    isLoading: isFetching && data === undefined,
    refetch,
    hasNextPage,
    fetchNextPage,
  };
}
