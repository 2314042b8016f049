import { cleanup, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { QueryClientProvider } from "@tanstack/react-query";
import { MemoryRouter } from "react-router";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { TimelineRow } from "#sdk/records.js";
import { queryClient } from "@/api/queries";
import { Conversation } from "@/threads/conversation";
import { canRetry } from "@/threads/thread_state";
import { failureText } from "@/threads/turn_failure_text";
import { TooltipProvider } from "@/ui/tooltip";

import { FakeService } from "../plugins_pages/fake_service";
import { pretendLayout } from "../setup/layout";
import { assistantRow, rowBase, timelineOf, userRow } from "./fake_timeline";
import { threadRecord } from "./fixtures";

let service: FakeService;
let rows: TimelineRow[];

const turn = (id: string, seq: number, more: object = {}): TimelineRow => ({
  ...rowBase(id, seq),
  kind: "turn",
  status: "error",
  summaryCount: 1,
  completedAt: 2,
  children: null,
  ...more,
});
const errorRow = (id: string, seq: number, detail: string): TimelineRow =>
  ({ ...rowBase(id, seq), kind: "system", systemKind: "error", title: "The turn failed", detail, status: null }) as TimelineRow;
const setupRow = (id: string, seq: number, detail: string): TimelineRow =>
  ({
    ...rowBase(id, seq),
    kind: "system",
    systemKind: "operation",
    operationKind: "thread-provisioning",
    title: "Preparing the environment",
    detail,
    status: "error",
    completedAt: 2,
  }) as TimelineRow;
const event = (type: string, data: object) => ({
  id: type,
  seq: 2,
  threadId: "t1",
  type,
  scope: { kind: "thread" },
  data,
  createdAt: 1,
});

beforeEach(() => {
  service = new FakeService()
    .on("GET /threads/t1", () => ({ thread: threadRecord({ status: "error", displayStatus: "error" }) }))
    .on("GET /threads/t1/timeline", () => timelineOf(rows))
    .on("GET /threads/t1/interactions", () => ({ interactions: [] }))
    .on("GET /threads/t1/queued-messages", () => ({ queuedMessages: [] }))
    .on("GET /threads/t1/default-execution-options", () => ({ options: null }))
    .on("GET /system/config", () => ({ records: ["threads"] }))
    .on("POST /threads/t1/retry", () => ({ queuedMessageId: "q", attempt: 2 }))
    .install();
  pretendLayout();
});
afterEach(() => {
  cleanup();
  queryClient.clear();
});

function show() {
  render(
    <QueryClientProvider client={queryClient}>
      <MemoryRouter>
        <TooltipProvider>
          <Conversation threadId="t1" surface={{ projectId: "p1", threadId: "t1" }} />
        </TooltipProvider>
      </MemoryRouter>
    </QueryClientProvider>,
  );
}

describe("A turn that failed", () => {
  it("before it began says why in the conversation, and is tried again there", async () => {
    rows = [userRow("u", 1, "Hello"), turn("turn:u", 2, { status: "interrupted", summaryCount: 1, stepCount: 0 })];
    service.on("GET /threads/t1/events", ({ query }) => {
      expect(Object.fromEntries(query)).toMatchObject({ afterSeq: "1", types: "client/turn/rejected,turn/completed" });
      return { events: [event("client/turn/rejected", { requestId: "u", reason: "unauthorized", message: "run the login first" })] };
    });
    show();
    expect(await screen.findByText("The agent wants somebody to sign in")).toBeTruthy();
    expect(screen.getByText("run the login first")).toBeTruthy();
    expect(screen.getByText(/When somebody has, try again/)).toBeTruthy();
    expect(screen.queryByText("The last turn failed")).toBeNull();
    // The only thing it folds is what is said already.
    expect(screen.queryByRole("button", { name: /step/ })).toBeNull();
    expect(screen.queryByText("Stopped")).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "Retry" }));
    expect(service.bodies("POST /threads/t1/retry")).toEqual([{ turnRequestId: null }]);
  });

  it("after it began says what its end in the log says, not that of an agent within it", async () => {
    rows = [userRow("u", 1, "Hello"), turn("turn:u", 2, { turnId: "n", summaryCount: 3 })];
    service.on("GET /threads/t1/events", () => ({
      events: [
        event("turn/completed", { turnId: "inner", parentToolCallId: "c", status: "failed", error: { message: "inner" } }),
        event("turn/completed", { turnId: "n", status: "failed", error: { message: "out of memory" } }),
      ],
    }));
    show();
    expect(await screen.findByText("out of memory")).toBeTruthy();
    expect(screen.getByRole("button", { name: /3 steps/ })).toBeTruthy();
    expect(screen.queryByText("inner")).toBeNull();
  });

  it("is told below the last thing that the agent said", async () => {
    rows = [
      userRow("u", 1, "Hello"),
      turn("turn:u", 2, { turnId: "n" }),
      assistantRow("a", 3, "About to die", { sourceSeqEnd: 4 }),
      userRow("v", 6, "Again"),
    ];
    service.on("GET /threads/t1/events", () => ({
      events: [event("turn/completed", { turnId: "n", status: "failed", error: { message: "ended by signal 11" } })],
    }));
    show();
    const why = await screen.findByText("ended by signal 11");
    const before = (first: Node, second: Node) =>
      (first.compareDocumentPosition(second) & Node.DOCUMENT_POSITION_FOLLOWING) === Node.DOCUMENT_POSITION_FOLLOWING;
    expect(before(screen.getByText("About to die"), why)).toBe(true);
    expect(before(why, screen.getByText("Again"))).toBe(true);
    expect(screen.getAllByText("ended by signal 11")).toHaveLength(1);
  });

  it("is said once where the service has a row for it", async () => {
    rows = [userRow("u", 1, "Hello"), turn("turn:u", 2, { turnId: "n" }), errorRow("e", 3, "out of memory")];
    show();
    expect(await screen.findByText("out of memory")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Retry" })).toBeTruthy();
    expect(screen.queryByText("The last turn failed")).toBeNull();
    expect(service.requests.some(({ path }) => path.endsWith("/events"))).toBe(false);
  });

  it("is told above the composer where nothing in the log says why", async () => {
    rows = [userRow("u", 1, "Hello"), turn("turn:u", 2, { turnId: "n" })];
    service.on("GET /threads/t1/events", () => ({ events: [] }));
    show();
    expect(await screen.findByText("The last turn failed")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Retry" }));
    expect(service.bodies("POST /threads/t1/retry")).toEqual([{ turnRequestId: null }]);
  });

  it("is not tried again from where the thread has gone on", async () => {
    rows = [userRow("u", 1, "Hello"), turn("turn:u", 2), userRow("v", 4, "Again"), assistantRow("a", 5, "Well", { sourceSeqEnd: 6 })];
    service.on("GET /threads/t1/events", () => ({
      events: [event("client/turn/rejected", { reason: "host_unavailable", message: "gone" })],
    }));
    show();
    expect(await screen.findByText("The machine could not be reached")).toBeTruthy();
    expect(within(screen.getByLabelText("Messages")).queryByRole("button", { name: "Retry" })).toBeNull();
    expect(screen.queryByText(/then try again/)).toBeNull();
  });

  it("shows what it folds though it has no id, from the page that ends with it", async () => {
    rows = [userRow("u", 1, "Hello"), turn("turn:u", 2, { summaryCount: 2 }), userRow("v", 4, "Again")];
    service
      .on("GET /threads/t1/events", () => ({
        events: [event("client/turn/rejected", { reason: "host_error", message: "the script failed" })],
      }))
      .on("GET /threads/t1/timeline", ({ query }) =>
        query.get("includeNestedRows") === null
          ? timelineOf(rows)
          : timelineOf([
              userRow("u", 1, "Hello"),
              turn("turn:u", 2, { children: [setupRow("p", 2, "npm: not found"), errorRow("e", 3, "failed")] }),
            ]),
      );
    show();
    await userEvent.click(await screen.findByRole("button", { name: /2 steps/ }));
    await userEvent.click(await screen.findByRole("button", { name: /Preparing the environment/ }));
    expect(await screen.findByText("npm: not found")).toBeTruthy();
    expect(screen.queryByText("failed")).toBeNull();
    const asked = service.requests.find(({ query }) => query.get("includeNestedRows") !== null)!;
    expect(Object.fromEntries(asked.query)).toEqual({
      includeNestedRows: "true",
      segmentLimit: "1",
      beforeAnchorSeq: "4",
      beforeAnchorId: "v",
    });
  });

  it("is not a failure when somebody stopped it", async () => {
    rows = [userRow("u", 1, "Hello"), turn("turn:u", 2, { turnId: "n", status: "interrupted" })];
    service.on("GET /threads/t1/events", () => ({
      events: [event("turn/completed", { status: "interrupted", error: { code: "thread-stopped", message: "the turn was stopped" } })],
    }));
    show();
    await screen.findByRole("button", { name: /1 step/ });
    await waitFor(() => expect(screen.queryByText("Asking why this ended…")).toBeNull());
    expect(screen.queryByText("the turn was stopped")).toBeNull();
  });
});

describe("A turn that was interrupted", () => {
  const interrupted = (code: string, message: string) =>
    service
      .on("GET /threads/t1", () => ({ thread: threadRecord() }))
      .on("GET /threads/t1/events", () => ({ events: [event("turn/completed", { status: "interrupted", error: { code, message } })] }));

  it.each(["server-restarted", "host-daemon-restarted", "host-lost"])("by %s says what stays, and is tried again there", async (code) => {
    rows = [
      userRow("u", 1, "Hello"),
      turn("turn:u", 2, { turnId: "n", status: "interrupted" }),
      assistantRow("a", 3, "Half of", { sourceSeqEnd: 4 }),
    ];
    interrupted(code, "it ended in between");
    show();
    expect(await screen.findByText("it ended in between")).toBeTruthy();
    expect(screen.getByText(/What was said stays. Retry sends the message again.$/)).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Retry" }));
    expect(service.bodies("POST /threads/t1/retry")).toEqual([{ turnRequestId: null }]);
  });

  it("is not tried again from where the thread has gone on", async () => {
    rows = [
      userRow("u", 1, "Hello"),
      turn("turn:u", 2, { turnId: "n", status: "interrupted" }),
      userRow("v", 4, "Again"),
      turn("turn:v", 5, { turnId: "m", status: "completed" }),
    ];
    interrupted("host-lost", "it ended in between");
    show();
    expect(await screen.findByText("it ended in between")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Retry" })).toBeNull();
  });
});

describe("Another try of the last turn", () => {
  const kIdle = { status: "idle" } as const;

  it("is there for every end but a good one, while nothing else is under way", () => {
    expect(canRetry(threadRecord({ status: "error" }), null)).toBe(true);
    expect(canRetry(threadRecord({ status: "error" }), "error")).toBe(true);
    expect(canRetry(threadRecord(kIdle), "interrupted")).toBe(true);
    expect(canRetry(threadRecord(kIdle), "completed")).toBe(false);
    expect(canRetry(threadRecord(kIdle), null)).toBe(false);
    for (const status of ["pending", "starting", "active", "stopping"] as const) {
      expect(canRetry(threadRecord({ status }), "interrupted")).toBe(false);
    }
    expect(canRetry(threadRecord({ ...kIdle, archivedAt: 1 }), "interrupted")).toBe(false);
    expect(canRetry(threadRecord({ status: "error", deletedAt: 1 }), "error")).toBe(false);
  });
});

describe("A turn that was stopped", () => {
  beforeEach(() => void service.on("GET /threads/t1", () => ({ thread: threadRecord() })));

  it("is tried again where it ends, below what was said", async () => {
    rows = [
      userRow("u", 1, "Hello"),
      turn("turn:u", 2, { turnId: "n", status: "interrupted" }),
      assistantRow("a", 3, "Half of", { sourceSeqEnd: 4 }),
    ];
    service.on("GET /threads/t1/events", () => ({
      events: [event("turn/completed", { status: "interrupted", error: { code: "thread-stopped", message: "the turn was stopped" } })],
    }));
    show();
    await userEvent.click(await screen.findByRole("button", { name: "Retry" }));
    expect(service.bodies("POST /threads/t1/retry")).toEqual([{ turnRequestId: null }]);
    expect(screen.queryByText("the turn was stopped")).toBeNull();
  });

  it("before the agent saw it is tried again as well", async () => {
    rows = [userRow("u", 1, "Hello"), turn("turn:u", 2, { status: "interrupted", summaryCount: 0 })];
    service.on("GET /threads/t1/events", () => ({
      events: [event("client/turn/rejected", { reason: "thread-stopped", message: "stopped" })],
    }));
    show();
    expect(await screen.findByText("Stopped")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Retry" })).toBeTruthy();
  });

  it("is told so where its end has no reason", async () => {
    rows = [userRow("u", 1, "Hello"), turn("turn:u", 2, { turnId: "n", status: "interrupted", summaryCount: 0 })];
    service.on("GET /threads/t1/events", () => ({ events: [event("turn/completed", { status: "interrupted" })] }));
    show();
    expect(await screen.findByText("Stopped")).toBeTruthy();
  });

  it("before its first step says so, and counts none", async () => {
    rows = [userRow("u", 1, "Hello"), turn("turn:u", 2, { turnId: "n", status: "interrupted", summaryCount: 0 })];
    service.on("GET /threads/t1/events", () => ({
      events: [event("turn/completed", { status: "interrupted", error: { code: "thread-stopped", message: "the turn was stopped" } })],
    }));
    show();
    expect(await screen.findByText("Stopped")).toBeTruthy();
    expect(screen.queryByRole("button", { name: /step/ })).toBeNull();
  });
});

describe("What a failure says", () => {
  it("of an answer that became too long does not send anybody two ways", () => {
    const said = failureText({ code: "max_tokens", message: "ask it to go on" }, { hasBegun: true });
    expect(said).toMatchObject({ title: "The answer became too long", text: "ask it to go on" });
    expect(said.next).toBe("What it said so far is kept. Trying again asks the same from the beginning.");
  });

  it("is the service's words where the code is not known", () => {
    expect(failureText({ code: "odd", message: "" }, { hasBegun: true })).toMatchObject({
      title: "The agent could not finish",
      text: "The service says only: odd.",
    });
    expect(failureText({ code: null, message: "no" }, { hasBegun: false })).toMatchObject({ title: "The message was not run", text: "no" });
  });
});
