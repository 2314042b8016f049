import { keepPreviousData, queryOptions, useQuery, type UseQueryResult } from "@tanstack/react-query";

import type { PathEntry } from "#sdk/sdk_calls.js";
import type { DirectoryEntry } from "#sdk/sdk_machines.js";

import { ApiError } from "@/lib/api_error";

import { api } from "./http";
import { queryClient, queryKeys } from "./queries";

export type { DirectoryEntry, PathEntry };

export interface Directory {
  /** Absolute. */
  directory: string;
  parent: string | null;
  entries: DirectoryEntry[];
}

/** What a search answers at most. */
const kFound = 500;
/** Milliseconds that the address of a preview holds, and until another one is asked for. */
const kPreviewTtlMs = 60 * 60_000;
const kPreviewFreshMs = kPreviewTtlMs / 2;

/** A folder of a machine; null is the home of its user. */
export const directoryQuery = (hostId: string, path: string | null) =>
  queryOptions({
    queryKey: queryKeys.directory(hostId, path),
    queryFn: ({ signal }) =>
      api<Directory>("GET", `/hosts/${encodeURIComponent(hostId)}/directory`, { query: { path: path ?? undefined }, signal }),
    // Nothing says when a folder changes: it is read again when it is shown again.
    staleTime: 0,
  });

export function useDirectory(hostId: string, path: string | null, { enabled = true } = {}): UseQueryResult<Directory> {
  return useQuery({ ...directoryQuery(hostId, path), enabled });
}

/** Whether a machine has answered that there is no such file or folder. What machines refuse is an error of theirs, with its code inside. */
export function isMissing(error: unknown): boolean {
  if (!(error instanceof ApiError)) {
    return false;
  }
  const details = error.details as { code?: unknown } | null | undefined;
  return error.code === "not_found" || details?.code === "not_found";
}

export interface FoundPaths {
  /** Best match first; `path` is relative to the folder, `positions` are characters of it. */
  paths: PathEntry[];
  truncated: boolean;
}

/** What lies below a folder and matches; nothing is asked for while `query` is empty. */
export function useFoundPaths(hostId: string, path: string, query: string): UseQueryResult<FoundPaths> {
  return useQuery({
    queryKey: queryKeys.foundPaths(hostId, path, query),
    queryFn: ({ signal }) =>
      api<FoundPaths>("POST", "/files/list-paths", {
        body: { hostId, path, query, limit: kFound, includeFiles: true, includeDirectories: true },
        signal,
      }),
    enabled: query !== "",
    placeholderData: keepPreviousData,
  });
}

/** Where the bytes of the files in a folder can be read for a while. */
export const filePreviewQuery = (hostId: string, folder: string) =>
  queryOptions({
    queryKey: queryKeys.filePreview(hostId, folder),
    queryFn: ({ signal }) =>
      api<{ baseUrl: string; expiresAtMs: number }>("POST", "/files/create-preview", {
        body: { hostId, rootPath: folder, ttlMs: kPreviewTtlMs },
        signal,
      }),
    staleTime: kPreviewFreshMs,
  });

/** Reads the folders of a machine again that are on screen. */
export function invalidateDirectories(hostId: string): void {
  void queryClient.invalidateQueries({ queryKey: queryKeys.directories(hostId) });
}

async function changing(hostId: string, route: string, body: object): Promise<void> {
  try {
    await api("POST", route, { body: { hostId, ...body } });
  } finally {
    invalidateDirectories(hostId);
  }
}

export const makeFolder = (hostId: string, path: string) => changing(hostId, "/files/mkdir", { path });
/** An existing destination is `conflict`. */
export const movePath = (hostId: string, sourcePath: string, destinationPath: string) =>
  changing(hostId, "/files/move", { sourcePath, destinationPath });
/** A folder goes with all that is in it only where `isFolder` says that this is meant. */
export const removePath = (hostId: string, path: string, isFolder: boolean) =>
  changing(hostId, "/files/remove", { path, ...(isFolder ? { recursive: true } : {}) });

/** Which of some absolute paths a machine has. */
export async function pathsExist(hostId: string, paths: string[]): Promise<Record<string, boolean>> {
  const route = `/hosts/${encodeURIComponent(hostId)}/paths-exist`;
  return (await api<{ existence: Record<string, boolean> }>("POST", route, { body: { paths } })).existence;
}

/** A folder for a project's checkout on a machine. */
export async function cloneDefaultPath(hostId: string, projectId: string, signal?: AbortSignal): Promise<string> {
  const route = `/hosts/${encodeURIComponent(hostId)}/clone-default-path`;
  return (await api<{ path: string }>("GET", route, { query: { projectId }, ...(signal === undefined ? {} : { signal }) })).path;
}
