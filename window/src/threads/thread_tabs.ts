import { useEffect } from "react";

import type { ThreadTab } from "#sdk/sdk_threads.js";

import { type Realtime, realtime as windowRealtime } from "@/api/realtime";
import { fetchThreadTabs, saveThreadTabs } from "@/api/threads";
import { ApiError } from "@/lib/api_error";
import { isSameList } from "@/lib/store";
import type { PanelSurface, PanelTab } from "@/plugins/right_panel";

import { recordOf, shownTab } from "./panel_tabs";

interface Followed {
  readonly threadId: string;
  /** Where the thread works; null while it does nowhere. */
  readonly environmentId: string | null;
  readonly surface: PanelSurface;
  /** Whether tabs open a panel that nobody has touched: where there is room for it. */
  readonly opens: boolean;
  readonly realtime?: Realtime;
}

interface Merged {
  readonly records: readonly ThreadTab[];
  readonly tabs: readonly PanelTab[];
}

const idsOf = (tabs: readonly PanelTab[]) => tabs.map(({ id }) => id);

/** What the service has, without what was closed here since, and with what was opened here since. */
function merged(records: readonly ThreadTab[], { threadId, environmentId, surface }: Followed): Merged {
  const { tabs: open, taken } = surface.state();
  const beside = { threadId, environmentId };
  const shown = records.map((record) => ({ record, tab: shownTab(record, beside) }));
  const isClosed = (tab: PanelTab | undefined) => tab !== undefined && taken.includes(tab.id) && !open.some(({ id }) => id === tab.id);
  const kept = shown.filter(({ tab }) => !isClosed(tab));
  const isNew = ({ id }: PanelTab) => !taken.includes(id) && !shown.some(({ tab }) => tab?.id === id);
  const added = open.filter(isNew).flatMap((tab) => {
    const record = recordOf(tab, beside);
    return record === undefined ? [] : [{ record, tab }];
  });
  const all = [...kept, ...added];
  const unknown = open.filter((tab) => recordOf(tab, beside) === undefined);
  const tabs = new Map([...all.flatMap(({ tab }) => tab ?? []), ...unknown].map((tab) => [tab.id, tab]));
  return { records: all.map(({ record }) => record), tabs: [...tabs.values()] };
}

/**
 * Keeps the tabs beside a thread and those that the service has for it the same, until the returned function is called. What the service
 * does not take, such as too many, stays in this window.
 */
export function followThreadTabs(followed: Followed): () => void {
  const { threadId, surface, realtime = windowRealtime } = followed;
  const leave = new AbortController();
  let isRunning = false;
  let isWanted = false;

  async function once(): Promise<void> {
    const { revision, tabs: records } = await fetchThreadTabs(threadId, leave.signal);
    const next = merged(records, followed);
    const before = surface.state().tabs;
    if (!isSameList(next.records, records)) {
      await saveThreadTabs(threadId, revision, next.records);
    }
    if (leave.signal.aborted) {
      return;
    }
    if (surface.state().tabs === before) {
      surface.take(next.tabs, followed.opens);
    } else {
      // Something was opened or closed meanwhile.
      surface.setTaken(idsOf(next.tabs));
      isWanted = true;
    }
  }

  async function run(): Promise<void> {
    isWanted = true;
    if (isRunning) {
      return;
    }
    isRunning = true;
    while (isWanted && !leave.signal.aborted) {
      isWanted = false;
      try {
        await once();
      } catch (failure) {
        // Somebody else was faster; of anything else the next change tries again.
        isWanted = failure instanceof ApiError && failure.status === 409;
      }
    }
    isRunning = false;
  }

  const stops = [
    realtime.watch({ kind: "thread-detail", threadId }, ({ changes }) => {
      if (changes.includes("tabs-changed")) {
        void run();
      }
    }),
    realtime.onConnected((isReconnect) => {
      if (isReconnect) {
        void run();
      }
    }),
    surface.subscribe(() => {
      const { tabs, taken } = surface.state();
      if (!isSameList(idsOf(tabs), taken)) {
        void run();
      }
    }),
  ];
  void run();
  return () => {
    leave.abort();
    stops.forEach((stop) => stop());
  };
}

/** `followThreadTabs` while the page of the thread is shown and the thread is known. */
export function useThreadTabs({ threadId, environmentId, surface, opens }: Omit<Followed, "realtime">, isKnown: boolean): void {
  useEffect(
    () => (isKnown ? followThreadTabs({ threadId, environmentId, surface, opens }) : undefined),
    [threadId, environmentId, surface, opens, isKnown],
  );
}
