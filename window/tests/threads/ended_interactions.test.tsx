import { act, cleanup, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { QueryClientProvider } from "@tanstack/react-query";
import { MemoryRouter } from "react-router";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { Interaction } from "#sdk/records.js";
import { queryClient } from "@/api/queries";
import { EndedInteraction, useEndedInteractions } from "@/threads/ended_interactions";
import { InteractionForm } from "@/threads/interactions";
import { TooltipProvider } from "@/ui/tooltip";

import { FakeService, Refusal } from "../plugins_pages/fake_service";

const asked = (id: string, more: Partial<Interaction> = {}): Interaction => ({
  id,
  threadId: "t1",
  turnId: "turn",
  status: "pending",
  statusReason: null,
  origin: { kind: "provider", providerId: "p", providerRequestId: "r", providerThreadId: "s" },
  payload: {
    kind: "approval",
    subject: { kind: "command", itemId: "i", command: `make ${id}`, cwd: null, actions: [], sessionGrant: null },
    reason: null,
    availableDecisions: ["allow_once", "deny"],
  },
  resolution: null,
  createdAt: 1,
  resolvedAt: null,
  expiresAt: null,
  ...more,
});

let service: FakeService;
const ends = (id: string, more: Partial<Interaction>) =>
  service.on(`GET /threads/t1/interactions/${id}`, () => ({ interaction: asked(id, more) }));

beforeEach(() => {
  service = new FakeService().install();
});
afterEach(() => {
  cleanup();
  queryClient.clear();
});

function Shown({ open }: { open: Interaction[] | undefined }) {
  const { ended, dismiss } = useEndedInteractions(open);
  return (
    <>
      {open?.map((interaction) => (
        <InteractionForm key={interaction.id} interaction={interaction} surface={{ projectId: null, threadId: "t1" }} />
      ))}
      {ended.map((interaction) => (
        <EndedInteraction key={interaction.id} interaction={interaction} onDismiss={() => dismiss(interaction.id)} />
      ))}
    </>
  );
}

function show(open: Interaction[]) {
  const all = (now: Interaction[] | undefined) => (
    <QueryClientProvider client={queryClient}>
      <MemoryRouter>
        <TooltipProvider>
          <Shown open={now} />
        </TooltipProvider>
      </MemoryRouter>
    </QueryClientProvider>
  );
  const { rerender } = render(all(open));
  return (now: Interaction[] | undefined) => act(async () => rerender(all(now)));
}

describe("a question that is asked no more", () => {
  it("that another window answered says what, until somebody has read it", async () => {
    ends("e1", { status: "resolved", resolution: { decision: "deny" } });
    const change = show([asked("e1")]);
    await change([]);
    const note = await screen.findByRole("status");
    expect(note.textContent).toContain("make e1");
    expect(note.textContent).toContain("It was denied elsewhere.");
    await userEvent.click(screen.getByRole("button", { name: "Dismiss" }));
    expect(screen.queryByRole("status")).toBeNull();
  });

  it("says which answers were given to questions", async () => {
    ends("e2", {
      status: "resolved",
      payload: {
        kind: "user_question",
        questions: [
          { id: "a", prompt: "Which?", options: [{ value: "1", label: "One" }], multiSelect: false, allowFreeText: true },
          { id: "b", prompt: "And?", multiSelect: false, allowFreeText: true },
        ],
      },
      resolution: { kind: "user_answer", answers: { a: { selected: ["1"] }, b: { selected: [], freeText: "soon" } } },
    });
    const change = show([asked("e2")]);
    await change([]);
    expect((await screen.findByRole("status")).textContent).toContain("It was answered elsewhere: One, soon");
  });

  it("that expired or whose plugin has gone says so", async () => {
    ends("e3", { status: "interrupted", statusReason: "timeout" });
    ends("e4", { status: "interrupted", statusReason: "plugin-disposed" });
    const change = show([asked("e3"), asked("e4")]);
    await change([]);
    expect(await screen.findByText(/nobody answered in time/)).toBeTruthy();
    expect(await screen.findByText(/the plugin that asked was stopped/)).toBeTruthy();
  });

  it("needs no words where it was answered", async () => {
    service.on("POST /threads/t1/interactions/e5/resolve", () => ({ interaction: {} }));
    ends("e5", { status: "resolved", resolution: { decision: "deny" } });
    ends("e6", { status: "resolved", resolution: { decision: "deny" } });
    const change = show([asked("e5"), asked("e6")]);
    await userEvent.click(screen.getAllByRole("button", { name: "Deny" })[0]!);
    await change([]);
    expect((await screen.findByRole("status")).textContent).toContain("make e6");
    expect(screen.queryByText(/make e5/)).toBeNull();
  });

  it("is told all the same when the answer from here did not arrive", async () => {
    service.on("POST /threads/t1/interactions/e7/resolve", () => {
      throw new Refusal(503, "unavailable", "the machine is away");
    });
    ends("e7", { status: "interrupted", statusReason: "thread-stopped" });
    const change = show([asked("e7")]);
    await userEvent.click(screen.getByRole("button", { name: "Deny" }));
    await screen.findByRole("alert");
    await change([]);
    expect(await screen.findByText(/the agent was stopped/)).toBeTruthy();
  });

  it("is not made up while the list is loaded again, or while it is still open", async () => {
    ends("e8", { status: "resolving" });
    const change = show([asked("e8")]);
    await change(undefined);
    expect(service.requests).toEqual([]);
    await change([]);
    await waitFor(() => expect(service.requests).toHaveLength(1));
    expect(screen.queryByText(/make e8/)).toBeNull();
  });
});
