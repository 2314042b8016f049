import { cleanup, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { QueryClientProvider } from "@tanstack/react-query";
import { MemoryRouter } from "react-router";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { ApprovalSubject, Interaction, InteractionPayload } from "#sdk/records.js";
import { queryClient } from "@/api/queries";
import { clearNotifications, notificationsNow } from "@/lib/notifications";
import { Asked } from "@/threads/asked";
import { EndedInteraction } from "@/threads/ended_interactions";
import { actionTexts, askedText, endedText, grantTexts, interruptionText, sessionScopeText } from "@/threads/interaction_text";
import { InteractionForm } from "@/threads/interactions";
import { linesOf } from "@/threads/patch_lines";
import { expectedText, problemOf } from "@/threads/question_values";
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
    expect(endedText(interactionOf(kApproval, { status: "interrupted", statusReason: "timeout" }))).toBe(
      "It is no longer asked: nobody answered in time",
    );
    expect(interruptionText("plugin-disposed")).toBe("the plugin that asked was stopped or loaded again");
    expect(interruptionText("a newer reason")).toBe("a newer reason");
    expect(askedText(interactionOf(kApproval))).toBe("Run this command? rm -r build");
  });

  it("says what the agent says that its command does", async () => {
    const actions = [
      { type: "read", command: "cat a", name: "a", path: "/src/a" },
      { type: "list_files", command: "ls", path: null },
      { type: "search", command: "rg x", query: "x", path: "/src" },
      { type: "unknown", command: "make" },
      { type: "riddle" },
      7,
    ];
    expect(actionTexts(actions)).toEqual(["Reads /src/a", "Lists ls", "Searches for x in /src", "make"]);
    show(interactionOf({ ...kApproval, subject: { ...kApproval.subject, actions } } as InteractionPayload));
    expect(screen.getByRole("list", { name: "What the command does" }).textContent).toContain("Reads /src/a");
  });

  it("says what “for this session” is good for, beside the button that grants it", () => {
    const { subject } = kApproval as { subject: ApprovalSubject };
    const grant = { fileSystem: null, network: { enabled: true } };
    show(
      interactionOf({
        ...kApproval,
        subject: { ...subject, sessionGrant: grant },
        availableDecisions: ["allow_once", "allow_for_session", "deny"],
      } as InteractionPayload),
    );
    const button = screen.getByRole("button", { name: "Allow for this session" });
    const scope = document.getElementById(button.getAttribute("aria-describedby")!)!;
    expect(scope.textContent).toContain("exactly this command in this folder");
    expect(scope.textContent).toContain("Use the network");
    const changes = (writeScope: string[] | null) => sessionScopeText({ kind: "file_change", itemId: "i", writeScope, sessionGrant: null });
    expect(changes(null)).toContain("changes of files in the thread's folder");
    expect(changes(["/etc"])).toContain("changes of files in the same directories");
    expect(sessionScopeText({ kind: "tool_use", itemId: "i", toolName: "fetch", title: "Fetch" })).toContain("any use of fetch");
    expect(sessionScopeText({ kind: "plan", itemId: "i", plan: "", planFilePath: null })).toBeNull();
  });

  it("does not speak of a session where none is offered", () => {
    show(interactionOf(kApproval));
    expect(screen.queryByText(/For this session/)).toBeNull();
  });

  it("of changes of files names the files, as the log has them", async () => {
    const item = (id: string, changes: object[]) => ({ type: "item/started", data: { item: { id, type: "fileChange", changes } } });
    service.on("GET /threads/t1/events", ({ query }) => {
      expect(Object.fromEntries(query)).toMatchObject({ types: "item/started", order: "desc" });
      return {
        events: [
          item("other", [{ path: "/src/other.txt", kind: "add" }]),
          item("i", [
            { path: "/src/door.txt", kind: "update", diff: "" },
            { path: "/src/old.txt", kind: "update", movePath: "/src/new.txt" },
          ]),
        ],
      };
    });
    show(
      interactionOf({
        kind: "approval",
        subject: { kind: "file_change", itemId: "i", writeScope: "/src", sessionGrant: null },
        reason: null,
        availableDecisions: ["allow_once", "deny"],
      }),
    );
    const files = await screen.findByRole("list", { name: "Files" });
    expect([...files.children].map(({ textContent }) => textContent)).toEqual(["Change/src/door.txt", "Move/src/old.txt → /src/new.txt"]);
    expect(screen.getByText("Write below /src")).toBeTruthy();
  });

  const kFileChange: InteractionPayload = {
    kind: "approval",
    subject: { kind: "file_change", itemId: "i", writeScope: null, sessionGrant: null },
    reason: null,
    availableDecisions: ["allow_once"],
  };
  const kPatch = "--- a/door.txt\n+++ b/door.txt\n@@ -1,2 +1,3 @@\n same\n-shut\n+open\n+--wide\n";
  const withChanges = (changes: object[]) =>
    service.on("GET /threads/t1/events", () => ({
      events: [{ type: "item/started", data: { item: { id: "i", type: "fileChange", changes } } }],
    }));

  // Text until the view of patches has come, and then in a root of that view's own.
  const linesShown = () => [document.body, ...document.querySelectorAll("diffs-container")].map((at) => (at.shadowRoot ?? at).textContent);

  it("of one file shows the lines that differ at once, with their number", async () => {
    withChanges([{ path: "/src/door.txt", kind: "update", diff: kPatch }]);
    show(interactionOf(kFileChange));
    expect(await screen.findByRole("img", { name: "2 lines added, 1 removed" })).toBeTruthy();
    expect(screen.getByRole("button", { name: "Lines of /src/door.txt" }).getAttribute("aria-expanded")).toBe("true");
    await waitFor(() => expect(linesShown().join()).toContain("wide"));
  });

  it("of several files shows the lines of each when they are asked for", async () => {
    withChanges([
      { path: "/src/door.txt", kind: "update", diff: kPatch },
      { path: "/src/b.txt", kind: "add", diff: null },
    ]);
    show(interactionOf(kFileChange));
    const lines = await screen.findByRole("button", { name: "Lines of /src/door.txt" });
    expect(linesShown().join()).not.toContain("wide");
    await userEvent.click(lines);
    await waitFor(() => expect(linesShown().join()).toContain("wide"));
    expect(screen.queryByRole("button", { name: "Lines of /src/b.txt" })).toBeNull();
  });

  it("counts lines of a patch without the names of its file", () => {
    expect(linesOf(kPatch)).toEqual({ added: 2, removed: 1 });
    expect(linesOf("@@ -0,0 +1 @@\n++++\n")).toEqual({ added: 1, removed: 0 });
    expect(linesOf("+a\n-b\n-c")).toEqual({ added: 1, removed: 2 });
  });

  it("says so when the log has no files", async () => {
    service.on("GET /threads/t1/events", () => ({ events: [] }));
    show(
      interactionOf({
        kind: "approval",
        subject: { kind: "file_change", itemId: "i", writeScope: null, sessionGrant: null },
        reason: null,
        availableDecisions: ["allow_once"],
      }),
    );
    expect(await screen.findByText("The agent does not say which files.")).toBeTruthy();
  });

  it("says that an answer of another window did not arrive", () => {
    show(interactionOf(kApproval, { statusReason: "the machine is away" }));
    expect(screen.getByText("An answer was not delivered")).toBeTruthy();
    expect(screen.getByText("the machine is away")).toBeTruthy();
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

  it("can be given no answer", async () => {
    service.on("POST /threads/t1/interactions/int_1/cancel", () => ({ interaction: {} }));
    show(interactionOf(kQuestions));
    await userEvent.click(screen.getByRole("button", { name: "Give no answer" }));
    expect(service.bodies("POST /threads/t1/interactions/int_1/cancel")).toEqual([{}]);
    expect(sent()).toEqual([]);
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

describe("a question for a number", () => {
  const kNumber: InteractionPayload = {
    kind: "user_question",
    questions: [
      {
        id: "count",
        prompt: "How many?",
        multiSelect: false,
        allowFreeText: true,
        expects: { type: "integer", minimum: 1, maximum: 5 },
      },
    ],
  };

  it("says what it takes, and at the field what is wrong, before anything is sent", async () => {
    show(interactionOf(kNumber));
    const field = screen.getByRole("textbox", { name: "How many?" });
    expect(document.getElementById(field.getAttribute("aria-describedby")!)!.textContent).toBe("A whole number from 1 to 5");
    await userEvent.type(field, "banana");
    expect(screen.queryByRole("alert")).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "Answer" }));
    expect(screen.getByRole("alert").textContent).toBe("A whole number from 1 to 5, not “banana”.");
    expect(field.getAttribute("aria-invalid")).toBe("true");
    expect(document.activeElement).toBe(field);
    expect(sent()).toEqual([]);
    await userEvent.clear(field);
    await userEvent.type(field, " 3 ");
    expect(screen.queryByRole("alert")).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "Answer" }));
    expect(sent()).toEqual([{ resolution: { kind: "user_answer", answers: { count: { selected: [], freeText: "3" } } } }]);
  });

  it("takes what the service takes", () => {
    expect(["3", "-1", "2.5", "1e3", "0x10", "", " "].map((text) => problemOf({ type: "number", minimum: 0 }, text) === null)).toEqual([
      true,
      false,
      true,
      true,
      false,
      true,
      true,
    ]);
    expect(problemOf({ type: "integer" }, "2.5")).toBe("A whole number, not “2.5”.");
    expect(problemOf(undefined, "anything")).toBeNull();
    expect(expectedText({ type: "number", minimum: 2 })).toBe("A number of at least 2");
    expect(expectedText({ type: "number", maximum: 2 })).toBe("A number of at most 2");
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

describe("a question whose fields have the names of what every object has", () => {
  const kNames = ["constructor", "__proto__", "toString", "valueOf", "hasOwnProperty"];
  const payload: InteractionPayload = {
    kind: "user_question",
    questions: kNames.map((id) => ({ id, prompt: `The ${id}`, multiSelect: false, allowFreeText: true })),
  };

  it("is asked and answered like every other", async () => {
    show(interactionOf(payload));
    expect(screen.getByText("5 still without an answer")).toBeTruthy();
    for (const name of kNames) {
      await userEvent.type(screen.getByRole("textbox", { name: `The ${name}` }), `my ${name}`);
    }
    await userEvent.click(screen.getByRole("button", { name: "Answer" }));
    const [{ resolution }] = sent() as [{ resolution: { answers: object } }];
    expect(Object.entries(resolution.answers)).toEqual(kNames.map((name) => [name, { selected: [], freeText: `my ${name}` }]));
  });

  it("ends in words when nobody answered them", () => {
    const resolution = { kind: "user_answer", answers: {} } as const;
    expect(endedText(interactionOf(payload, { status: "resolved", resolution }))).toBe("It was answered elsewhere.");
    expect(interruptionText("constructor")).toBe("constructor");
  });
});

describe("a question that cannot be shown", () => {
  it("takes nothing around it along, and can be declined", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    service.on("POST /threads/t1/interactions/int_1/cancel", () => ({ interaction: {} }));
    show(interactionOf({ kind: "user_question", questions: [null] } as unknown as InteractionPayload));
    expect(screen.getByRole("heading").textContent).toBe("The agent asks something that this window cannot show");
    await userEvent.click(screen.getByRole("button", { name: "Cancel the question" }));
    expect(service.bodies("POST /threads/t1/interactions/int_1/cancel")).toEqual([{}]);
    vi.restoreAllMocks();
  });

  it("takes neither its thread nor the inbox along, also when it has ended", () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const broken = interactionOf({ kind: "user_question", questions: [null] } as unknown as InteractionPayload);
    render(
      <QueryClientProvider client={queryClient}>
        <TooltipProvider>
          <Asked asked={broken} surface={{ projectId: null, threadId: "t1" }} toComposer={() => undefined} />
          <EndedInteraction interaction={{ ...broken, status: "resolved" }} onDismiss={() => undefined} />
        </TooltipProvider>
      </QueryClientProvider>,
    );
    expect(screen.getByRole("status").textContent).toBe("Above the message, an answer is asked for");
    expect(screen.getByRole("button", { name: "Cancel the question" })).toBeTruthy();
    vi.restoreAllMocks();
  });
});
