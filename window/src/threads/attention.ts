import type { PluginSidebarThread } from "#sdk/app/sidebar.js";

import { threadName } from "@/sdk_app/thread_records";

/** What a person is told when it begins. */
export type AttentionKind = "asks" | "failed" | "done";

export interface AttentionEvent {
  readonly threadId: string;
  readonly kind: AttentionKind;
  /** A sentence for people. */
  readonly text: string;
}

const kTexts: Record<AttentionKind, string> = {
  asks: "waits for your answer",
  failed: "has failed",
  done: "is done",
};

/** Why a thread wants somebody; null when it does not. What works on its own wants nobody yet. */
export function attentionOf({ indicator, isArchived }: PluginSidebarThread): AttentionKind | null {
  if (isArchived) {
    return null;
  }
  switch (indicator) {
    case "waiting-for-input":
      return "asks";
    case "unread-error":
      return "failed";
    case "unread-success":
      return "done";
    default:
      return null;
  }
}

/** What has begun between two lists: another reason, or the same one again later. Threads that were not there before tell nothing. */
export function attentionEvents(before: readonly PluginSidebarThread[], after: readonly PluginSidebarThread[]): AttentionEvent[] {
  const known = new Map(before.map((thread) => [thread.id, thread]));
  return after.flatMap((thread): AttentionEvent[] => {
    const kind = attentionOf(thread);
    const old = known.get(thread.id);
    // Somebody who marks a thread as unread needs not be told.
    const isNew = old !== undefined && thread.latestAttentionAt > old.latestAttentionAt;
    return kind === null || !isNew ? [] : [{ threadId: thread.id, kind, text: `“${threadName(thread)}” ${kTexts[kind]}` }];
  });
}
