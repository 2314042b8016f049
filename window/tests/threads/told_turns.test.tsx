import { act, cleanup, render, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";

import type { Thread, Timeline, TimelineRow } from "#sdk/records.js";
import { queryClient } from "@/api/queries";
import type { ChangedMessage } from "@/api/realtime";
import { createStore } from "@/lib/store";
import { createUnfolded, type ThreadView, ThreadViewContext } from "@/threads/thread_view";
import { TimelineStore } from "@/threads/timeline_store";
import { beginningOf, ToldTurns } from "@/threads/told_turns";

import { FakeService } from "../plugins_pages/fake_service";
import { assistantRow, commandRow, rowBase, timelineOf, userRow } from "./fake_timeline";
import { threadRecord } from "./fixtures";

let page: Timeline;
let tell: (message: ChangedMessage) => void;

afterEach(() => {
  cleanup();
  queryClient.clear();
  vi.unstubAllGlobals();
});

const kIdle = threadRecord();
const kActive = threadRecord({ status: "active", displayStatus: "active" });
const kFirst = [userRow("u1", 1, "Hello"), assistantRow("a1", 2, "Hi.", { sourceSeqEnd: 3 })];
const turn = (status: string): TimelineRow =>
  ({
    ...rowBase("t2", 5),
    turnId: "n",
    kind: "turn",
    status,
    summaryCount: 1,
    stepCount: 1,
    completedAt: 2,
    children: null,
  }) as TimelineRow;

async function show(rows: TimelineRow[], thread: Thread) {
  page = timelineOf(rows);
  const store = new TimelineStore("t1", {
    fetch: async () => page,
    realtime: { watch: (_target, listener) => ((tell = listener), () => undefined), onConnected: () => () => undefined },
  });
  const stop = store.follow();
  const view: ThreadView = {
    threadId: "t1",
    projectId: null,
    surface: { projectId: null, threadId: "t1" },
    store,
    list: { current: null },
    unfolded: createUnfolded(),
    sought: createStore<number | null>(null),
    renderRow: () => null,
    extraActions: [],
  };
  const tree = (record: Thread) => (
    <ThreadViewContext value={view}>
      <ToldTurns thread={record} />
    </ThreadViewContext>
  );
  const { rerender } = render(tree(thread));
  await waitFor(() => expect(store.snapshot().status).toBe("ready"));
  return {
    stop,
    becomes: async (next: TimelineRow[], record: Thread) => {
      page = timelineOf(next);
      act(() =>
        tell({
          type: "changed",
          target: { kind: "thread-detail", threadId: "t1" },
          changes: ["events-appended"],
          metadata: { fromSeq: page.maxSeq, throughSeq: page.maxSeq, deltas: [] },
        } as unknown as ChangedMessage),
      );
      await waitFor(() => expect(store.snapshot().order).toHaveLength(next.length));
      rerender(tree(record));
    },
  };
}

const said = () => [screen.getByRole("status").textContent, screen.getByRole("alert").textContent];
const kAsked = [...kFirst, userRow("u2", 4, "And now?")];

it("tells the answer when the turn is over, not what was there before nor what streams", async () => {
  const { becomes, stop } = await show(kFirst, kIdle);
  await becomes([...kAsked, assistantRow("a2", 5, "First, ", { sourceSeqEnd: 6 }), commandRow("c2", 7, "")], kActive);
  expect(said()).toEqual(["", ""]);
  await becomes([...kAsked, turn("completed"), assistantRow("a3", 8, "# **Blue**\n\nas `ever`.", { sourceSeqEnd: 9 })], kIdle);
  await waitFor(() => expect(said()).toEqual(["The agent answered: Blue as ever.", ""]));
  stop();
});

it("tells that a turn failed, and why, at once", async () => {
  new FakeService()
    .on("GET /threads/t1/events", () => ({
      events: [{ type: "turn/completed", data: { turnId: "n", status: "failed", error: { code: "agent_error", message: "No more." } } }],
    }))
    .install();
  const { becomes, stop } = await show(kFirst, kActive);
  await becomes([...kAsked, turn("error")], threadRecord({ status: "error", displayStatus: "error" }));
  await waitFor(() => expect(said()).toEqual(["", "The turn failed: The agent gave up. No more."]));
  stop();
});

it("tells the beginning of a long answer only", () => {
  const told = beginningOf("word ".repeat(5_000));
  expect(told.length).toBeLessThan(170);
  expect(told.endsWith("word…")).toBe(true);
  expect(beginningOf("short")).toBe("short");
});
