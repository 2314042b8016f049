import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useMemo } from "react";

import type { PluginProviderInfo } from "#sdk/app/window_state.js";
import type { PluginSidebarThreads } from "#sdk/app/sidebar.js";
import type { Project, Provider, Thread } from "#sdk/records.js";

import { createFollower, useFollow } from "@/api/follow";
import { hostsQuery } from "@/api/hosts";
import { api } from "@/api/http";
import { hasRecords, queryClient, queryKeys } from "@/api/queries";
import { sidebarThreadOf } from "./thread_records";

export const kThreadListKey = ["threads"] as const;
/** Milliseconds; changes are announced, so that asking again is only for what was missed. */
const kListStaleMs = 30_000;

/** Changes within a thread, which may come many times a second: no list shows them. */
const kOfOneThread = new Set(["events-appended", "history-rewritten", "queue-changed", "tabs-changed", "terminals-changed"]);

// Sidebar, palette, page and every title of a thread show the same lists.
const threadFollower = createFollower({ kind: "thread-list" }, kThreadListKey, {
  isMine: (changes, metadata) =>
    changes.some((change) => !kOfOneThread.has(change)) ||
    (metadata as { backgroundActivityChanged?: boolean } | undefined)?.backgroundActivityChanged === true,
});
const projectFollower = createFollower({ kind: "project-list" }, queryKeys.projects);

/** A list, empty when the service does not have such records. */
async function fetchList<T>(name: string, signal: AbortSignal): Promise<T[]> {
  if (!(await hasRecords(name))) {
    return [];
  }
  return (await api<Record<string, T[] | undefined>>("GET", `/${name}`, { signal }))[name] ?? [];
}

function useList<T>(name: string) {
  return useQuery({ queryKey: [name], queryFn: ({ signal }) => fetchList<T>(name, signal), staleTime: kListStaleMs }, queryClient);
}

/** Threads and projects as a sidebar shows them; ready and empty where the service has no threads. */
export function useThreadLists(): PluginSidebarThreads {
  const threads = useList<Thread>("threads");
  const projects = useList<Project>("projects");
  // Without a thread there is nothing that they belong to.
  const hosts = useQuery({ ...hostsQuery, staleTime: kListStaleMs, enabled: (threads.data?.length ?? 0) > 0 }, queryClient).data;
  useFollow(threadFollower);
  useFollow(projectFollower);
  const isReady = threads.data !== undefined && projects.data !== undefined;
  const isError = threads.isError || projects.isError;
  return useMemo(
    () => ({
      status: isReady ? "ready" : isError ? "error" : "loading",
      threads: (threads.data ?? [])
        .filter(({ visibility }) => visibility !== "hidden")
        .map((thread) => sidebarThreadOf(thread, hosts ?? [])),
      projects: (projects.data ?? []).map(({ id, name, kind }) => ({ id, name, isPersonal: kind === "personal" })),
    }),
    [isReady, isError, threads.data, projects.data, hosts],
  );
}

/** The project of a thread that a list has; null while it is not known. */
export function projectOfThread(threadId: string | null): string | null {
  const threads = threadId === null ? undefined : queryClient.getQueryData<Thread[]>(kThreadListKey);
  return threads?.find(({ id }) => id === threadId)?.projectId ?? null;
}

const kNoThreads: Thread[] = [];

/** The ids of pinned threads, first to last: their keys are compared as bytes, not as words. Follows nothing by itself. */
export function usePinOrder(): readonly string[] {
  const threads = useList<Thread>("threads").data ?? kNoThreads;
  return useMemo(
    () =>
      threads
        .filter(({ pinnedAt, archivedAt }) => pinnedAt !== null && archivedAt === null)
        .sort(({ pinSortKey: a }, { pinSortKey: b }) => ((a ?? "") < (b ?? "") ? -1 : 1))
        .map(({ id }) => id),
    [threads],
  );
}

/** The agent of a thread, also while it cannot be used; undefined while that is not known, null when nobody knows it. */
export function useAgent(providerId: string): Provider | null | undefined {
  const { data } = useList<Provider>("providers");
  return data === undefined ? undefined : (data.find(({ id }) => id === providerId) ?? null);
}

/** Whether there is an agent that could answer; undefined until it is known. */
export function useHasAgent(): boolean | undefined {
  const { data } = useList<Provider>("providers");
  return data === undefined ? undefined : data.some(({ available }) => available);
}

export interface ProviderState {
  providerId: string;
  hostId: string;
  available: boolean;
  unavailableReason: string | null;
}

/** What each machine says of each agent that it knows, installed or not; empty where the service has no agents. */
export function useProviderStates(): UseQueryResult<ProviderState[]> {
  return useQuery(
    {
      // Below the key of the agents: what is asked for again with them.
      queryKey: ["providers", "states"],
      queryFn: async ({ signal }) =>
        (await hasRecords("providers"))
          ? (await api<{ states: ProviderState[] }>("GET", "/system/provider-states", { signal })).states
          : [],
      staleTime: kListStaleMs,
    },
    queryClient,
  );
}

/** Asks again which agents there are: somebody may have installed one. */
export async function lookForAgents(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: ["providers"] });
}

/** The agent providers. */
export function useProviderList(): PluginProviderInfo[] {
  const { data } = useList<Provider>("providers");
  return useMemo(() => (data ?? []).map(({ id, displayName }) => ({ id, displayName, icon: null })), [data]);
}
