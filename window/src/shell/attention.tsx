import { useEffect, useRef } from "react";

import type { PluginSidebarThread } from "#sdk/app/sidebar.js";

import { realtime } from "@/api/realtime";
import { navigation, routeContextNow } from "@/lib/navigation";
import { notify, recordNotification } from "@/lib/notifications";
import { useThreadLists } from "@/sdk_app/threads_data";
import { type AttentionEvent, attentionEvents, attentionOf } from "@/threads/attention";
import { panelSurface } from "@/plugins/right_panel";
import { split } from "@/plugins/split";
import { openThreadFile } from "@/plugins/thread_file";
import { attentionCount } from "./attention_count";
import { showSystemNotification } from "./system_notifications";

const isOnScreen = (threadId: string) => !document.hidden && (routeContextNow().threadId === threadId || split.showsThread(threadId));

function tell({ threadId, kind, text }: AttentionEvent): void {
  const open = () => navigation.toThread(threadId);
  const entry = { title: text, action: { label: "Open", run: open } };
  if (kind === "done") {
    // Good news waits in the notification centre, where it covers nothing.
    recordNotification({ ...entry, kind: "success" });
  } else {
    notify({ ...entry, kind: kind === "failed" ? "error" : "info" });
  }
  showSystemNotification(text, `thread ${threadId}`, open);
}

/** Shows nothing itself: it keeps the number of threads that want somebody, and tells when one begins to. */
export function Attention() {
  const { status, threads } = useThreadLists();
  const before = useRef<readonly PluginSidebarThread[] | null>(null);
  useEffect(() => {
    if (status !== "ready") {
      return;
    }
    attentionCount.set(threads.filter((thread) => attentionOf(thread) !== null).length);
    attentionEvents(before.current ?? [], threads)
      .filter(({ threadId }) => !isOnScreen(threadId))
      .forEach(tell);
    before.current = threads;
  }, [status, threads]);
  useEffect(
    () =>
      realtime.onThreadOpen(({ threadId, file }) => {
        navigation.toThread(threadId);
        if (file !== null) {
          openThreadFile(panelSurface(`thread:${threadId}`, "threadPanelActions"), threadId, file);
        }
      }),
    [],
  );
  return null;
}
