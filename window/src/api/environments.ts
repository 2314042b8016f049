import { queryOptions, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useMemo } from "react";

import type { Environment } from "#sdk/records.js";
import type { DiffFile, DiffPatch, DiffTarget, PullRequest, WorkspaceStatus, WorkspaceUnavailable } from "#sdk/sdk_workspaces.js";

import { createFollower, type Follower, useFollow } from "./follow";
import { api, type Query } from "./http";
import { hasRecords, queryClient } from "./queries";

export type { Environment } from "#sdk/records.js";

const at = (id: string, rest = "") => `/environments/${encodeURIComponent(id)}${rest}`;
/** Everything that is known of one. */
const keyOf = (id: string) => ["environment", id] as const;
const kListKey = ["environments"] as const;

const listFollower = createFollower({ kind: "environment-list" }, kListKey);

async function listEnvironments(query: Query, signal: AbortSignal): Promise<Environment[]> {
  return (await hasRecords("environments"))
    ? ((await api<{ environments?: Environment[] }>("GET", "/environments", { query, signal })).environments ?? [])
    : [];
}

/** Where threads of a project work, newest first; none where the service has no environments. */
export const listEnvironmentsQuery = (projectId: string) =>
  queryOptions({
    queryKey: [...kListKey, projectId],
    queryFn: ({ signal }) => listEnvironments({ projectId }, signal),
  });

/** The same, followed. */
export function useEnvironments(projectId: string, { enabled = true } = {}): UseQueryResult<Environment[]> {
  useFollow(listFollower);
  return useQuery({ ...listEnvironmentsQuery(projectId), enabled }, queryClient);
}

/** Those of all projects. */
export const allEnvironmentsQuery = queryOptions({
  queryKey: [...kListKey, "all"],
  queryFn: ({ signal }) => listEnvironments({}, signal),
});

/** Nothing is asked for with null. */
export function useEnvironment(id: string | null): UseQueryResult<Environment> {
  return useQuery(
    {
      queryKey: [...keyOf(id ?? ""), "record"],
      queryFn: async ({ signal }) => (await api<{ environment: Environment }>("GET", at(id!), { signal })).environment,
      enabled: id !== null,
      retry: false,
    },
    queryClient,
  );
}

/** Keeps what is shown of one true while the component is mounted: its state, its files, its branch. */
export function useFollowEnvironment(id: string): void {
  const follower = useMemo<Follower>(() => createFollower({ kind: "environment-detail", environmentId: id }, keyOf(id)), [id]);
  useFollow(follower);
}

export type WorkspaceAnswer = { outcome: "available"; workspace: WorkspaceStatus } | WorkspaceUnavailable;

/** What git says of it; asked for again whenever somebody looks, as files change without telling. */
export function useWorkspace(id: string): UseQueryResult<WorkspaceAnswer> {
  return useQuery(
    {
      queryKey: [...keyOf(id), "status"],
      queryFn: ({ signal }) => api<WorkspaceAnswer>("GET", at(id, "/status"), { signal }),
      staleTime: 0,
    },
    queryClient,
  );
}

export type DiffAnswer =
  | {
      outcome: "available";
      files: DiffFile[];
      initialPatches: DiffPatch[];
      mergeBaseRef: string | null;
      shortstat: string;
      truncated: boolean;
    }
  | WorkspaceUnavailable;

function queryOf(target: DiffTarget): Query {
  const { type, ...more } = target;
  return { target: type, ...more };
}

/** The files that differ, with the patches that are small enough to come along. */
export function useDiffFiles(id: string, target: DiffTarget): UseQueryResult<DiffAnswer> {
  return useQuery(
    {
      queryKey: [...keyOf(id), "diff", target],
      queryFn: ({ signal }) => api<DiffAnswer>("GET", at(id, "/diff-files"), { query: queryOf(target), signal }),
      staleTime: 0,
    },
    queryClient,
  );
}

/** The patch of one file, for those that did not come with the list. */
export function useDiffPatch(
  id: string,
  target: DiffTarget,
  path: string,
  { enabled }: { enabled: boolean },
): UseQueryResult<DiffPatch | null> {
  return useQuery(
    {
      queryKey: [...keyOf(id), "diff", target, path],
      queryFn: async ({ signal }) => {
        const answer = await api<{ outcome: "available"; patches: DiffPatch[] } | WorkspaceUnavailable>("POST", at(id, "/diff-patch"), {
          body: { paths: [path], target },
          signal,
        });
        return answer.outcome === "available" ? (answer.patches[0] ?? null) : null;
      },
      enabled,
    },
    queryClient,
  );
}

/** Null: there is none, or nothing says. Without an id nobody is asked. */
export function usePullRequestState(id: string | null): { isLoading: boolean; pullRequest: PullRequest | null } {
  const { data, isLoading } = useQuery(
    {
      queryKey: [...keyOf(id ?? ""), "pull-request"],
      queryFn: ({ signal }) =>
        api<{ outcome: "available"; pullRequest: PullRequest } | { outcome: "absent" | "unavailable" }>("GET", at(id!, "/pull-request"), {
          signal,
        }),
      retry: false,
      // The machine keeps an answer as long.
      staleTime: 60_000,
      enabled: id !== null,
    },
    queryClient,
  );
  return { isLoading, pullRequest: data?.outcome === "available" ? data.pullRequest : null };
}

export const usePullRequest = (id: string): PullRequest | null => usePullRequestState(id).pullRequest;

/** What people call one. */
export const environmentName = ({ branchName, name, path, id }: Environment): string => name ?? branchName ?? path ?? id;

const kStates: Partial<Record<Environment["status"], string>> = {
  creating: "Being made",
  provisioning: "Being prepared",
  error: "Failed",
  destroyed: "Removed",
};

/** Its state in words; null for one that is there to be worked in. */
export function environmentState({ status, lifecycle }: Environment): string | null {
  if (lifecycle.phase !== "active") {
    return lifecycle.phase === "retiring" ? "Goes soon" : "Being removed";
  }
  return kStates[status] ?? null;
}

async function changing<T>(id: string, request: Promise<T>): Promise<T> {
  try {
    return await request;
  } finally {
    // The service announces changes too; what is on screen does not wait for that.
    refreshEnvironment(id);
    void queryClient.invalidateQueries({ queryKey: kListKey });
  }
}

/** Asks for everything of one again that is on screen. */
export function refreshEnvironment(id: string): void {
  void queryClient.invalidateQueries({ queryKey: keyOf(id) });
}

/** Commits everything; answers with a sentence for people. Without a message the thread's title is it. */
export async function commitAll(id: string, message: string): Promise<string> {
  const body = message.trim() === "" ? {} : { message: message.trim() };
  return (await changing(id, api<{ message: string }>("POST", at(id, "/commit"), { body }))).message;
}

/** Starts its removal; a worktree with work that is nowhere else is kept. */
export async function removeEnvironment(id: string): Promise<void> {
  await changing(id, api("DELETE", at(id)));
}

/** Null takes its name away: then it is called as its branch. */
export async function renameEnvironment(id: string, name: string | null): Promise<void> {
  await changing(id, api("PATCH", at(id), { body: { name } }));
}

/** Puts every thread that works there into the archive. */
export async function archiveThreadsOf(id: string): Promise<void> {
  await changing(id, api("POST", at(id, "/archive-threads"), { body: {} }));
  void queryClient.invalidateQueries({ queryKey: ["threads"] });
}
