import { act } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";

import type { Thread } from "#sdk/records.js";
import { queryClient } from "@/api/queries";
import { clearNotifications, notificationsNow } from "@/lib/notifications";
import { writePreference } from "@/lib/preferences";
import { split } from "@/plugins/split";
import { sidebarThreadOf } from "@/sdk_app/thread_records";
import { Attention } from "@/shell/attention";
import { attentionCount } from "@/shell/attention_count";
import { usePageTitle } from "@/shell/page_title";
import { kSystemNotifications } from "@/shell/system_notifications";
import { attentionEvents, attentionOf } from "@/threads/attention";

import { FakeService } from "../plugins_pages/fake_service";
import { renderAt, resetWindow } from "../shell/fixtures";
import { threadRecord } from "./fixtures";

const shown = (change: Parameters<typeof threadRecord>[0]) => sidebarThreadOf(threadRecord(change), []);

afterEach(() => {
  resetWindow();
  clearNotifications();
  attentionCount.set(0);
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe("attention", () => {
  it("is wanted by questions and by what was not read, not by what works or lies in the archive", () => {
    expect(attentionOf(shown({ hasPendingInteraction: true }))).toBe("asks");
    expect(attentionOf(shown({ latestAttentionAt: 5, status: "error" }))).toBe("failed");
    expect(attentionOf(shown({ latestAttentionAt: 5 }))).toBe("done");
    expect(attentionOf(shown({ latestAttentionAt: 5, status: "active" }))).toBeNull();
    expect(attentionOf(shown({ latestAttentionAt: 5, archivedAt: 9 }))).toBeNull();
    expect(attentionOf(shown({}))).toBeNull();
  });

  it("begins when something came of a thread, not when it is marked as unread or seen for the first time", () => {
    const before = [shown({}), shown({ id: "t2", latestAttentionAt: 7, lastReadAt: 7 })];
    const after = [
      shown({ latestAttentionAt: 5 }),
      shown({ id: "t2", latestAttentionAt: 7, lastReadAt: null }),
      shown({ id: "t3", latestAttentionAt: 9 }),
    ];
    expect(attentionEvents(before, after)).toEqual([{ threadId: "t1", kind: "done", text: "“A thread” is done" }]);
  });
});

function Titled() {
  usePageTitle("Plugins");
  return <Attention />;
}

async function show(path: string) {
  const unread = threadRecord({ id: "t2", title: "Paint", latestAttentionAt: 4 });
  let threads: Thread[] = [threadRecord(), unread];
  new FakeService()
    .on("GET /system/config", () => ({ records: ["threads", "projects"] }))
    .on("GET /threads", () => ({ threads }))
    .on("GET /projects", () => ({ projects: [] }))
    .on("GET /hosts", () => ({ hosts: [] }))
    .install();
  renderAt(path, <Titled />);
  await vi.waitFor(() => expect(document.title).toBe("(1) Plugins · svc"));
  /** Resolves when the window shows as many. */
  return async (next: Thread, count: number) => {
    threads = [next, unread];
    await act(() => queryClient.invalidateQueries({ queryKey: ["threads"] }));
    await vi.waitFor(() => expect(document.title).toBe(`(${count}) Plugins · svc`));
  };
}

const asking = (latestAttentionAt: number) => threadRecord({ hasPendingInteraction: true, latestAttentionAt });

describe("the window", () => {
  it("has the number in its title and tells of what begins, once, and of nothing that was there before", async () => {
    const change = await show("/plugins");
    expect(notificationsNow()).toEqual([]);
    await change(asking(8), 2);
    await change(asking(8), 2);
    expect(notificationsNow().map(({ title }) => title)).toEqual(["“A thread” waits for your answer"]);
    await change(threadRecord(), 1);
  });

  it("does not tell of the thread that is on screen", async () => {
    const change = await show("/threads/t1");
    await change(asking(8), 2);
    expect(notificationsNow()).toEqual([]);
  });

  it("does not tell of one that stands in the split", async () => {
    const change = await show("/plugins");
    act(() => split.openThread("t1"));
    await change(asking(8), 2);
    expect(notificationsNow()).toEqual([]);
    act(() => split.close());
  });

  it("tells the system only while it is not in front, and only where somebody wants that", async () => {
    const told: string[] = [];
    class FakeNotification {
      static readonly permission = "granted";
      constructor(text: string) {
        told.push(text);
      }
    }
    vi.stubGlobal("Notification", FakeNotification);
    vi.stubGlobal("isSecureContext", true);
    const hidden = vi.spyOn(document, "hidden", "get").mockReturnValue(false);
    const change = await show("/plugins");
    await change(asking(8), 2);
    await change(threadRecord(), 1);
    hidden.mockReturnValue(true);
    await change(asking(9), 2);
    await change(threadRecord(), 1);
    expect(told).toEqual([]);
    writePreference(kSystemNotifications, true);
    await change(asking(10), 2);
    expect(told).toEqual(["“A thread” waits for your answer"]);
  });
});
