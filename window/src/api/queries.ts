import { QueryClient, type QueryFilters, queryOptions, useQuery, type UseQueryResult } from "@tanstack/react-query";

import { kQueryStaleMs } from "#sdk/app_policy/limits.js";

import { api } from "./http";
import { ApiError } from "@/lib/api_error";
import { createJoiner } from "@/lib/join";
import type { Realtime } from "./realtime";
import type { PluginRecord, PluginSettingsAnswer, SafeMode, SystemConfig } from "./records";

/** `L:reconcile` — milliseconds of quiet that join refetches, and the longest wait. */
export const kReconcileMs = 250;
export const kReconcileMaxMs = 1000;

/** What could not be reached may be there a moment later; an answer of the service stays the same. */
function shouldRetry(failures: number, failure: unknown): boolean {
  return failure instanceof ApiError && failure.status === 0 && failures < 2;
}

/** The window's cache of answers. It refetches because of realtime messages, not because time passes. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: kQueryStaleMs,
      retry: shouldRetry,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      // The service is usually on this computer: it can be reached without a network.
      networkMode: "always",
    },
    mutations: { networkMode: "always" },
  },
});

/** Everything below `plugins` and `pluginSettings` is fetched again when plugins change. */
export const queryKeys = {
  plugins: ["plugins", "list"],
  plugin: (id: string) => ["plugins", "record", id],
  pluginSource: (id: string) => ["plugins", "source", id],
  contributions: ["plugins", "contributions"],
  safeMode: ["plugins", "safe-mode"],
  pluginSettings: (id: string) => ["plugin-settings", id],
  systemConfig: ["system", "config"],
  hosts: ["hosts"],
  terminals: ["terminals"],
  directories: (hostId: string) => ["directory", hostId],
  directory: (hostId: string, path: string | null) => ["directory", hostId, path],
  foundPaths: (hostId: string, path: string, query: string) => ["directory", hostId, path, "found", query],
  filePreview: (hostId: string, folder: string) => ["file-preview", hostId, folder],
  mcpTokens: ["mcp", "tokens"],
  mcpClients: ["mcp", "clients"],
  mcpCalls: ["mcp", "calls"],
  projects: ["projects"],
} as const;

const kFollowPlugins: readonly (readonly string[])[] = [["plugins"], ["plugin-settings"]];

export const pluginsQuery = queryOptions({
  queryKey: queryKeys.plugins,
  queryFn: async ({ signal }) => (await api<{ plugins: PluginRecord[] }>("GET", "/plugins", { signal })).plugins,
});

/** All records, by id. */
export function usePlugins(): UseQueryResult<PluginRecord[]> {
  return useQuery(pluginsQuery);
}

/** One record; what the list knows is shown until its own answer is there. */
export function usePlugin(id: string, isWanted = true): UseQueryResult<PluginRecord> {
  return useQuery<PluginRecord>({
    queryKey: queryKeys.plugin(id),
    enabled: isWanted,
    queryFn: async ({ signal }) => (await api<{ plugin: PluginRecord }>("GET", `/plugins/${encodeURIComponent(id)}`, { signal })).plugin,
    placeholderData: () => queryClient.getQueryData<PluginRecord[]>(queryKeys.plugins)?.find((record) => record.id === id),
  });
}

export function usePluginSettings(id: string): UseQueryResult<PluginSettingsAnswer> {
  return useQuery({
    queryKey: queryKeys.pluginSettings(id),
    queryFn: ({ signal }) => api<PluginSettingsAnswer>("GET", `/plugins/${encodeURIComponent(id)}/settings`, { signal }),
  });
}

export function useSafeMode(): UseQueryResult<SafeMode> {
  return useQuery({
    queryKey: queryKeys.safeMode,
    queryFn: ({ signal }) => api<SafeMode>("GET", "/plugins/safe-mode", { signal }),
  });
}

const systemConfigQuery = queryOptions({
  queryKey: queryKeys.systemConfig,
  queryFn: ({ signal }) => api<SystemConfig>("GET", "/system/config", { signal }),
});

export function useSystemConfig(): UseQueryResult<SystemConfig> {
  // Plugins show parts of the window below query clients of their own.
  return useQuery(systemConfigQuery, queryClient);
}

/**
 * Whether the service has a collection of records, for example `threads`: what it does not have is not asked for, because a browser
 * logs every 404. Throws when the service does not say.
 */
export async function hasRecords(name: string): Promise<boolean> {
  return (await queryClient.ensureQueryData(systemConfigQuery)).records.includes(name);
}

/**
 * Fetches again, after a change, what matches and is on screen; the rest when it is shown next. An answer on its way may have been
 * given before the change. Where it is the first one it is let in, so that nothing waits for longer, and asked for once more.
 */
function fetchAgain(filters: QueryFilters, client: QueryClient = queryClient): void {
  for (const query of client.getQueryCache().findAll({ ...filters, fetchStatus: "fetching" })) {
    if (query.state.data === undefined) {
      const again = () => client.invalidateQueries({ queryKey: query.queryKey, exact: true });
      query.promise?.then(again, again);
    }
  }
  void client.invalidateQueries(filters);
}

/** Fetches again what is on screen and follows plugins; the rest when it is shown next. */
export function invalidatePlugins(client?: QueryClient): void {
  for (const queryKey of kFollowPlugins) {
    fetchAgain({ queryKey }, client);
  }
}

/**
 * Keeps the cache true: everything is fetched again after a connect, what follows plugins after `plugins-changed`. Returns what
 * ends that.
 */
export function followServer(realtime: Realtime, client: QueryClient = queryClient): () => void {
  const refetch = createJoiner(() => invalidatePlugins(client), { waitMs: kReconcileMs, maxMs: kReconcileMaxMs });
  const removers = [
    realtime.onPluginsChanged(refetch),
    // What was told before the socket was open, or while there was none, was told to nobody here.
    realtime.onConnected(() => fetchAgain({}, client)),
    realtime.watch({ kind: "system" }, ({ changes }) => {
      if (changes.includes("config-changed")) {
        fetchAgain({ queryKey: ["system"] }, client);
      }
      // Agents are found, installed or gone: lists of them and of their models are asked for again.
      if (changes.includes("provider-registrations-changed")) {
        fetchAgain({ queryKey: ["providers"] }, client);
        fetchAgain({ queryKey: ["models"] }, client);
      }
    }),
  ];
  return () => {
    refetch.cancel();
    removers.forEach((remove) => remove());
  };
}
