import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { QueryClientProvider } from "@tanstack/react-query";
import { MemoryRouter } from "react-router";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { Thread, TimelineRow } from "#sdk/records.js";
import { queryClient } from "@/api/queries";
import { Conversation } from "@/threads/conversation";
import { type WorkRow, workTitle } from "@/threads/work_titles";
import { TooltipProvider } from "@/ui/tooltip";

import { FakeService } from "../plugins_pages/fake_service";
import { pretendLayout } from "../setup/layout";
import { assistantRow, commandRow, timelineOf, userRow } from "./fake_timeline";
import { threadRecord } from "./fixtures";

let service: FakeService;
let thread: Thread;
let rows: TimelineRow[];
let capabilities: object;
let available: boolean;

beforeEach(() => {
  thread = threadRecord();
  capabilities = { supportsFork: false, supportsSessionRewind: false, permissionModes: [], reasoningLevels: [] };
  available = true;
  rows = [
    userRow("u", 1, "Hello"),
    assistantRow("a", 2, "Hi", { sourceSeqEnd: 3 }),
    userRow("v", 4, "More"),
    assistantRow("b", 5, "Well", { sourceSeqEnd: 6 }),
  ];
  service = new FakeService()
    .on("GET /threads/t1", () => ({ thread }))
    .on("GET /threads/t1/timeline", () => timelineOf(rows))
    .on("GET /threads/t1/interactions", () => ({ interactions: [] }))
    .on("GET /threads/t1/queued-messages", () => ({ queuedMessages: [] }))
    .on("GET /threads/t1/default-execution-options", () => ({ options: null }))
    .on("GET /providers", () => ({
      providers: [{ id: "agent", displayName: "Robot", available, unavailableReason: null, composerActions: [], capabilities }],
    }))
    .on("GET /providers/models", () => ({ models: [], selectedOnlyModels: [], permissionCeiling: "full", modelLoadError: null }))
    .on("GET /system/config", () => ({ records: ["threads", "providers"] }))
    .on("POST /threads/t1/stop", () => ({ thread }))
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

describe("What can be done with messages", () => {
  it("follows what the agent can: without a way back, nothing is changed", async () => {
    show();
    expect(await screen.findAllByRole("button", { name: "Fork from here" })).toHaveLength(4);
    expect(screen.queryByRole("button", { name: "Edit message" })).toBeNull();
  });

  it("changes the last message only", async () => {
    capabilities = { ...capabilities, supportsSessionRewind: true };
    show();
    expect(await screen.findAllByRole("button", { name: "Edit message" })).toHaveLength(1);
    await userEvent.click(screen.getByRole("button", { name: "Edit message" }));
    expect(await screen.findByDisplayValue("More")).toBeTruthy();
  });

  it("is neither fork nor change where nobody would answer", async () => {
    available = false;
    capabilities = { ...capabilities, supportsSessionRewind: true };
    show();
    expect(await screen.findByText("Robot cannot be used now")).toBeTruthy();
    expect(screen.queryByRole("button", { name: /Fork|Edit/ })).toBeNull();
  });
});

describe("What waits for permission", () => {
  it("does not run: it says so, and the agent can be stopped beside the question", async () => {
    thread = threadRecord({ status: "active", displayStatus: "active" });
    rows = [userRow("u", 1, "Hello"), commandRow("c", 2, "", { command: "rm -rf /", approvalStatus: "waiting_for_approval" })];
    service.on("GET /threads/t1/interactions", () => ({
      interactions: [
        {
          id: "i",
          threadId: "t1",
          status: "pending",
          createdAt: 1,
          expiresAt: null,
          resolution: null,
          origin: { kind: "provider" },
          payload: {
            kind: "approval",
            subject: { kind: "command", itemId: "i-c", command: "rm -rf /", cwd: null, actions: [], sessionGrant: null },
            reason: null,
            availableDecisions: ["deny"],
          },
        },
      ],
    }));
    show();
    expect(await screen.findByText("Wants to run")).toBeTruthy();
    expect(screen.getByText("Waits for you")).toBeTruthy();
    expect(screen.queryByText("Running")).toBeNull();
    await userEvent.click(await screen.findByRole("button", { name: "Stop the agent" }));
    expect(service.bodies("POST /threads/t1/stop")).toEqual([{}]);
  });

  it("was never done when somebody said no", () => {
    const row = (more: object) => commandRow("c", 1, "", more) as WorkRow;
    expect(workTitle(row({ status: "error", approvalStatus: "denied" })).title).toBe("Wanted to run");
    expect(workTitle(row({ status: "completed", approvalStatus: null })).title).toBe("Ran");
    expect(workTitle(row({ status: "interrupted", approvalStatus: "waiting_for_approval" })).title).toBe("Wanted to run");
  });
});
