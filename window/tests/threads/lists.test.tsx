import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { QueryClientProvider } from "@tanstack/react-query";
import { MemoryRouter } from "react-router";
import { afterEach, describe, expect, it } from "vitest";

import type { Thread } from "#sdk/records.js";
import { queryClient } from "@/api/queries";
import { Inbox } from "@/threads/inbox";
import { ThreadBrowser } from "@/threads/thread_browser";
import { TooltipProvider } from "@/ui/tooltip";

import { FakeService } from "../plugins_pages/fake_service";
import { threadRecord } from "./fixtures";

afterEach(() => {
  cleanup();
  queryClient.clear();
});

function show(threads: Thread[], page = <ThreadBrowser />) {
  const service = new FakeService()
    .on("GET /system/config", () => ({ records: ["threads", "projects", "hosts"] }))
    .on("GET /threads", () => ({ threads }))
    .on("GET /projects", () => ({ projects: [{ id: "p1", name: "Website", kind: "standard" }] }))
    .on("GET /hosts", () => ({ hosts: [] }))
    .on("GET /threads/t2/interactions", () => ({
      interactions: [
        {
          id: "i",
          threadId: "t2",
          status: "pending",
          createdAt: 1,
          expiresAt: null,
          resolution: null,
          origin: { kind: "provider" },
          payload: { kind: "user_question", questions: [{ id: "q", prompt: "Which colour?", multiSelect: false, allowFreeText: true }] },
        },
      ],
    }))
    .on("POST /threads/t1/pin", () => ({ thread: threads[0] }))
    .install();
  render(
    <QueryClientProvider client={queryClient}>
      <MemoryRouter>
        <TooltipProvider>{page}</TooltipProvider>
      </MemoryRouter>
    </QueryClientProvider>,
  );
  return service;
}

const kThreads = [
  threadRecord({ title: "Build", latestAttentionAt: 5, lastReadAt: 1 }),
  threadRecord({ id: "t2", title: "Paint", latestAttentionAt: 9, lastReadAt: 9, hasPendingInteraction: true }),
  threadRecord({ id: "t3", title: "Pinned one", pinnedAt: 1 }),
  threadRecord({ id: "t4", title: "Old", archivedAt: 1 }),
  threadRecord({ id: "t5", title: "Elsewhere", projectId: "gone" }),
];

describe("the list of threads", () => {
  it("has pinned ones first, then projects with the newest first, then the archive", async () => {
    show(kThreads);
    await screen.findByRole("link", { name: "Build" });
    expect(screen.getAllByRole("heading").map(({ textContent }) => textContent)).toEqual([
      "Pinned",
      "Website",
      "Other projects",
      "Archive",
    ]);
    expect(screen.getAllByRole("link").map(({ textContent }) => textContent)).toEqual(["Pinned one", "Paint", "Build", "Elsewhere", "Old"]);
    expect(screen.getByText("Waiting for your answer")).toBeTruthy();
  });

  it("finds threads by words of their titles, and says when there is none", async () => {
    show(kThreads);
    const search = await screen.findByRole("searchbox", { name: "Find a thread" });
    await userEvent.type(search, "one pin");
    expect(screen.getAllByRole("link")).toHaveLength(1);
    await userEvent.type(search, "zzz");
    expect(screen.getByText("No thread matches")).toBeTruthy();
  });

  it("pins", async () => {
    const service = show(kThreads);
    await userEvent.click(await screen.findByRole("button", { name: "Pin Build" }));
    expect(service.bodies("POST /threads/t1/pin")).toEqual([{}]);
  });

  it("says what belongs here while there is nothing", async () => {
    show([]);
    expect(await screen.findByText("No threads yet")).toBeTruthy();
  });
});

describe("the inbox", () => {
  it("asks what waits in any thread, and names the thread", async () => {
    show(kThreads, <Inbox />);
    expect(await screen.findByText("Which colour?")).toBeTruthy();
    expect(screen.getByRole("link", { name: "Paint" })).toBeTruthy();
  });

  it("says that nothing waits", async () => {
    show([kThreads[3]!], <Inbox />);
    expect(await screen.findByText("Nothing waits for you")).toBeTruthy();
  });

  it("has what was not read, and marks all of it", async () => {
    const service = show([kThreads[0]!], <Inbox />);
    service.on("POST /threads/t1/mark-read", () => ({ thread: kThreads[0] }));
    expect(await screen.findByRole("link", { name: /Build/ })).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Mark all as read" }));
    expect(service.bodies("POST /threads/t1/mark-read")).toEqual([{}]);
  });
});
