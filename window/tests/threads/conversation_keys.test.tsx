import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { QueryClientProvider } from "@tanstack/react-query";
import { MemoryRouter } from "react-router";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { Interaction, QueuedMessage, Thread } from "#sdk/records.js";
import { queryClient } from "@/api/queries";
import { Conversation } from "@/threads/conversation";
import { messageBeside } from "@/threads/conversation_keys";
import { TooltipProvider } from "@/ui/tooltip";

import { FakeService } from "../plugins_pages/fake_service";
import { pretendLayout } from "../setup/layout";
import { assistantRow, commandRow, timelineOf, userRow } from "./fake_timeline";
import { threadRecord } from "./fixtures";

const kRows = [
  userRow("u1", 1, "Hello"),
  commandRow("c1", 2, "", { status: "completed" }),
  assistantRow("a1", 3, "Hi there", { sourceSeqEnd: 4 }),
  userRow("u2", 5, "Go on"),
  commandRow("c2", 6, ""),
];

const kAsked: Interaction = {
  id: "i",
  threadId: "t1",
  turnId: null,
  status: "pending",
  statusReason: null,
  createdAt: 1,
  resolvedAt: null,
  expiresAt: null,
  resolution: null,
  origin: { kind: "provider", providerId: "p", providerRequestId: "r", providerThreadId: "s" },
  payload: {
    kind: "approval",
    subject: { kind: "tool_use", itemId: "x", toolName: "rm", title: "Remove" },
    reason: null,
    availableDecisions: ["deny"],
  },
};

let service: FakeService;
let thread: Thread;
let interactions: Interaction[];
let queue: QueuedMessage[];

beforeEach(() => {
  sessionStorage.clear();
  thread = threadRecord({ status: "active", displayStatus: "active" });
  interactions = [];
  queue = [];
  service = new FakeService()
    .on("GET /threads/t1", () => ({ thread }))
    .on("GET /threads/t1/timeline", () => timelineOf(kRows))
    .on("GET /threads/t1/interactions", () => ({ interactions }))
    .on("GET /threads/t1/queued-messages", () => ({ queuedMessages: queue }))
    .on("GET /threads/t1/default-execution-options", () => ({ options: null }))
    .on("GET /system/config", () => ({ records: ["threads"] }))
    .on("POST /threads/t1/stop", () => ({ thread }))
    .install();
  pretendLayout();
});
afterEach(() => {
  cleanup();
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
const stops = () => service.bodies("POST /threads/t1/stop").length;
const focused = () => document.activeElement?.getAttribute("data-svc-conversation-message-id");

describe("Escape in a thread", () => {
  it("stops the agent, from what is written and from the messages", async () => {
    await show();
    await userEvent.type(await field(), "half a th{Escape}");
    expect(stops()).toBe(1);
    expect((await field()).value).toBe("half a th");
    screen.getByRole("region", { name: "Messages" }).focus();
    await userEvent.keyboard("{Escape}");
    expect(stops()).toBe(2);
  });

  it("does nothing while nobody works", async () => {
    thread = threadRecord();
    await show();
    await userEvent.type(await field(), "{Escape}");
    expect(stops()).toBe(0);
  });

  it("belongs to what else makes something of it: suggestions, the end of a word that is composed, a key that is held", async () => {
    service.on("GET /commands", () => ({ commands: [] }));
    await show();
    const text = await field();
    fireEvent.keyDown(text, { key: "Escape", isComposing: true });
    fireEvent.keyDown(text, { key: "Escape", repeat: true });
    const taken = (event: Event) => event.preventDefault();
    document.addEventListener("keydown", taken, { capture: true });
    await userEvent.type(text, "{Escape}");
    document.removeEventListener("keydown", taken, { capture: true });
    expect(stops()).toBe(0);
  });

  it("answers no question", async () => {
    interactions = [kAsked];
    await show();
    (await screen.findByRole("button", { name: "Deny" })).focus();
    await userEvent.keyboard("{Escape}");
    expect(stops()).toBe(0);
  });

  it("leaves a message that waits as it was, and the agent at work", async () => {
    queue = [
      {
        id: "q1",
        threadId: "t1",
        content: [{ type: "text", text: "Then the roof" }],
        waitingOn: { kind: "thread-busy" },
        sendAt: null,
        payload: { kind: "inline" },
        editable: true,
        createdAt: 1,
        updatedAt: 1,
      } as unknown as QueuedMessage,
    ];
    await show();
    await userEvent.click(await screen.findByRole("button", { name: "Change the message" }));
    const editor = screen.getByRole("textbox", { name: "Change the message" });
    await userEvent.type(editor, " and more{Escape}");
    expect(screen.queryByRole("textbox", { name: "Change the message" })).toBeNull();
    expect(screen.getByText("Then the roof")).toBeTruthy();
    expect(stops()).toBe(0);
  });
});

describe("Alt and an arrow in a thread", () => {
  it("go from message to message, and back to what is written", async () => {
    await show();
    const text = await field();
    await userEvent.click(text);
    await userEvent.keyboard("{Alt>}{ArrowUp}{/Alt}");
    expect(focused()).toBe("u2");
    await userEvent.keyboard("{Alt>}{ArrowUp}{/Alt}");
    expect(focused()).toBe("a1");
    await userEvent.keyboard("{Alt>}{ArrowUp}{ArrowUp}{/Alt}");
    expect(focused()).toBe("u1");
    await userEvent.keyboard("{Alt>}{ArrowDown}{ArrowDown}{/Alt}");
    expect(focused()).toBe("u2");
    await userEvent.keyboard("{Alt>}{ArrowDown}{/Alt}");
    await waitFor(() => expect(document.activeElement).toBe(text));
  });

  it("pass by what is asked, between the messages and what is written", async () => {
    interactions = [kAsked];
    await show();
    const card = await screen.findByRole("group", { name: "Use this tool?" });
    const text = await field();
    await userEvent.click(text);
    await userEvent.keyboard("{Alt>}{ArrowUp}{/Alt}");
    expect(document.activeElement).toBe(card);
    await userEvent.keyboard("{Alt>}{ArrowUp}{/Alt}");
    expect(focused()).toBe("u2");
    await userEvent.keyboard("{Alt>}{ArrowDown}{/Alt}");
    expect(document.activeElement).toBe(card);
    screen.getByRole("button", { name: "Deny" }).focus();
    await userEvent.keyboard("{Alt>}{ArrowDown}{/Alt}");
    expect(document.activeElement).toBe(text);
  });

  it("stay with a caret that they could move", async () => {
    await show();
    await userEvent.type(await field(), "some words");
    await userEvent.keyboard("{Alt>}{ArrowUp}{/Alt}");
    expect(document.activeElement).toBe(await field());
  });

  it("know the way", () => {
    const order = kRows.map(({ id }) => id);
    const store = {
      row: (id: string) => kRows.find((row) => row.id === id),
      snapshot: () => ({ order }) as never,
    };
    expect(messageBeside(store, null, "previous")).toBe("u2");
    expect(messageBeside(store, "c2", "next")).toBeNull();
    expect(messageBeside(store, "c1", "next")).toBe("a1");
    expect(messageBeside(store, "u1", "previous")).toBeUndefined();
  });
});
