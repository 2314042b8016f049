import { useEffect, useRef, useSyncExternalStore } from "react";

import type { PluginSidebarThread } from "#sdk/app/sidebar.js";

import { markRead } from "@/api/threads";

function subscribeVisibility(listener: () => void): () => void {
  document.addEventListener("visibilitychange", listener);
  return () => document.removeEventListener("visibilitychange", listener);
}

/** What came of a thread counts as read once it is in front of somebody; marked as unread by hand, it stays so until there is more. */
export function useReadWhileSeen(thread: PluginSidebarThread | undefined): void {
  const isSeen = useSyncExternalStore(subscribeVisibility, () => !document.hidden);
  const { id, isUnread = false, latestAttentionAt } = thread ?? {};
  const told = useRef("");
  useEffect(() => {
    const what = `${id} ${latestAttentionAt}`;
    if (id !== undefined && isSeen && told.current !== what) {
      told.current = what;
      if (isUnread) {
        void markRead(id);
      }
    }
  }, [id, isUnread, latestAttentionAt, isSeen]);
}
