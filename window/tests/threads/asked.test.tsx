import { act, cleanup, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { QueryClientProvider } from "@tanstack/react-query";
import { MemoryRouter } from "react-router";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { Interaction, Thread } from "#sdk/records.js";
import { queryClient } from "@/api/queries";
import { publishPlugins } from "@/plugins/active";
import { Conversation } from "@/threads/conversation";
import { TooltipProvider } from "@/ui/tooltip";

import { activePlugin, kEmptyApp } from "../plugins/fake_plugins";
import { FakeService } from "../plugins_pages/fake_service";
import { pretendLayout } from "../setup/layout";
import { assistantRow, timelineOf, userRow } from "./fake_timeline";
import { threadRecord } from "./fixtures";

vi.mock("@/plugins/report", () => ({ sendReport: () => undefined }));

const kBase = {
  threadId: "t1",
  turnId: null,
  status: "pending",
  statusReason: null,
  createdAt: 1,
  resolvedAt: null,
  expiresAt: null,
  resolution: null,
} as const;
const approval = (id: string, title: string): Interaction => ({
  ...kBase,
  id,
  origin: { kind: "provider", providerId: "p", providerRequestId: id, providerThreadId: "s" },
  payload: {
    kind: "approval",
    subject: { kind: "tool_use", itemId: "x", toolName: "rm", title },
    reason: null,
    availableDecisions: ["allow_once", "deny"],
  },
});
const kForm: Interaction = {
  ...kBase,
  id: "f",
  origin: { kind: "plugin", pluginId: "todo", rendererId: "ask" },
  payload: { kind: "plugin", title: "Deploy now?", data: {} },
};

let service: FakeService;
let thread: Thread;
let open: Interaction[];

beforeEach(() => {
  sessionStorage.clear();
  thread = threadRecord({ status: "active", displayStatus: "active" });
  open = [];
  service = new FakeService()
    .on("GET /threads/t1", () => ({ thread }))
    .on("GET /threads/t1/timeline", () => timelineOf([userRow("u", 1, "Hello"), assistantRow("a", 2, "Hi there", { sourceSeqEnd: 3 })]))
    .on("GET /threads/t1/interactions", () => ({ interactions: open }))
    .on("GET /threads/t1/queued-messages", () => ({ queuedMessages: [] }))
    .on("GET /threads/t1/default-execution-options", () => ({ options: null }))
    .on("GET /system/config", () => ({ records: ["threads"] }))
    .on("GET /plugins", () => ({ plugins: [] }))
    .on("POST /threads/t1/send", () => ({ outcome: "queued", turnRequestId: null, queuedMessageId: "q" }))
    .on("POST /threads/t1/stop", () => ({ thread }))
    .on("POST /threads/t1/interactions/i/resolve", () => {
      open = open.filter(({ id }) => id !== "i");
      return {};
    })
    .install();
  pretendLayout();
});
afterEach(() => {
  cleanup();
  publishPlugins([]);
  queryClient.clear();
  vi.restoreAllMocks();
});

async function show() {
  render(
    <QueryClientProvider client={queryClient}>
      <MemoryRouter>
        <TooltipProvider>
          <Conversation threadId="t1" surface={{ projectId: "p1", threadId: "t1" }} />
        </TooltipProvider>
      </MemoryRouter>
    </QueryClientProvider>,
  );
  await screen.findByText("Hi there");
}

const field = () => screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
const card = () => screen.findByRole("group", { name: "Use this tool?" });

async function ask(...interactions: Interaction[]) {
  open = interactions;
  await act(() => queryClient.invalidateQueries({ queryKey: ["thread", "t1", "interactions"] }));
}

describe("What is asked in a thread", () => {
  it("stands above the composer, which keeps the draft and the focus, and still sends", async () => {
    await show();
    const text = await field();
    await userEvent.type(text, "half a");
    await ask(approval("i", "Remove"));
    const asked = await card();
    expect(asked.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
    expect(document.activeElement).toBe(text);
    await userEvent.keyboard(" thought{Enter}");
    await waitFor(() =>
      expect(service.bodies("POST /threads/t1/send")).toEqual([{ input: [{ type: "text", text: "half a thought" }], mode: "auto" }]),
    );
    // The composer's, and no second one.
    expect(screen.getAllByRole("button", { name: "Stop the agent" })).toHaveLength(1);
  });

  it("is told to whoever does not see it, and no more once it is gone", async () => {
    await show();
    await ask(approval("i", "Remove"));
    await card();
    const said = () => screen.getAllByRole("status").map(({ textContent }) => textContent);
    expect(said()).toContain("Above the message, an answer is asked for: Use this tool? Remove");
    await ask();
    await waitFor(() => expect(said().join()).not.toContain("an answer is asked for"));
  });

  it("takes the focus when nothing has it, as does the next question, and gives it to the composer at the end", async () => {
    await show();
    await field();
    await ask(approval("i", "Remove"), approval("j", "Move"));
    await waitFor(async () => expect(document.activeElement).toBe(await card()));
    await userEvent.click(screen.getByRole("button", { name: "Deny" }));
    await screen.findByText("Move");
    expect(document.activeElement).toBe(await card());
    await ask();
    const text = await field();
    await waitFor(() => expect(document.activeElement).toBe(text));
  });

  it("that somebody left for another place takes the focus from nobody when it is gone", async () => {
    await show();
    await ask(approval("i", "Remove"));
    const asked = await card();
    expect(document.activeElement).toBe(asked);
    screen.getByRole("region", { name: "Messages" }).focus();
    await ask();
    await waitFor(() => expect(asked.isConnected).toBe(false));
    expect(document.activeElement).toBe(screen.getByRole("region", { name: "Messages" }));
  });

  it("leaves an idle thread open for messages while a form waits", async () => {
    thread = threadRecord();
    await show();
    await ask(kForm);
    expect(await screen.findByRole("group", { name: "Deploy now?" })).toBeTruthy();
    await userEvent.type(await field(), "Something else{Enter}");
    await waitFor(() => expect(service.bodies("POST /threads/t1/send")).toHaveLength(1));
  });

  it("does not get what is typed in the composer, though its form takes the focus as it appears", async () => {
    publishPlugins([
      activePlugin("todo", {
        app: { ...kEmptyApp, pendingInteractions: [{ id: "ask", component: () => <input aria-label="Name" autoFocus /> }] } as never,
      }),
    ]);
    await show();
    const text = await field();
    await userEvent.type(text, "half a");
    await ask(kForm);
    const name = await screen.findByRole<HTMLInputElement>("textbox", { name: "Name" });
    await userEvent.keyboard(" thought");
    expect([text.value, name.value]).toEqual(["half a thought", ""]);
    await userEvent.tab({ shift: true });
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "Close without answering" }));
    await userEvent.tab({ shift: true });
    expect(document.activeElement).toBe(name);
  });
});
