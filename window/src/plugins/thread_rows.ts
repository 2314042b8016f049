import { useCallback } from "react";

import type { PluginThreadRowStatus } from "#sdk/app/content_scripts.js";

import { createStore, isSameList, useStore } from "@/lib/store";

/** A status that a content script shows in a thread's sidebar row. */
export interface ThreadRowStatus extends PluginThreadRowStatus {
  readonly pluginId: string;
  readonly scriptId: string;
  readonly threadId: string;
}

const statuses = createStore<ReadonlyMap<string, ThreadRowStatus>>(new Map());

/** Null withdraws it. `generation` keeps the statuses of an entry apart from those of the one it replaces. */
export function setThreadRowStatus(
  { pluginId, generation, scriptId }: { pluginId: string; generation: number; scriptId: string },
  threadId: string,
  status: PluginThreadRowStatus | null,
): void {
  const key = JSON.stringify([pluginId, generation, scriptId, threadId]);
  const next = new Map(statuses.get());
  if (status === null) {
    next.delete(key);
  } else {
    next.set(key, { ...status, pluginId, scriptId, threadId });
  }
  statuses.set(next);
}

/** Statuses of one thread's row, by plugin id. */
export function useThreadRowStatuses(threadId: string): readonly ThreadRowStatus[] {
  const ofThread = useCallback(
    (all: ReadonlyMap<string, ThreadRowStatus>) =>
      [...all.values()]
        .filter((status) => status.threadId === threadId)
        .sort((a, b) => (a.pluginId < b.pluginId ? -1 : a.pluginId > b.pluginId ? 1 : 0)),
    [threadId],
  );
  return useStore(statuses, ofThread, isSameList);
}
