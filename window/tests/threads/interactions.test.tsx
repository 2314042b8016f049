import { cleanup, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { QueryClientProvider } from "@tanstack/react-query";
import { MemoryRouter } from "react-router";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { Interaction, InteractionPayload } from "#sdk/records.js";
import { queryClient } from "@/api/queries";
import { clearNotifications, notificationsNow } from "@/lib/notifications";
import { grantTexts } from "@/threads/approval";
import { endedText } from "@/threads/interaction_card";
import { InteractionForm } from "@/threads/interactions";
import { TooltipProvider } from "@/ui/tooltip";

import { FakeService, Refusal } from "../plugins_pages/fake_service";

const interactionOf = (payload: InteractionPayload, more: Partial<Interaction> = {}): Interaction => ({
  id: "int_1",
  threadId: "t1",
  turnId: "turn",
  status: "pending",
  statusReason: null,
  origin: { kind: "provider", providerId: "p", providerRequestId: "r", providerThreadId: "s" },
  payload,
  resolution: null,
  createdAt: 1,
  resolvedAt: null,
  expiresAt: null,
  ...more,
});

const kApproval: InteractionPayload = {
  kind: "approval",
  subject: { kind: "command", itemId: "i", command: "rm -r build", cwd: "/src", actions: [], sessionGrant: null },
  reason: "Cleaning up",
  availableDecisions: ["allow_once", "deny"],
};

let service: FakeService;

beforeEach(() => {
  service = new FakeService().on("POST /threads/t1/interactions/int_1/resolve", () => ({ interaction: {} })).install();
});
afterEach(() => {
  cleanup();
  queryClient.clear();
  clearNotifications();
});

function show(interaction: Interaction) {
  render(
    <QueryClientProvider client={queryClient}>
      <MemoryRouter>
        <TooltipProvider>
          <InteractionForm interaction={interaction} surface={{ projectId: null, threadId: "t1" }} />
        </TooltipProvider>
      </MemoryRouter>
    </QueryClientProvider>,
  );
}

const sent = () => service.bodies("POST /threads/t1/interactions/int_1/resolve");

describe("an approval", () => {
  it("says what is asked and why, and offers what the service takes, nothing else", async () => {
    show(interactionOf(kApproval));
    expect(screen.getByText(/rm -r build/).textContent).toContain("in /src");
    expect(screen.getByText("Cleaning up")).toBeTruthy();
    expect(screen.getAllByRole("button").map((button) => button.textContent)).toEqual(["Allow once", "Deny"]);
    await userEvent.click(screen.getByRole("button", { name: "Allow once" }));
    expect(sent()).toEqual([{ resolution: { decision: "allow_once", grantedPermissions: null } }]);
  });

  it("grants what was asked for", async () => {
    const permissions = { fileSystem: { read: ["/a"], write: ["/b"] }, network: { enabled: true } };
    expect(grantTexts(permissions)).toEqual(["Read /a", "Write /b", "Use the network"]);
    show(
      interactionOf({
        kind: "approval",
        subject: { kind: "permission_grant", itemId: "i", toolName: "fetch", permissions },
        reason: null,
        availableDecisions: ["allow_once", "allow_for_session", "deny"],
      }),
    );
    await userEvent.click(screen.getByRole("button", { name: "Allow for this session" }));
    expect(sent()).toEqual([{ resolution: { decision: "allow_for_session", grantedPermissions: permissions } }]);
  });

  it("says how it went when somebody else was first", async () => {
    service
      .on("POST /threads/t1/interactions/int_1/resolve", () => {
        throw new Refusal(409, "conflict", "it is answered");
      })
      .on("GET /threads/t1/interactions/int_1", () => ({
        interaction: interactionOf(kApproval, { status: "resolved", resolution: { decision: "deny" } }),
      }));
    show(interactionOf(kApproval));
    await userEvent.click(screen.getByRole("button", { name: "Allow once" }));
    await waitFor(() =>
      expect(notificationsNow()[0]).toMatchObject({ title: "Already answered", description: "It was denied elsewhere." }),
    );
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("stays usable when its answer could not be delivered", async () => {
    service.on("POST /threads/t1/interactions/int_1/resolve", () => {
      throw new Refusal(503, "unavailable", "the machine is away");
    });
    show(interactionOf(kApproval));
    await userEvent.click(screen.getByRole("button", { name: "Deny" }));
    expect((await screen.findByRole("alert")).textContent).toContain("the machine is away");
    expect(screen.getByRole("button", { name: "Deny" }).hasAttribute("disabled")).toBe(false);
  });

  it("waits while another window's answer is delivered", () => {
    show(interactionOf(kApproval, { status: "resolving" }));
    expect(screen.getByText("The answer is being delivered…")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Deny" }).getAttribute("aria-busy")).toBe("true");
  });

  it("ends in words", () => {
    expect(endedText(interactionOf(kApproval, { status: "interrupted", statusReason: "the turn was stopped" }))).toBe(
      "It is no longer asked: the turn was stopped",
    );
    expect(endedText(interactionOf(kApproval, { status: "resolved", resolution: { kind: "plugin_submitted" } }))).toBe(
      "It was answered elsewhere.",
    );
  });
});

describe("questions", () => {
  const kQuestions: InteractionPayload = {
    kind: "user_question",
    questions: [
      {
        id: "a",
        prompt: "Which?",
        options: [
          { value: "1", label: "One" },
          { value: "2", label: "Two" },
        ],
        multiSelect: false,
        allowFreeText: true,
      },
      {
        id: "b",
        prompt: "What else?",
        options: [
          { value: "x", label: "X" },
          { value: "y", label: "Y" },
        ],
        multiSelect: true,
        allowFreeText: false,
      },
    ],
  };

  it("are answered together, and only when each has an answer", async () => {
    show(interactionOf(kQuestions));
    const submit = screen.getByRole("button", { name: "Answer" });
    await userEvent.click(screen.getByRole("radio", { name: "One" }));
    expect(submit.hasAttribute("disabled")).toBe(true);
    await userEvent.click(screen.getByRole("checkbox", { name: "X" }));
    await userEvent.click(screen.getByRole("checkbox", { name: "Y" }));
    await userEvent.click(submit);
    expect(sent()).toEqual([{ resolution: { kind: "user_answer", answers: { a: { selected: ["1"] }, b: { selected: ["x", "y"] } } } }]);
  });

  it("take a text of one's own in place of an option", async () => {
    show(interactionOf(kQuestions));
    await userEvent.click(screen.getByRole("radio", { name: "One" }));
    await userEvent.type(screen.getByRole("textbox"), "Neither");
    expect(screen.getByRole<HTMLInputElement>("radio", { name: "One" }).checked).toBe(false);
    await userEvent.click(screen.getByRole("checkbox", { name: "X" }));
    await userEvent.click(screen.getByRole("button", { name: "Answer" }));
    expect(sent()).toEqual([
      { resolution: { kind: "user_answer", answers: { a: { selected: [], freeText: "Neither" }, b: { selected: ["x"] } } } },
    ]);
  });
});

describe("a kind that this window does not know", () => {
  it("can be cancelled", async () => {
    service.on("POST /threads/t1/interactions/int_1/cancel", () => ({ interaction: {} }));
    show(interactionOf({ kind: "riddle" } as unknown as InteractionPayload));
    await userEvent.click(screen.getByRole("button", { name: "Cancel the question" }));
    expect(service.bodies("POST /threads/t1/interactions/int_1/cancel")).toEqual([{}]);
  });
});
