import { useMemo, useSyncExternalStore } from "react";

import type { PluginSidebarSplitPane, PluginSidebarThreadPullRequestState, PluginSidebarThreadSplit } from "#sdk/app/sidebar.js";

import { usePullRequestState } from "@/api/environments";
import { navigation, useRouteContext } from "@/lib/navigation";
import { useIsCompact } from "@/lib/viewport";
import { split, useShownSplit, useSplitRoom } from "@/plugins/split";
import { useMount } from "./mount";
import { useThreadLists } from "./threads_data";

/** Pixels before a press becomes a drag: a click must stay a click. */
const kThreshold = 6;
const kArea = "[data-split-area]";
const kNoProps = Object.freeze({});

/** What a place in the content means for what is dropped there: beside the page, or in its place; null outside. */
export function dropAt(
  x: number,
  y: number,
  area: { left: number; top: number; width: number; height: number },
): "beside" | "instead" | null {
  if (x < area.left || y < area.top || x > area.left + area.width || y > area.top + area.height) {
    return null;
  }
  const across = (x - area.left) / area.width;
  return across > 1 / 3 && across < 2 / 3 ? "instead" : "beside";
}

/** Shows where the thread would go. */
function showLanding(landing: HTMLElement, area: DOMRect, drop: ReturnType<typeof dropAt>): void {
  const left = drop === "beside" ? area.left + area.width / 2 : area.left;
  Object.assign(landing.style, {
    display: drop === null ? "none" : "block",
    left: `${left}px`,
    top: `${area.top}px`,
    width: `${area.left + area.width - left}px`,
    height: `${area.height}px`,
  });
}

/** The row must not be opened as well. The click of a press comes right after its end, if at all; a later one is another. */
function refuseItsClick(): void {
  const refusing = new AbortController();
  const { signal } = refusing;
  const stop = () => setTimeout(() => refusing.abort());
  window.addEventListener("click", (event) => event.preventDefault(), { capture: true, signal });
  window.addEventListener("pointerup", stop, { signal });
  window.addEventListener("pointercancel", stop, { signal });
}

/** From a press on a row until it is let go over the content; Escape ends it. */
function startDrag(threadId: string, from: { clientX: number; clientY: number }): void {
  const area = document.querySelector(kArea);
  if (area === null) {
    return;
  }
  let landing: HTMLElement | null = null;
  let drop: ReturnType<typeof dropAt> = null;
  const listening = new AbortController();
  const { signal } = listening;
  const end = () => {
    listening.abort();
    landing?.remove();
  };
  const onMove = ({ clientX, clientY }: PointerEvent) => {
    if (landing === null) {
      if (Math.hypot(clientX - from.clientX, clientY - from.clientY) < kThreshold) {
        return;
      }
      landing = document.createElement("div");
      landing.dataset.splitLanding = "";
      landing.className = "pointer-events-none fixed z-50 rounded-md border-2 border-primary bg-surface-selected opacity-60";
      document.body.append(landing);
      refuseItsClick();
    }
    const box = area.getBoundingClientRect();
    drop = dropAt(clientX, clientY, box);
    showLanding(landing, box, drop);
  };
  const onUp = () => {
    end();
    if (drop === "beside") {
      split.openThread(threadId);
    } else if (drop === "instead") {
      navigation.toThread(threadId);
    }
  };
  window.addEventListener("pointermove", onMove, { signal });
  window.addEventListener("pointerup", onUp, { signal });
  window.addEventListener("pointercancel", end, { signal });
  window.addEventListener("dragstart", (event) => event.preventDefault(), { signal });
  window.addEventListener("keydown", ({ key }) => key === "Escape" && end(), { signal });
}

function followFocus(changed: () => void): () => void {
  document.addEventListener("focusin", changed);
  return () => document.removeEventListener("focusin", changed);
}

const isFocusInSplit = (): boolean => (document.activeElement ?? null)?.closest("[data-split]") !== null;

/** `experimental_useSidebarThreadSplit()`. */
export function useThreadSplit(threadId: string): PluginSidebarThreadSplit {
  useMount("experimental_useSidebarThreadSplit");
  const isCompact = useIsCompact();
  const { threads } = useThreadLists();
  const { threadId: pageThread } = useRouteContext();
  const shown = useShownSplit(isCompact);
  const room = useSplitRoom();
  const inSplit = useSyncExternalStore(followFocus, isFocusInSplit);
  const isAvailable = !isCompact && threads.some(({ id }) => id === threadId);
  const splitThread = shown !== null && "threadId" in shown.page ? shown.page.threadId : null;
  const isMember = shown !== null && (pageThread === threadId || splitThread === threadId);
  const border = shown === null || room === 0 ? 1 : (room - shown.width) / room;
  return useMemo(() => {
    const pane = (paneId: string, of: string | null, x: number, width: number): PluginSidebarSplitPane => ({
      paneId,
      rect: { x, y: 0, width, height: 1 },
      isMe: of === threadId,
      isFocused: inSplit === (paneId === "split"),
    });
    return {
      splitProps: isAvailable
        ? {
            onPointerDown: (event: unknown) => {
              const press = event as { button?: number; pointerType?: string; clientX: number; clientY: number };
              // Touch scrolls.
              if (press.button === 0 && press.pointerType !== "touch") {
                startDrag(threadId, { clientX: press.clientX, clientY: press.clientY });
              }
            },
          }
        : kNoProps,
      isAvailable,
      layout: isMember ? { panes: [pane("page", pageThread, 0, border), pane("split", splitThread, border, 1 - border)] } : null,
    };
  }, [threadId, isAvailable, isMember, pageThread, splitThread, border, inSplit]);
}

/** `experimental_useSidebarThreadPullRequest()`: rows of one environment ask once. */
export function useThreadPullRequest(threadId: string): PluginSidebarThreadPullRequestState {
  useMount("experimental_useSidebarThreadPullRequest");
  const { threads } = useThreadLists();
  const environment = threads.find(({ id }) => id === threadId)?.environment;
  // Without a branch there is nothing that one could be of.
  const { isLoading, pullRequest } = usePullRequestState(environment?.branchName == null ? null : environment.id);
  return useMemo(() => {
    if (pullRequest === null) {
      return { isLoading, pullRequest };
    }
    const { number, title, url, state, attention } = pullRequest;
    return { isLoading, pullRequest: { number, title, url, state, attention } };
  }, [isLoading, pullRequest]);
}
