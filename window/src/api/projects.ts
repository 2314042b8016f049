import { queryOptions, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useMemo } from "react";

import type { Project, ProjectSource } from "#sdk/records.js";

import { url } from "@/lib/address";
import { createFollower, useFollow } from "./follow";
import { api } from "./http";
import { queryClient, queryKeys } from "./queries";
import { realtime as windowRealtime, type Realtime } from "./realtime";

export type { Project, ProjectSource } from "#sdk/records.js";

/** The project of everything that belongs to no other one. */
export const kPersonalProjectId = "proj_personal";

/** A folder of a machine, as a project is made of it. */
export interface Place {
  hostId: string;
  path: string;
}

const at = (projectId: string, sourceId?: string) =>
  `/projects/${encodeURIComponent(projectId)}${sourceId === undefined ? "" : `/sources/${encodeURIComponent(sourceId)}`}`;
const sourceOf = ({ hostId, path }: Place) => ({ type: "local_path", hostId, path });

/** Where the bytes of an attachment are. */
export const attachmentAddress = (projectId: string, path: string): string =>
  url(`/api/v1${at(projectId)}/attachments/content?path=${encodeURIComponent(path)}`);

/** The list of the sidebar has the same key. */
export const projectsQuery = queryOptions({
  queryKey: queryKeys.projects,
  queryFn: async ({ signal }) => (await api<{ projects: Project[] }>("GET", "/projects", { signal })).projects,
});

/** All projects in their order, without the personal one. `enabled: false` shows what was fetched already. */
export function useProjects({ enabled = true }: { enabled?: boolean } = {}): UseQueryResult<Project[]> {
  return useQuery({ ...projectsQuery, enabled }, queryClient);
}

/** Keeps projects on screen true while the component is mounted. */
export function useFollowProjects(realtime: Realtime = windowRealtime): void {
  useFollow(useMemo(() => createFollower({ kind: "project-list" }, queryKeys.projects, { realtime }), [realtime]));
}

/** The folder as its machine calls it; asked for only while there is a path. */
export function useFolder({ hostId, path }: Place): UseQueryResult<string> {
  return useQuery({
    queryKey: ["folder", hostId, path],
    queryFn: async ({ signal }) =>
      (
        await api<{ directory: string }>("GET", `/hosts/${encodeURIComponent(hostId)}/directory?path=${encodeURIComponent(path)}`, {
          signal,
        })
      ).directory,
    enabled: hostId !== "" && path !== "",
    // What is there now is what counts.
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
}

async function changing<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } finally {
    // The service announces changes too; what is on screen does not wait for that.
    void queryClient.invalidateQueries({ queryKey: queryKeys.projects });
  }
}

export async function createProject(name: string, place: Place): Promise<Project> {
  return (await changing(api<{ project: Project }>("POST", "/projects", { body: { name, source: sourceOf(place) } }))).project;
}

export async function renameProject(id: string, name: string): Promise<void> {
  await changing(api("PATCH", at(id), { body: { name } }));
}

/** Its attachments go with it, its folders stay. */
export async function deleteProject(id: string): Promise<void> {
  await changing(api("DELETE", at(id)));
}

/** Puts it between two that are neighbours; null is the beginning or the end. */
export async function reorderProject(projectId: string, previousProjectId: string | null, nextProjectId: string | null): Promise<void> {
  await changing(api("POST", "/projects/reorder", { body: { projectId, previousProjectId, nextProjectId } }));
}

export async function addSource(projectId: string, place: Place): Promise<void> {
  await changing(api("POST", `${at(projectId)}/sources`, { body: sourceOf(place) }));
}

export async function changeSource(source: ProjectSource, change: { path?: string; isDefault?: true }): Promise<void> {
  await changing(api("PATCH", at(source.projectId, source.id), { body: { type: "local_path", ...change } }));
}

export async function removeSource(source: ProjectSource): Promise<void> {
  await changing(api("DELETE", at(source.projectId, source.id)));
}
