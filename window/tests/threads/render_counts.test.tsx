import { act, cleanup, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import type { Timeline, TimelineRow } from "#sdk/records.js";
import type { ChangedMessage } from "@/api/realtime";
import { createStore } from "@/lib/store";
import { createUnfolded, type ThreadView, ThreadViewContext } from "@/threads/thread_view";
import { TimelineList } from "@/threads/timeline_list";
import { TimelineStore } from "@/threads/timeline_store";

import { pretendLayout } from "../setup/layout";
import { assistantRow, commandRow, timelineOf, userRow } from "./fake_timeline";

const counts = vi.hoisted(() => new Map<string, number>());

// What is counted is how often rows are asked to render, before their own memory of what they have drawn.
const counted = vi.hoisted(() => ({ row, text }: { row: { id: string }; text?: unknown }) => {
  counts.set(row.id, (counts.get(row.id) ?? 0) + 1);
  return `${row.id} ${String(text ?? "")}`;
});
vi.mock("@/threads/message_row", () => ({ AssistantRowView: counted, UserRowView: counted }));
vi.mock("@/threads/work_row", () => ({ WorkRowView: counted }));

let tell: (message: ChangedMessage) => void;
let page: Timeline;

beforeEach(() => {
  counts.clear();
  pretendLayout();
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

async function show(rows: TimelineRow[]) {
  page = timelineOf(rows);
  const store = new TimelineStore("t1", {
    fetch: async () => page,
    realtime: { watch: (_target, listener) => ((tell = listener), () => undefined), onConnected: () => () => undefined },
  });
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
  render(
    <ThreadViewContext value={view}>
      <TimelineList />
    </ThreadViewContext>,
  );
  await screen.findByText(/^u1/);
  counts.clear();
  return store;
}

const frame = (deltas: object[], seq = page.maxSeq) =>
  act(() =>
    tell({
      type: "changed",
      target: { kind: "thread-detail", threadId: "t1" },
      changes: ["events-appended"],
      metadata: { fromSeq: seq, throughSeq: seq, deltas },
    } as unknown as ChangedMessage),
  );

const kRows = [
  userRow("u1", 1, "Hello"),
  commandRow("c1", 2, "", { status: "completed", sourceSeqEnd: 3 }),
  assistantRow("a1", 4, "Done.", { sourceSeqEnd: 5 }),
  userRow("u2", 6, "Again"),
  commandRow("c2", 7, ""),
  assistantRow("a2", 8, ""),
];

it("renders one row for a delta, once, and no other", async () => {
  await show(kRows);
  const said = ["The ", "door ", "is ", "blue."];
  let offset = 0;
  for (const text of said) {
    frame([{ itemId: "i-a2", field: "text", offset, text }]);
    offset += text.length;
  }
  expect(Object.fromEntries(counts)).toEqual({ a2: said.length });
  expect(screen.getByText("a2 The door is blue.")).toBeTruthy();
});

it("renders each row once for a frame, however many deltas are in it", async () => {
  await show(kRows);
  frame([
    { itemId: "i-a2", field: "text", offset: 0, text: "a" },
    { itemId: "i-c2", field: "output", offset: 0, text: "line\n" },
    { itemId: "i-a2", field: "text", offset: 1, text: "b" },
  ]);
  expect(Object.fromEntries(counts)).toEqual({ a2: 1, c2: 1 });
});

it("renders nothing for what it has already, or for rows that are scrolled away", async () => {
  const many = Array.from({ length: 400 }, (_, index) => commandRow(`r${index}`, 10 + index, ""));
  await show([...kRows, ...many]);
  frame([{ itemId: "i-c2", field: "output", offset: 0, text: "far away" }], 409);
  expect(Object.fromEntries(counts)).toEqual({ c2: 1 });
  counts.clear();
  frame([{ itemId: "i-r399", field: "output", offset: 0, text: "out of view" }], 409);
  frame([{ itemId: "i-c2", field: "output", offset: 0, text: "far" }], 409);
  expect(Object.fromEntries(counts)).toEqual({});
});
