import { QueryClient, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";

import type { RpcInfiniteQuery, RpcInfiniteQueryOptions, RpcQuery, RpcQueryOptions } from "#sdk/app/rpc_queries.js";
import { kQueryStaleMs, kRefetchJoinMs } from "#sdk/app_policy/limits.js";
import { findJsonProblem } from "#sdk/json_problem.js";
import type { JsonInput, JsonValue } from "#sdk/json.js";

import { realtime } from "@/api/realtime";
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

/** Signals and reconnects ask for one fetch, several of them within a moment for one together. */
function useRefetchTriggers(
  { plugin }: PluginMount,
  { enabled = true, realtime: signals = [] }: Pick<RpcQueryOptions, "enabled" | "realtime">,
  refetch: () => void,
): void {
  const { pluginId } = plugin;
  const latest = useRef({ signals, refetch });
  useEffect(() => {
    latest.current = { signals, refetch };
  });
  const channels = JSON.stringify([...new Set(signals.map(({ channel }) => channel))]);
  useEffect(() => {
    if (!enabled) {
      return;
    }
    let timer: ReturnType<typeof setTimeout> | undefined;
    const schedule = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        latest.current.refetch();
      }, kRefetchJoinMs);
    };
    const onSignal = (channel: string) => (payload: JsonValue) => {
      const matching = latest.current.signals.filter((signal) => signal.channel === channel);
      if (matching.some((signal) => signal.affects?.(payload) ?? true)) {
        schedule();
      }
    };
    const stops = (JSON.parse(channels) as string[]).map((channel) => realtime.onSignal(pluginId, channel, onSignal(channel)));
    stops.push(realtime.onConnected((isReconnect) => isReconnect && schedule()));
    return () => {
      clearTimeout(timer);
      stops.forEach((stop) => stop());
    };
  }, [pluginId, enabled, channels]);
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
  const refetch = () => fetchAnew(queryKey, query.refetch);
  useRefetchTriggers(mount, options, () => void refetch());
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
  const refetch = () => fetchAnew(queryKey, query.refetch);
  useRefetchTriggers(mount, options, () => void refetch());
  return {
    data: data?.pages,
    error,
    isFetching,
    isLoading: isFetching && data === undefined,
    refetch,
    hasNextPage,
    fetchNextPage: async () => {
      if (hasNextPage) {
        await query.fetchNextPage();
      }
    },
  };
}
