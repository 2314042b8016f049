import { cleanup, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { QueryClientProvider } from "@tanstack/react-query";
import { MemoryRouter } from "react-router";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { QueuedMessage, Thread, TimelineRow } from "#sdk/records.js";
import { queryClient } from "@/api/queries";
import { bindRouter } from "@/lib/navigation";
import { threadName } from "@/sdk_app/thread_records";
import { Conversation } from "@/threads/conversation";
import { waitText } from "@/threads/queue";
import { threadNotice } from "@/threads/thread_state";
import { usageText } from "@/threads/timeline_status";
import { TooltipProvider } from "@/ui/tooltip";

import { FakeService } from "../plugins_pages/fake_service";
import { pretendLayout } from "../setup/layout";
import { assistantRow, rowBase, timelineOf, userRow } from "./fake_timeline";
import { threadRecord } from "./fixtures";

let service: FakeService;
let thread: Thread;

beforeEach(() => {
  sessionStorage.clear();
  thread = threadRecord();
  service = new FakeService()
    .on("GET /threads/t1", () => ({ thread }))
    .on("GET /threads/t1/timeline", () => timelineOf([userRow("u", 1, "Hello"), assistantRow("a", 2, "Hi there", { sourceSeqEnd: 3 })]))
    .on("GET /threads/t1/interactions", () => ({ interactions: [] }))
    .on("GET /threads/t1/queued-messages", () => ({ queuedMessages: [] }))
    .on("GET /threads/t1/default-execution-options", () => ({ options: null }))
    .on("GET /threads/t1/prompt-history", () => ({
      entries: [
        { id: "2", createdAt: 2, input: [{ type: "text", text: "second" }] },
        { id: "1", createdAt: 1, input: [{ type: "text", text: "first" }] },
      ],
    }))
    .on("GET /system/config", () => ({ records: ["threads"] }))
    .on("POST /threads/t1/send", () => ({ outcome: "started", turnRequestId: "r", queuedMessageId: null }))
    .on("POST /threads/t1/stop", () => ({ thread }))
    .on("POST /threads/t1/retry", () => ({ queuedMessageId: "q", attempt: 2 }))
    .install();
  pretendLayout();
});
afterEach(() => {
  cleanup();
  queryClient.clear();
  vi.restoreAllMocks();
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

const field = () => screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Message" });

describe("Conversation", () => {
  it("shows what was said, and sends what is written", async () => {
    show();
    expect(await screen.findByText("Hi there")).toBeTruthy();
    await userEvent.type(await field(), "Go on{Enter}");
    await waitFor(() =>
      expect(service.bodies("POST /threads/t1/send")).toEqual([{ input: [{ type: "text", text: "Go on" }], mode: "auto" }]),
    );
    expect((await field()).value).toBe("");
  });

  it("goes through what was sent before, and back to the draft", async () => {
    show();
    const text = await field();
    await userEvent.click(text);
    await userEvent.keyboard("{ArrowUp}");
    await waitFor(() => expect(text.value).toBe("second"));
    await userEvent.keyboard("{Home}{ArrowUp}");
    await waitFor(() => expect(text.value).toBe("first"));
    await userEvent.keyboard("{End}{ArrowDown}");
    await waitFor(() => expect(text.value).toBe("second"));
  });

  it("can stop an agent that works", async () => {
    thread = threadRecord({ status: "active", displayStatus: "active" });
    show();
    await userEvent.click(await screen.findByRole("button", { name: "Stop the agent" }));
    expect(service.bodies("POST /threads/t1/stop")).toEqual([{}]);
  });

  it("offers another try after a failure that no row tells", async () => {
    thread = threadRecord({ status: "error", displayStatus: "error" });
    show();
    await userEvent.click(await screen.findByRole("button", { name: "Retry" }));
    expect(service.bodies("POST /threads/t1/retry")).toEqual([{ turnRequestId: null }]);
  });

  const kAsked = {
    id: "i",
    threadId: "t1",
    status: "pending",
    createdAt: 1,
    expiresAt: null,
    resolution: null,
    statusReason: null,
    origin: { kind: "provider" },
    payload: {
      kind: "approval",
      subject: { kind: "tool_use", itemId: "x", toolName: "rm", title: "Remove" },
      reason: null,
      availableDecisions: ["deny"],
    },
  };

  it("does not say that the agent starts once the agent asks", async () => {
    thread = threadRecord({ status: "starting", displayStatus: "starting" });
    show();
    expect(await screen.findByText("The agent starts")).toBeTruthy();
    service.on("GET /threads/t1/interactions", () => ({ interactions: [kAsked] }));
    await queryClient.invalidateQueries({ queryKey: ["thread", "t1", "interactions"] });
    expect(await screen.findByRole("heading", { name: "Use this tool?" })).toBeTruthy();
    expect(screen.queryByText("The agent starts")).toBeNull();
  });

  it("of a fork leads from its first line to what was said before", async () => {
    thread = threadRecord({ originKind: "fork", sourceThreadId: "t0", title: null });
    const operation = (id: string, seq: number, title: string) =>
      ({
        ...rowBase(id, seq),
        kind: "system",
        systemKind: "operation",
        operationKind: "generic",
        title,
        detail: null,
        status: "completed",
      }) as TimelineRow;
    service.on("GET /threads/t1/timeline", () => timelineOf([operation("o", 1, "Goes on from “Hello”"), operation("p", 2, "Another")]));
    show();
    expect(await screen.findByText("Goes on from “Hello”")).toBeTruthy();
    expect(screen.getAllByRole("link", { name: "Show what was said before" }).map((link) => link.getAttribute("href"))).toEqual([
      "/threads/t0",
    ]);
    expect(threadName(thread)).toBe("Fork of Hello");
    expect(threadName({ ...thread, title: "Mine" })).toBe("Mine");
  });

  it("says that a thread is not there", async () => {
    const { Refusal } = await import("../plugins_pages/fake_service");
    service.on("GET /threads/t1", () => {
      throw new Refusal(404, "not_found", "no such thread");
    });
    show();
    expect(await screen.findByText("This thread is not here")).toBeTruthy();
  });
});

describe("a thread that is deleted while it is shown", () => {
  it("is not shown any more, and says so", async () => {
    show();
    await screen.findByText("Hi there");
    const { Refusal } = await import("../plugins_pages/fake_service");
    service.on("GET /threads/t1", () => {
      throw new Refusal(404, "not_found", "no such thread");
    });
    await queryClient.invalidateQueries({ queryKey: ["thread", "t1", "record"] });
    expect(await screen.findByText("This thread has been deleted")).toBeTruthy();
    expect(screen.queryByRole("textbox")).toBeNull();
    expect(screen.getByRole("button", { name: "All threads" })).toBeTruthy();
  });

  it("gives what was being written in it, for another thread", async () => {
    show();
    await userEvent.type(await field(), "an hour of writing");
    const { Refusal } = await import("../plugins_pages/fake_service");
    service.on("GET /threads/t1", () => {
      throw new Refusal(404, "not_found", "no such thread");
    });
    await queryClient.invalidateQueries({ queryKey: ["thread", "t1", "record"] });
    const kept = await screen.findByRole<HTMLTextAreaElement>("textbox", { name: "What you had written here" });
    expect(kept.value).toBe("an hour of writing");
    expect(document.activeElement).toBe(kept);
    const navigate = vi.fn();
    bindRouter({ state: { location: { pathname: "/threads/t1", search: "", hash: "" } }, navigate });
    await userEvent.click(screen.getByRole("button", { name: "Start a new thread with it" }));
    expect(navigate).toHaveBeenCalledWith("/", { state: { compose: { initialPrompt: "an hour of writing", focusPrompt: true } } });
    expect(sessionStorage.getItem("svc.draft.thread.t1")).toBeNull();
  });
});

const kAgent = { displayName: "Robot", available: true, unavailableReason: null };

describe("states of a thread", () => {
  const notice = (more: Parameters<typeof threadRecord>[0], of: Partial<Parameters<typeof threadNotice>[1]> = {}) =>
    threadNotice(threadRecord(more), { now: 1000, agent: kAgent, ...of })?.title;

  it("are said in words", () => {
    expect(notice({})).toBeUndefined();
    expect(notice({}, { agent: undefined })).toBeUndefined();
    expect(notice({}, { agent: null })).toBe("The agent “agent” is gone");
    expect(notice({}, { agent: { ...kAgent, available: false, unavailableReason: "not signed in" } })).toBe("Robot cannot be used now");
    expect(notice({ status: "active", displayStatus: "active" }, { agent: null })).toBeUndefined();
    expect(notice({}, { isMachineGone: true })).toBe("The machine of this thread was removed");
    expect(notice({ status: "active", displayStatus: "active" }, { isMachineGone: true })).toBeUndefined();
    expect(notice({ deletedAt: 1 })).toBe("This thread is deleted");
    expect(notice({ archivedAt: 1 })).toBe("This thread is archived");
    const titles = (["pending", "starting", "provisioning", "stopping", "error", "waiting-for-host", "active"] as const).map(
      (displayStatus) => notice({ displayStatus }),
    );
    expect(titles).toEqual([
      "The first message waits",
      "The agent starts",
      "The workspace is being prepared",
      "The agent is being stopped",
      "The last turn failed",
      "The machine is not connected",
      undefined,
    ]);
  });

  it("name the step that is under way before the agent begins", () => {
    const thread = threadRecord({ status: "starting", displayStatus: "provisioning" });
    const said = threadNotice(thread, { now: 1000, agent: kAgent, step: "Waiting for another agent of the machine" });
    expect(said).toMatchObject({ title: "The agent has not begun yet", text: "Waiting for another agent of the machine" });
  });

  it("count down while a machine is away", () => {
    const away = threadRecord({ displayStatus: "host-reconnecting", grace: 31_000 });
    expect(threadNotice(away, { now: 1000, agent: kAgent })?.text).toContain("within 30 s");
  });
});

describe("a message that somebody has sent", () => {
  it("lays a very long message out piece by piece", async () => {
    const text = `${"x".repeat(31_999)}😀${"y".repeat(50_000)}`;
    service.on("GET /threads/t1/timeline", () => timelineOf([userRow("u", 1, text)]));
    show();
    const message = await screen.findByRole("article", { name: "Your message" });
    expect(message.textContent).toContain(`${"x".repeat(31_999)}…`);
    expect(message.textContent).not.toContain("y");
    await userEvent.click(screen.getByRole("button", { name: /^Show more: .* are left$/ }));
    expect(message.textContent).toContain(`😀${"y".repeat(31_999)}`);
    await userEvent.click(screen.getByRole("button", { name: /^Show more/ }));
    expect(message.textContent).toContain("y".repeat(50_000));
    expect(screen.queryByRole("button", { name: /^Show more/ })).toBeNull();
  });
});

describe("a thread that waits before its agent begins", () => {
  it("says for what", async () => {
    thread = threadRecord({ status: "starting", displayStatus: "provisioning" });
    const step = {
      ...rowBase("p", 2),
      kind: "system",
      systemKind: "operation",
      operationKind: "thread-provisioning",
      title: "Preparing the environment",
      detail: "Created\nWaiting for another agent of the machine",
      status: "pending",
      completedAt: null,
    } as TimelineRow;
    service.on("GET /threads/t1/timeline", () => timelineOf([userRow("u", 1, "Hello"), step]));
    show();
    expect(await screen.findByText("Waiting for another agent of the machine")).toBeTruthy();
    expect(screen.getByText("The agent has not begun yet")).toBeTruthy();
  });
});

describe("a thread whose machine is not known any more", () => {
  it("says that it was removed, and one whose machine is there does not", async () => {
    thread = threadRecord({ environmentHostId: "host_1" });
    let hosts = [{ id: "host_1", name: "laptop" }];
    service.on("GET /hosts", () => ({ hosts }));
    show();
    await waitFor(() => expect(service.requests.some(({ path }) => path === "/hosts")).toBe(true));
    expect(screen.queryByText("The machine of this thread was removed")).toBeNull();
    hosts = [];
    await queryClient.invalidateQueries({ queryKey: ["hosts"] });
    expect(await screen.findByText("The machine of this thread was removed")).toBeTruthy();
  });
});

describe("what waits and what is used", () => {
  it("is said in words", () => {
    const queued = (more: object) => waitText({ waitingOn: null, sendAt: null, payload: { kind: "inline" }, ...more } as QueuedMessage);
    expect(queued({ waitingOn: { kind: "plugin", pluginId: "gate", reason: "budget" } })).toBe("Held by gate: budget");
    expect(queued({ waitingOn: { kind: "interaction" } })).toBe("Waits for your answer");
    expect(queued({ payload: { kind: "retry", attempt: 2 } })).toBe("Attempt 2 is next");
    expect(usageText({ usedTokens: 50_000, modelContextWindow: 200_000, estimated: true })).toBe(
      "about 50,000 tokens, 25 % of the context",
    );
    expect(usageText({ usedTokens: null, modelContextWindow: 1, estimated: false })).toBeNull();
    expect(usageText({ usedTokens: 5, modelContextWindow: 0, estimated: false })).toBe("5 tokens");
    expect(usageText({ usedTokens: -1, modelContextWindow: 100, estimated: false })).toBeNull();
  });
});
