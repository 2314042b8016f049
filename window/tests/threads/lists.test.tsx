import { cleanup, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { QueryClientProvider } from "@tanstack/react-query";
import { MemoryRouter } from "react-router";
import { afterEach, describe, expect, it, vi } from "vitest";

import type { Thread } from "#sdk/records.js";
import { queryClient } from "@/api/queries";
import { Inbox } from "@/threads/inbox";
import { ThreadBrowser } from "@/threads/thread_browser";
import { TooltipProvider } from "@/ui/tooltip";

import { FakeService } from "../plugins_pages/fake_service";
import { threadRecord } from "./fixtures";

afterEach(() => {
  cleanup();
  localStorage.clear();
  dispatchEvent(new StorageEvent("storage", { key: null }));
  queryClient.clear();
});

function show(threads: Thread[], page = <ThreadBrowser />) {
  const service = new FakeService()
    .on("GET /system/config", () => ({ records: ["threads", "projects", "hosts", "providers"] }))
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
    .on("GET /providers", () => ({ providers: [{ id: "agent", displayName: "Robot", available: true, unavailableReason: null }] }))
    .on("GET /thread-sections", () => ({ threadSections: [] }))
    .on("GET /threads/search", () => ({ active: { results: [], total: 0 }, archived: { results: [], total: 0 } }))
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

const section = (id: string, name: string) => ({ id, name, createdAt: 1, updatedAt: 1 });

const linksOf = (group: string) =>
  within(screen.getByRole("region", { name: group }))
    .getAllByRole("link")
    .map(({ textContent }) => textContent);

async function choose(row: string, item: string): Promise<void> {
  await userEvent.click(screen.getByRole("button", { name: `More for ${row}` }));
  await userEvent.click(await screen.findByRole("menuitem", { name: item }));
}

describe("the list of threads", () => {
  it("begins with the words that somebody came with", async () => {
    const service = show(kThreads, <ThreadBrowser initialQuery="Build" />);
    expect((await screen.findByRole<HTMLInputElement>("searchbox")).value).toBe("Build");
    expect(screen.queryByRole("link", { name: /Paint/ })).toBeNull();
    await vi.waitFor(() => expect(service.requests.some(({ path }) => path === "/threads/search")).toBe(true));
  });

  it("has pinned ones first, then projects with the newest first, and the archive folded", async () => {
    show(kThreads);
    await screen.findByRole("link", { name: /Build/ });
    expect(screen.getAllByRole("heading").map(({ textContent }) => textContent)).toEqual([
      "Pinned1",
      "Website2",
      "Other projects1",
      "Archive1",
    ]);
    expect(linksOf("Website")).toEqual(["Waiting for your answer: Paint", "Not read yet: Build"]);
    expect(screen.queryByRole("link", { name: "Old" })).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: /^Archive/ }));
    expect(linksOf("Archive")).toEqual(["Old"]);
  });

  it("finds threads by words of their titles, and says when there is none", async () => {
    show(kThreads);
    const search = await screen.findByRole("searchbox", { name: "Find a thread" });
    await userEvent.type(search, "one pin");
    expect(screen.getAllByRole("link")).toHaveLength(1);
    await userEvent.type(search, "zzz");
    expect(screen.getByText("No thread matches")).toBeTruthy();
  });

  it("pins from a thread's menu, and says the new neighbours of a pinned one that moves", async () => {
    const pinned = ["b", "a", "C"].map((pinSortKey, index) =>
      threadRecord({ id: `t${index + 1}`, title: `Pin ${pinSortKey}`, pinnedAt: 1, pinSortKey }),
    );
    const service = show([...pinned, threadRecord({ id: "t9", title: "Build" })]);
    service.on("POST /threads/t9/pin", () => ({ thread: {} })).on("POST /threads/reorder-pinned", () => ({ threads: [] }));
    await screen.findByRole("link", { name: "Build" });
    expect(linksOf("Pinned")).toEqual(["Pin C", "Pin a", "Pin b"]);
    await choose("Pin a", "Move up");
    await choose("Build", "Pin");
    await vi.waitFor(() => expect(service.bodies("POST /threads/t9/pin")).toEqual([{}]));
    expect(service.bodies("POST /threads/reorder-pinned")).toEqual([{ threadId: "t2", previousThreadId: null, nextThreadId: "t3" }]);
  });

  it("moves threads into sections, old and new ones, which are renamed and deleted where they stand", async () => {
    const service = show([threadRecord({ title: "Build", sectionId: "s1" }), threadRecord({ id: "t2", title: "Paint" })])
      .on("GET /providers", () => ({ providers: [{ id: "agent", displayName: "Robot", available: true, unavailableReason: null }] }))
      .on("GET /thread-sections", () => ({ threadSections: [section("s1", "Later"), section("s2", "Soon")] }))
      .on("POST /thread-sections", () => ({ threadSection: section("s3", "New") }))
      .on("PATCH /thread-sections/s1", () => ({ id: "s1" }))
      .on("DELETE /thread-sections/s1", () => ({ id: "s1" }))
      .on("PATCH /threads/t1", () => ({ thread: {} }))
      .on("PATCH /threads/t2", () => ({ thread: {} }));
    await screen.findByRole("heading", { name: /Soon/ });
    expect(linksOf("Later")).toEqual(["Build"]);
    await choose("Build", "Take out of its section");
    await choose("Paint", "Move to Soon");
    await choose("Paint", "Move to a new section…");
    await userEvent.type(await screen.findByRole("textbox", { name: "Name" }), " New ");
    await userEvent.click(screen.getByRole("button", { name: "Create and move" }));
    await vi.waitFor(() => expect(service.bodies("PATCH /threads/t2")).toEqual([{ sectionId: "s2" }, { sectionId: "s3" }]));
    expect(service.bodies("PATCH /threads/t1")).toEqual([{ sectionId: null }]);
    expect(service.bodies("POST /thread-sections")).toEqual([{ name: "New" }]);
    await choose("the section Later", "Rename…");
    await userEvent.type(await screen.findByRole("textbox", { name: "Name" }), "!");
    await userEvent.click(screen.getByRole("button", { name: "Rename" }));
    await vi.waitFor(() => expect(service.bodies("PATCH /thread-sections/s1")).toEqual([{ name: "Later!" }]));
    await choose("the section Later", "Delete…");
    await userEvent.click(await screen.findByRole("button", { name: "Delete section" }));
    await vi.waitFor(() => expect(service.bodies("DELETE /thread-sections/s1")).toHaveLength(1));
  });

  it("shows what is asked for by its state, and what was said in messages", async () => {
    const service = show(kThreads).on("GET /threads/search", () => ({
      active: {
        total: 1,
        results: [
          {
            thread: kThreads[1],
            matches: [
              { sourceKind: "assistant_message", sourceSeq: 3, text: "it is blue now", highlightRanges: [{ start: 6, end: 10 }] },
              { sourceKind: "user_message", sourceSeq: 9, text: "why blue", highlightRanges: [{ start: 4, end: 8 }] },
            ],
          },
        ],
      },
      archived: {
        total: 1,
        results: [{ thread: kThreads[0], matches: [{ sourceKind: "title", sourceSeq: null, text: "Build", highlightRanges: [] }] }],
      },
    }));
    await screen.findByRole("link", { name: /Build/ });
    await userEvent.type(screen.getByRole("searchbox", { name: "Find a thread" }), "blue");
    const found = await screen.findByRole("list", { name: "Found in messages" });
    expect(
      within(found)
        .getAllByRole("link")
        .map((link) => [link.textContent, link.getAttribute("href")]),
    ).toEqual([
      ["Paintit is blue now", `/threads/${kThreads[1]!.id}?at=3`],
      ["why blue", `/threads/${kThreads[1]!.id}?at=9`],
    ]);
    expect(found.querySelector("mark")?.textContent).toBe("blue");
    expect(service.requests.findLast(({ path }) => path === "/threads/search")?.query.get("query")).toBe("blue");
  });

  it("folds a group for good, and opens it for a search", async () => {
    show(kThreads);
    await screen.findByRole("link", { name: /Paint/ });
    await userEvent.click(screen.getByRole("button", { name: /^Website/ }));
    expect(screen.queryByRole("link", { name: /Paint/ })).toBeNull();
    cleanup();
    show(kThreads);
    await userEvent.type(await screen.findByRole("searchbox", { name: "Find a thread" }), "paint");
    expect(screen.getByRole("link", { name: /Paint/ })).toBeTruthy();
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

  it("says which agent asks", async () => {
    show(kThreads, <Inbox />);
    expect(await screen.findByText("Robot")).toBeTruthy();
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
