import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import type { PluginSettingsState } from "#sdk/app/window_state.js";

import { api } from "@/api/http";
import { queryClient, queryKeys } from "@/api/queries";
import type { PluginSettingsAnswer } from "@/api/records";
import { ownMember } from "@/lib/own";
import { useMount } from "./mount";

/** `L:settings-fresh` — milliseconds for which settings are not fetched again by another mount. */
const kSettingsFreshMs = 30_000;

/** What a component may see: set values, and nothing about secrets. */
export function visibleSettings({ schema, values }: PluginSettingsAnswer): Record<string, string | boolean | number> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) =>
      ownMember(schema, key)?.secret === true || value === null || typeof value === "object" ? [] : [[key, value]],
    ),
  );
}

export function useSettings(): PluginSettingsState {
  const { plugin } = useMount("useSettings");
  // The key that the settings page uses, too: one fetch for both, and one invalidation when they change.
  const { data, isError, isFetching } = useQuery(
    {
      queryKey: queryKeys.pluginSettings(plugin.pluginId),
      queryFn: ({ signal }) => fetchSettings(plugin.pluginId, signal),
      staleTime: kSettingsFreshMs,
    },
    queryClient,
  );
  return useMemo(
    () => (data === undefined || isError ? { isLoading: isFetching } : { values: visibleSettings(data), isLoading: false }),
    [data, isError, isFetching],
  );
}

function fetchSettings(pluginId: string, signal: AbortSignal): Promise<PluginSettingsAnswer> {
  return api<PluginSettingsAnswer>("GET", `/plugins/${encodeURIComponent(pluginId)}/settings`, { signal });
}
