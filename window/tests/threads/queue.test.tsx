import { QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter } from "react-router";
import { afterEach, describe, expect, it, vi } from "vitest";

import type { InputBlock, QueuedMessage } from "#sdk/records.js";
import { queryClient } from "@/api/queries";
import { ComposerModel } from "@/composer/model";
import { addComposer } from "@/composer/registry";
import { inputOf } from "@/composer/send";
import { clearNotifications, notificationsNow } from "@/lib/notifications";
import { Queue, waitText } from "@/threads/queue";
import { groupLength, placeAfter } from "@/threads/queue_order";
import { TooltipProvider } from "@/ui/tooltip";

import { FakeService, Refusal } from "../plugins_pages/fake_service";
import { threadRecord } from "./fixtures";

afterEach(() => {
  cleanup();
  queryClient.clear();
  clearNotifications();
});

const queued = (id: string, text: string, more: Partial<QueuedMessage> = {}) => ({
  id,
  threadId: "t1",
  content: [{ type: "text", text }],
  waitingOn: { kind: "thread-busy" },
  payload: { kind: "inline" },
  sendAt: null,
  editable: true,
  updatedAt: 7,
  ...more,
});

const kFile = { type: "localFile", path: "/x/a.txt" } as const;

function show(rows: object[], thread = threadRecord()) {
  const service = new FakeService()
    .on("GET /system/config", () => ({ records: ["threads"] }))
    .on("GET /plugins/contributions", () => ({ cliCommands: [], mentionProviders: [] }))
    .on("GET /threads", () => ({ threads: [] }))
    .on("GET /threads/t1/queued-messages", () => ({ queuedMessages: rows }))
    .install();
  render(
    <QueryClientProvider client={queryClient}>
      <MemoryRouter>
        <TooltipProvider>
          <Queue thread={thread} />
        </TooltipProvider>
      </MemoryRouter>
    </QueryClientProvider>,
  );
  return service;
}

const row = async (text: string) => (await screen.findByText(text)).closest("li")!;
const press = async (text: string, name: string) => userEvent.click(within(await row(text)).getByRole("button", { name }));

describe("messages that wait", () => {
  it("move by one, between the neighbours they have then", async () => {
    const service = show([queued("a", "one"), queued("b", "two"), queued("c", "three")]);
    for (const id of ["a", "c"]) {
      service.on(`POST /threads/t1/queued-messages/${id}/reorder`, () => ({ queuedMessages: [] }));
    }
    await press("three", "Send it earlier");
    await press("one", "Send it later");
    expect(service.bodies("POST /threads/t1/queued-messages/c/reorder")).toEqual([
      { previousQueuedMessageId: "a", nextQueuedMessageId: "b" },
    ]);
    expect(service.bodies("POST /threads/t1/queued-messages/a/reorder")).toEqual([
      { previousQueuedMessageId: "b", nextQueuedMessageId: "c" },
    ]);
    const first = within(await row("one")).getByRole("button", { name: "Send it earlier" });
    expect(first.getAttribute("aria-disabled")).toBe("true");
    await userEvent.click(first);
    expect(document.activeElement).toBe(first);
    expect(service.bodies("POST /threads/t1/queued-messages/a/reorder")).toHaveLength(1);
  });

  it("are sent into the running turn or before their time, and taken back", async () => {
    const service = show([queued("a", "one"), queued("b", "two", { waitingOn: { kind: "time" }, sendAt: 99 })]);
    service
      .on("POST /threads/t1/queued-messages/a/send", () => ({ queuedMessage: {} }))
      .on("POST /threads/t1/queued-messages/b/send", () => ({ queuedMessage: {} }))
      .on("DELETE /threads/t1/queued-messages/a", () => ({}));
    await press("one", "Send now");
    await press("two", "Send now");
    await press("one", "Take the message back");
    expect(service.bodies("POST /threads/t1/queued-messages/a/send")).toEqual([{ mode: "steer" }]);
    expect(service.bodies("POST /threads/t1/queued-messages/b/send")).toEqual([{ mode: "auto" }]);
    expect(service.bodies("DELETE /threads/t1/queued-messages/a")).toHaveLength(1);
  });

  it("taken back, are the draft of the next message again, with their files", async () => {
    const mention = { start: 4, end: 9, resource: { kind: "thread", threadId: "t2", label: "Door" } } as const;
    const content: InputBlock[] = [
      { type: "text", text: "See @Door", mentions: [mention] },
      kFile,
      { type: "text", text: "x", visibility: "agent-only" },
    ];
    const service = show([queued("a", "", { content })]);
    service.on("DELETE /threads/t1/queued-messages/a", () => ({}));
    const model = new ComposerModel({
      key: "thread",
      scope: { kind: "thread", threadId: "t1", projectId: null },
      draft: { text: "a draft", mentions: [], attachments: [] },
      submit: async () => undefined,
    });
    const leave = addComposer(model);
    const focus = vi.spyOn(model, "focus");
    await press("See @Door", "Take the message back");
    await vi.waitFor(() => expect(model.state.text).toBe("a draft\n\nSee @Door"));
    expect(focus).toHaveBeenCalled();
    expect(model.state.attachments.map(({ name }) => name)).toEqual(["a.txt"]);
    expect(await inputOf(model.state, "p1")).toEqual([
      { type: "text", text: "a draft\n\nSee @Door", mentions: [{ ...mention, start: 13, end: 18 }] },
      kFile,
    ]);
    leave();
  });

  it("taken back where nothing can be written are told", async () => {
    const service = show([queued("a", "one")]);
    service.on("DELETE /threads/t1/queued-messages/a", () => ({}));
    await press("one", "Take the message back");
    await vi.waitFor(() => expect(notificationsNow()[0]?.description).toBe("What was written: one"));
  });

  it("are changed where they stand; their files stay, and a change by somebody else is told", async () => {
    const service = show([queued("a", "one", { content: [{ type: "text", text: "one" }, kFile] })]);
    let isTaken = true;
    service.on("PATCH /threads/t1/queued-messages/a", () => {
      if (isTaken) {
        throw new Refusal(409, "conflict", "The message was changed by somebody else.");
      }
      return { queuedMessage: {} };
    });
    await press("one", "Change the message");
    const field = await screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Change the message" });
    expect(screen.getByText("Stays with it: 1 file.")).toBeTruthy();
    await userEvent.type(field, " more{Enter}");
    expect((await screen.findByRole("alert")).textContent).toContain("changed by somebody else");
    expect(field.value).toBe("one more");
    isTaken = false;
    await userEvent.type(field, "{Enter}");
    await vi.waitFor(() => expect(screen.queryByRole("textbox")).toBeNull());
    expect(service.bodies("PATCH /threads/t1/queued-messages/a").at(-1)).toEqual({
      input: [{ type: "text", text: "one more" }, kFile],
      expectedUpdatedAt: 7,
    });
  });

  it("say what somebody else has made of them meanwhile", async () => {
    const rows = [queued("a", "one")];
    const service = show(rows);
    service.on("PATCH /threads/t1/queued-messages/a", () => ({ queuedMessage: {} }));
    await press("one", "Change the message");
    const field = await screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Change the message" });
    await userEvent.type(field, " more");
    rows[0] = queued("a", "quite another", { updatedAt: 9 });
    await queryClient.invalidateQueries();
    expect((await screen.findByText(/meanwhile/)).textContent).toContain("“quite another”");
    expect(field.value).toBe("one more");
    await userEvent.type(field, "{Enter}");
    await vi.waitFor(() =>
      expect(service.bodies("PATCH /threads/t1/queued-messages/a")).toEqual([
        { input: [{ type: "text", text: "one more" }], expectedUpdatedAt: 9 },
      ]),
    );
  });

  it("give what was typed to the composer when they leave while they are changed", async () => {
    const rows = [queued("a", "one"), queued("b", "two")];
    show(rows);
    const model = new ComposerModel({
      key: "thread",
      scope: { kind: "thread", threadId: "t1", projectId: null },
      draft: { text: "a draft", mentions: [], attachments: [] },
      submit: async () => undefined,
    });
    const leave = addComposer(model);
    await press("one", "Change the message");
    await userEvent.type(await screen.findByRole("textbox", { name: "Change the message" }), " and more");
    expect(screen.getByRole("button", { name: "Save the message" })).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Send message" })).toBeNull();
    rows.shift();
    await queryClient.invalidateQueries();
    await vi.waitFor(() => expect(model.state.text).toBe("a draft\n\none and more"));
    // One that was not changed is where it was sent to.
    await press("two", "Change the message");
    rows.shift();
    await queryClient.invalidateQueries();
    await vi.waitFor(() => expect(screen.queryByRole("list", { name: "Messages that wait" })).toBeNull());
    expect(model.state.text).toBe("a draft\n\none and more");
    leave();
  });

  it("leave nothing in the composer when a change is given up or was taken before they leave", async () => {
    const rows = [queued("a", "one"), queued("b", "two")];
    let take = () => {};
    const service = show(rows);
    service.on("PATCH /threads/t1/queued-messages/b", async () => {
      await new Promise<void>((resolve) => (take = resolve));
      return { queuedMessage: {} };
    });
    const model = new ComposerModel({
      key: "thread",
      scope: { kind: "thread", threadId: "t1", projectId: null },
      submit: async () => undefined,
    });
    const leave = addComposer(model);
    await press("one", "Change the message");
    await userEvent.type(await screen.findByRole("textbox", { name: "Change the message" }), " no{Escape}");
    await press("two", "Change the message");
    await userEvent.type(await screen.findByRole("textbox", { name: "Change the message" }), " yes{Enter}");
    await vi.waitFor(() => expect(service.bodies("PATCH /threads/t1/queued-messages/b")).toHaveLength(1));
    rows.length = 0;
    await queryClient.invalidateQueries();
    await vi.waitFor(() => expect(screen.queryByRole("list", { name: "Messages that wait" })).toBeNull());
    take();
    await vi.waitFor(() => expect(queryClient.isFetching()).toBe(0));
    expect(model.state.text).toBe("");
    leave();
  });

  it("are sent before their workspace is ready, where that is what they wait for", async () => {
    const service = show([queued("a", "one", { waitingOn: { kind: "provisioning" } })]);
    service.on("POST /threads/t1/queued-messages/a/send", () => ({ queuedMessage: {} }));
    expect((await row("one")).textContent).toContain("Waits until the agent begins");
    await press("one", "Send now");
    expect(service.bodies("POST /threads/t1/queued-messages/a/send")).toEqual([{ mode: "auto" }]);
  });

  it("go after an error when somebody sends them", async () => {
    const service = show([queued("a", "one", { waitingOn: null })], threadRecord({ displayStatus: "error" }));
    service.on("POST /threads/t1/queued-messages/a/send", () => ({ queuedMessage: {} }));
    await press("one", "Send now");
    expect(service.bodies("POST /threads/t1/queued-messages/a/send")).toEqual([{ mode: "auto" }]);
  });

  it("that go next have nothing to skip", async () => {
    show([queued("a", "one", { waitingOn: null })], threadRecord({ displayStatus: "idle" }));
    expect(within(await row("one")).queryByRole("button", { name: "Send now" })).toBeNull();
  });

  it("cannot be sent when the machine was removed", async () => {
    const hosts = { hosts: [{ id: "there" }] };
    const rows = [queued("a", "one", { waitingOn: null }), queued("b", "two", { waitingOn: { kind: "time" }, sendAt: 99 })];
    const service = show(rows, { ...threadRecord({ displayStatus: "idle" }), environmentHostId: "gone" });
    service.on("GET /hosts", () => hosts);
    expect(await screen.findAllByText("Cannot be sent: the machine was removed")).toHaveLength(2);
    expect(screen.queryByRole("button", { name: "Send now" })).toBeNull();
    cleanup();
    queryClient.clear();
    show(rows, { ...threadRecord({ displayStatus: "idle" }), environmentHostId: "there" }).on("GET /hosts", () => hosts);
    expect(await screen.findByText("Is sent next")).toBeTruthy();
  });

  it("say what the thread waits for", () => {
    const waits = (record: Parameters<typeof threadRecord>[0], waitingOn: QueuedMessage["waitingOn"]) =>
      waitText(queued("a", "one", { waitingOn }) as unknown as QueuedMessage, threadRecord(record));
    const busy = { kind: "thread-busy" } as const;
    expect(waits({ displayStatus: "active" }, busy)).toBe("Waits until the agent is done");
    expect(waits({ displayStatus: "provisioning" }, busy)).toBe("Waits until the agent begins");
    expect(waits({ displayStatus: "host-reconnecting" }, busy)).toBe("Waits for the machine");
    expect(waits({ displayStatus: "stopping" }, busy)).toBe("Waits until the agent has stopped");
    expect(waits({ displayStatus: "error" }, null)).toBe("Waits until the agent is asked again");
    expect(waits({ displayStatus: "idle" }, null)).toBe("Is sent next");
  });

  it("that come first are put together, and taken apart again", async () => {
    const service = show([queued("a", "one", { groupWithNext: true }), queued("b", "two"), queued("c", "three"), queued("d", "four")]);
    service.on("POST /threads/t1/queued-messages/group-boundary", () => ({ queuedMessages: [] }));
    expect((await row("two")).textContent).toContain("Together with the one before");
    expect(within(await row("one")).queryByRole("button", { name: /together|on its own/ })).toBeNull();
    expect(within(await row("four")).queryByRole("button", { name: "Send it on its own" })).toBeNull();
    await press("three", "Send it together with those before");
    await press("two", "Send it on its own");
    expect(service.bodies("POST /threads/t1/queued-messages/group-boundary")).toEqual([
      { groupBoundaryQueuedMessageId: "c", expectedGroupedPrefixQueuedMessageIds: ["a", "b", "c"] },
      { groupBoundaryQueuedMessageId: "a", expectedGroupedPrefixQueuedMessageIds: ["a"] },
    ]);
  });

  it("are put together with all before them, wherever they stand", async () => {
    const service = show([queued("a", "one"), queued("b", "two"), queued("c", "three")]);
    service.on("POST /threads/t1/queued-messages/group-boundary", () => ({ queuedMessages: [] }));
    expect(within(await row("one")).queryByRole("button", { name: "Send it together with those before" })).toBeNull();
    expect(within(await row("two")).getByRole("button", { name: "Send it together with those before" })).toBeTruthy();
    await press("three", "Send it together with those before");
    expect(service.bodies("POST /threads/t1/queued-messages/group-boundary")).toEqual([
      { groupBoundaryQueuedMessageId: "c", expectedGroupedPrefixQueuedMessageIds: ["a", "b", "c"] },
    ]);
  });

  it("stay together when one of them moves, leave the others when they move out, and join those they move among", () => {
    const rows = ["a", "b", "c", "d"].map((id) => ({ id, groupWithNext: id === "a" || id === "b" }));
    expect(groupLength(rows)).toBe(3);
    expect(groupLength(rows.slice(3))).toBe(0);
    const boundary = (index: number, by: -1 | 1) => placeAfter(rows, index, by).groupBoundaryQueuedMessageId;
    expect(boundary(0, 1)).toBe("c");
    expect(boundary(1, 1)).toBe("b");
    expect(boundary(2, 1)).toBe("b");
    expect(boundary(3, -1)).toBe("c");
    const pair = rows.slice(1).map(({ id }) => ({ id, groupWithNext: id === "b" }));
    expect(placeAfter(pair, 1, 1)).toEqual({
      previousQueuedMessageId: "d",
      nextQueuedMessageId: null,
      groupBoundaryQueuedMessageId: null,
    });
  });

  it("that are on their way, and attempts, are not changed", async () => {
    show([
      queued("a", "one", { editable: false }),
      queued("b", "two", { payload: { kind: "retry", retryOfTurnRequestId: "r", attempt: 2 } }),
    ]);
    expect(
      within(await row("one"))
        .getAllByRole("button")
        .map(({ textContent }) => textContent),
    ).toEqual(["Send now"]);
    expect(within(await row("two")).queryByRole("button", { name: "Change the message" })).toBeNull();
  });
});
