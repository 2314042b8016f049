import { useQuery, type UseQueryResult } from "@tanstack/react-query";

import type { ThreadSection } from "#sdk/records.js";

import { createFollower, useFollow } from "./follow";
import { api } from "./http";
import { hasRecords, queryClient } from "./queries";

export type { ThreadSection } from "#sdk/records.js";

const kKey = ["thread-sections"] as const;
// Sections are announced as another order of the threads.
const follower = createFollower({ kind: "thread-list" }, kKey, { isMine: (changes) => changes.includes("order-changed") });

/** The sections that threads are put into by hand; none where the service has no threads. Followed while the component is mounted. */
export function useThreadSections(): UseQueryResult<ThreadSection[]> {
  useFollow(follower);
  return useQuery(
    {
      queryKey: kKey,
      queryFn: async ({ signal }) =>
        (await hasRecords("threads"))
          ? (await api<{ threadSections: ThreadSection[] }>("GET", "/thread-sections", { signal })).threadSections
          : [],
    },
    queryClient,
  );
}

async function changing<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } finally {
    // The service announces changes too; what is on screen does not wait for that.
    void queryClient.invalidateQueries({ queryKey: kKey });
    void queryClient.invalidateQueries({ queryKey: ["threads"] });
  }
}

const at = (id: string) => `/thread-sections/${encodeURIComponent(id)}`;

export async function createSection(name: string): Promise<ThreadSection> {
  return (await changing(api<{ threadSection: ThreadSection }>("POST", "/thread-sections", { body: { name } }))).threadSection;
}

export async function renameSection(id: string, name: string): Promise<void> {
  await changing(api("PATCH", at(id), { body: { name } }));
}

/** Its threads stay, in no section. */
export async function deleteSection(id: string): Promise<void> {
  await changing(api("DELETE", at(id)));
}

/** Null takes the thread out of its section. */
export async function moveToSection(threadId: string, sectionId: string | null): Promise<void> {
  await changing(api("PATCH", `/threads/${encodeURIComponent(threadId)}`, { body: { sectionId } }));
}

/** Puts a pinned thread between two that are neighbours; null is the beginning or the end. */
export async function reorderPinned(threadId: string, previousThreadId: string | null, nextThreadId: string | null): Promise<void> {
  await changing(api("POST", "/threads/reorder-pinned", { body: { threadId, previousThreadId, nextThreadId } }));
}
