import { QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter } from "react-router";
import { afterEach, describe, expect, it, vi } from "vitest";

import type { QueuedMessage } from "#sdk/records.js";
import { queryClient } from "@/api/queries";
import { Queue } from "@/threads/queue";
import { TooltipProvider } from "@/ui/tooltip";

import { FakeService, Refusal } from "../plugins_pages/fake_service";

afterEach(() => {
  cleanup();
  queryClient.clear();
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

function show(rows: object[]) {
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
          <Queue threadId="t1" projectId="p1" />
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
    expect(within(await row("one")).getByRole<HTMLButtonElement>("button", { name: "Send it earlier" }).disabled).toBe(true);
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
