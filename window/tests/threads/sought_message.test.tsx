import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { QueryClientProvider } from "@tanstack/react-query";
import { MemoryRouter } from "react-router";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { queryClient } from "@/api/queries";
import { Conversation } from "@/threads/conversation";
import { TooltipProvider } from "@/ui/tooltip";

import { FakeService, Refusal } from "../plugins_pages/fake_service";
import { pretendLayout } from "../setup/layout";
import { assistantRow, FakeTimeline, timelineOf, userRow } from "./fake_timeline";
import { threadRecord } from "./fixtures";

const kTurns = 500;

let service: FakeService;
let timeline: FakeTimeline;

beforeEach(() => {
  sessionStorage.clear();
  timeline = new FakeTimeline(20);
  for (let turn = 1; turn <= kTurns; turn += 1) {
    timeline.ask(`question ${turn}`);
  }
  const thread = threadRecord();
  service = new FakeService()
    .on("GET /threads/t1", () => ({ thread }))
    .on("GET /threads/t1/timeline", ({ query }) => {
      const { beforeAnchorSeq, ...more } = Object.fromEntries(query);
      return timeline.answer(beforeAnchorSeq === undefined ? more : { ...more, beforeAnchorSeq: Number(beforeAnchorSeq) });
    })
    .on("GET /threads/t1/interactions", () => ({ interactions: [] }))
    .on("GET /threads/t1/queued-messages", () => ({ queuedMessages: [] }))
    .on("GET /threads/t1/default-execution-options", () => ({ options: null }))
    .on("GET /system/config", () => ({ records: ["threads"] }))
    .install();
  pretendLayout();
});
afterEach(() => {
  cleanup();
  queryClient.clear();
  vi.restoreAllMocks();
});

const shown = (at?: number) => (
  <QueryClientProvider client={queryClient}>
    <MemoryRouter>
      <TooltipProvider>
        <Conversation threadId="t1" surface={{ projectId: "p1", threadId: "t1" }} at={at} />
      </TooltipProvider>
    </MemoryRouter>
  </QueryClientProvider>
);

const marked = () => document.querySelector("[data-by-key]")?.getAttribute("data-svc-conversation-message-id");
const older = () => service.requests.filter(({ query }) => query.has("beforeAnchorSeq"));
const toEnd = () => screen.queryByRole("button", { name: "To the end" });

describe("a message that somebody is led to", () => {
  it("is shown from among the latest without another request", async () => {
    render(shown(kTurns - 3));
    await waitFor(() => expect(marked()).toBe(`u${kTurns - 3}`));
    expect(document.activeElement?.textContent).toContain(`question ${kTurns - 3}`);
    expect(older()).toEqual([]);
    expect(toEnd()).not.toBeNull();
  });

  it("is looked for in the largest pages, and leaves the way to the end", async () => {
    let go = (): void => undefined;
    const held = new Promise<void>((resolve) => (go = resolve));
    const answer = ({ query }: { query: URLSearchParams }) =>
      timeline.answer({ ...Object.fromEntries(query), beforeAnchorSeq: Number(query.get("beforeAnchorSeq")) });
    service.on("GET /threads/t1/timeline", async (request) => {
      if (!request.query.has("beforeAnchorSeq")) {
        return timeline.answer({});
      }
      await held;
      return answer(request);
    });
    render(shown(2));
    expect(await screen.findByText("Looking for the message…")).toBeTruthy();
    go();
    await waitFor(() => expect(marked()).toBe("u2"));
    expect(screen.queryByText("Looking for the message…")).toBeNull();
    expect(older().map(({ query }) => query.get("segmentLimit"))).toEqual(["200", "200", "200"]);
    await userEvent.click(toEnd()!);
    await waitFor(() => expect(toEnd()).toBeNull());
  });

  it("stays where it is at the end, too, until somebody scrolls there or asks for the end", async () => {
    const { rerender } = render(shown(kTurns));
    await waitFor(() => expect(marked()).toBe(`u${kTurns}`));
    const list = screen.getByRole("region", { name: "Messages" });
    const scrollToEnd = () => {
      list.scrollTop = list.scrollHeight - list.clientHeight;
      fireEvent.scroll(list);
    };
    scrollToEnd();
    expect(toEnd()).not.toBeNull();
    fireEvent.wheel(list, { deltaY: 10 });
    scrollToEnd();
    expect(toEnd()).toBeNull();
    rerender(shown(kTurns - 1));
    await waitFor(() => expect(toEnd()).not.toBeNull());
    // As assistive technology does it.
    fireEvent.click(toEnd()!);
    scrollToEnd();
    expect(toEnd()).toBeNull();
  });

  it("may be another one of the same thread later", async () => {
    const { rerender } = render(shown(kTurns));
    await waitFor(() => expect(marked()).toBe(`u${kTurns}`));
    rerender(shown(kTurns - 10));
    await waitFor(() => expect(marked()).toBe(`u${kTurns - 10}`));
  });

  it("does not take the focus from what is being written", async () => {
    const { rerender } = render(shown());
    await userEvent.type(await screen.findByRole("textbox", { name: "Message" }), "half");
    rerender(shown(kTurns - 10));
    await waitFor(() => expect(toEnd()).not.toBeNull());
    expect(marked()).toBeUndefined();
    expect(document.activeElement).toBe(screen.getByRole("textbox", { name: "Message" }));
  });

  it("that is gone leaves the end, and none is asked for that cannot have it", async () => {
    const olderCursor = { anchorSeq: 5, anchorId: "u5" };
    const page = { kind: "latest", segmentLimit: 20, returnedSegmentCount: 1, hasOlderRows: true, olderCursor } as const;
    service.on("GET /threads/t1/timeline", ({ query }) =>
      query.has("beforeAnchorSeq")
        ? timelineOf([userRow("u1", 1, "The first"), userRow("u4", 4, "The fourth")])
        : timelineOf([userRow("u5", 5, "The fifth")], { hasOlderRows: true, timelinePage: page }),
    );
    const { rerender } = render(shown(50));
    await screen.findByText("The fifth");
    expect(older()).toEqual([]);
    rerender(shown(2));
    await screen.findByText("The first");
    expect(older()).toHaveLength(1);
    await waitFor(() => expect(screen.queryByText("Looking for the message…")).toBeNull());
    expect(screen.queryByText("The thread may not be up to date")).toBeNull();
    expect([marked(), toEnd()]).toEqual([undefined, null]);
  });

  it("that is not fetched is told as any page that is not", async () => {
    service.on("GET /threads/t1/timeline", ({ query }) => {
      if (query.has("beforeAnchorSeq")) {
        throw new Refusal(500, "internal", "not now");
      }
      return timeline.answer({});
    });
    render(shown(1));
    expect(await screen.findByText("The thread may not be up to date")).toBeTruthy();
    expect(screen.queryByText("Looking for the message…")).toBeNull();
    expect(older()).toHaveLength(1);
  });

  it("is shown within the turn that folds it", async () => {
    const folded = assistantRow("a1", 3, "The folded one", { sourceSeqEnd: 4 });
    const turn = {
      ...{ id: "turn", threadId: "t1", turnId: "x", sourceSeqStart: 2, sourceSeqEnd: 9, startedAt: 1, createdAt: 1, completedAt: 2 },
      ...({ kind: "turn", status: "completed", summaryCount: 1, children: null } as const),
    };
    const last = assistantRow("a2", 7, "The last one", { sourceSeqEnd: 8 });
    service
      .on("GET /threads/t1/timeline", () => timelineOf([userRow("u", 1, "Hello"), turn, last]))
      .on("GET /threads/t1/timeline/turns/x", () => ({ rows: [folded], olderSeqEnd: null }));
    const { rerender } = render(shown(4));
    await waitFor(() => expect(marked()).toBe("a1"));
    rerender(shown(8));
    await waitFor(() => expect(marked()).toBe("a2"));
  });
});
