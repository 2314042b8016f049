import { useCallback, useEffect, useRef, useState } from "react";

import type { RpcInfiniteQuery, RpcInfiniteQueryOptions, RpcQuery, RpcQueryOptions } from "../app/rpc_queries.js";
import { kRefetchJoinMs } from "../app_policy/limits.js";
import type { JsonInput, JsonValue } from "../json.js";
import type { Mount } from "./mount.js";

/** As much of the window's queries as a component can see; nothing is kept between mounts. */

interface QueryState<Data> {
  key: string;
  data: Data | undefined;
  error: Error | null;
  isFetching: boolean;
}

interface Query<Data> extends QueryState<Data> {
  /** Replaces the data with what `load` returns, unless the key changed meanwhile. */
  run(load: () => Promise<Data>): Promise<void>;
}

function useQueryState<Data>(key: string, enabled: boolean): Query<Data> {
  const [state, setState] = useState<QueryState<Data>>({ key, data: undefined, error: null, isFetching: enabled });
  const latestKey = useRef(key);
  useEffect(() => {
    latestKey.current = key;
  }, [key]);
  const run = useCallback(
    async (load: () => Promise<Data>) => {
      const isCurrent = () => latestKey.current === key;
      setState((old) => ({ ...(old.key === key ? old : { data: undefined, error: null }), key, isFetching: true }));
      try {
        const data = await load();
        if (isCurrent()) {
          setState({ key, data, error: null, isFetching: false });
        }
      } catch (failure) {
        if (isCurrent()) {
          setState((old) => ({ ...old, error: failure as Error, isFetching: false }));
        }
      }
    },
    [key],
  );
  // The result of another key is never shown for this one.
  return state.key === key ? { ...state, run } : { key, data: undefined, error: null, isFetching: enabled, run };
}

/** Signals and reconnects ask for one fetch, several of them within a moment for one together. */
function useRefetchTriggers(
  mount: Mount,
  { enabled = true, realtime = [] }: Pick<RpcQueryOptions, "enabled" | "realtime">,
  refetch: () => void,
): void {
  const latest = useRef({ realtime, refetch });
  useEffect(() => {
    latest.current = { realtime, refetch };
  });
  const channels = JSON.stringify([...new Set(realtime.map(({ channel }) => channel))]);
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
      const isAffected = latest.current.realtime.some((signal) => signal.channel === channel && (signal.affects?.(payload) ?? true));
      if (isAffected) {
        schedule();
      }
    };
    let { connection } = mount.state;
    const stops = (JSON.parse(channels) as string[]).map((channel) => mount.listen(channel, onSignal(channel)));
    stops.push(
      mount.subscribe(() => {
        const before = connection;
        connection = mount.state.connection;
        if (before === "reconnecting" && connection === "connected") {
          schedule();
        }
      }),
    );
    return () => {
      clearTimeout(timer);
      stops.forEach((stop) => stop());
    };
  }, [mount, enabled, channels]);
}

function call(mount: Mount, { method, timeoutMs }: Pick<RpcQueryOptions, "method" | "timeoutMs">, input: JsonInput): Promise<unknown> {
  return mount.rpc.call(method, input, timeoutMs === undefined ? {} : { timeoutMs });
}

/** A function that stays the same, as in the window. It does what the last render said. */
function useSame(act: () => Promise<void>): () => Promise<void> {
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  return useCallback(() => latest.current(), []);
}

export function useRpcQuery(mount: Mount, options: RpcQueryOptions): RpcQuery<unknown> {
  const { enabled = true, method, input = null } = options;
  const key = JSON.stringify([method, input]);
  const query = useQueryState<unknown>(key, enabled);
  const { run } = query;
  const refetch = useSame(() => run(() => call(mount, options, input)));
  useEffect(() => {
    if (enabled) {
      void refetch();
    }
  }, [enabled, key, refetch]);
  useRefetchTriggers(mount, options, () => void refetch());
  const { data, error, isFetching } = query;
  return { data, error, isFetching, isLoading: isFetching && data === undefined, refetch };
}

export function useRpcInfiniteQuery(mount: Mount, options: RpcInfiniteQueryOptions<unknown>): RpcInfiniteQuery<unknown> {
  const { enabled = true, method } = options;
  const key = JSON.stringify([method, options.input(null)]);
  const query = useQueryState<unknown[]>(key, enabled);
  const { run, data, error, isFetching } = query;
  const page = (cursor: JsonValue) => call(mount, options, options.input(cursor));
  const cursorAfter = (pages: unknown[] | undefined): JsonValue =>
    pages === undefined || pages.length === 0 ? null : (options.getNextCursor(pages.at(-1)) ?? null);

  /** As many pages as there were, from the first. */
  const refetch = useSame(() =>
    run(async () => {
      const pages = [await page(null)];
      for (let cursor = cursorAfter(pages); pages.length < (data?.length ?? 1) && cursor !== null; cursor = cursorAfter(pages)) {
        pages.push(await page(cursor));
      }
      return pages;
    }),
  );
  useEffect(() => {
    if (enabled) {
      void refetch();
    }
  }, [enabled, key, refetch]);
  useRefetchTriggers(mount, options, () => void refetch());
  const next = cursorAfter(data);
  const fetchNextPage = useSame(async () => {
    if (next !== null) {
      await run(async () => [...(data ?? []), await page(next)]);
    }
  });
  return {
    data,
    error,
    isFetching,
    isLoading: isFetching && data === undefined,
    refetch,
    hasNextPage: next !== null,
    fetchNextPage,
  };
}
