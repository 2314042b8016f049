import { cleanup, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { QueryClientProvider } from "@tanstack/react-query";
import { MemoryRouter } from "react-router";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { queryClient } from "@/api/queries";
import { navigation } from "@/lib/navigation";
import { panelSurface } from "@/plugins/right_panel";
import { Conversation } from "@/threads/conversation";
import { createWorkspaceFiles, imagePathIn, pathIn, shortPath } from "@/threads/workspace_files";
import { fileOf } from "@/threads/work_files";
import type { TimelineRow } from "#sdk/timeline.js";
import type { WorkRow } from "@/threads/work_titles";
import { TooltipProvider } from "@/ui/tooltip";

import { FakeService, Refusal } from "../plugins_pages/fake_service";
import { pretendLayout } from "../setup/layout";
import { assistantRow, commandRow, rowBase, timelineOf, userRow } from "./fake_timeline";
import { threadRecord } from "./fixtures";

const kWorkspace = { hostId: "h1", root: "/work/site" };

describe("files of a workspace", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("are those below its folder", () => {
    expect(pathIn(kWorkspace, "src/a.ts")).toBe("/work/site/src/a.ts");
    expect(pathIn(kWorkspace, "/work/site/a.ts")).toBe("/work/site/a.ts");
    expect(pathIn(kWorkspace, "/work/site2/a.ts")).toBeNull();
    expect(pathIn(kWorkspace, "/etc/passwd.conf")).toBeNull();
    expect(shortPath(kWorkspace, "/work/site/src/a.ts")).toBe("src/a.ts");
    expect(shortPath(kWorkspace, "/work/site2/a.ts")).toBe("/work/site2/a.ts");
  });

  it("hold the images that texts name, and nothing that leads out of the folder", () => {
    expect(imagePathIn(kWorkspace, "./docs/a%20b.png?raw=1")).toBe("/work/site/docs/a b.png");
    expect(imagePathIn(kWorkspace, "/work/site/a.png")).toBe("/work/site/a.png");
    expect(imagePathIn(kWorkspace, "/tmp/shot%20(1).png")).toBe("/tmp/shot (1).png");
    for (const address of ["../a.png", "docs/%2e%2e/%2e%2e/a.png", "/tmp/../a.png", "//host/a.png", "https://host/a.png", "", "#a"]) {
      expect(imagePathIn(kWorkspace, address), address).toBeNull();
    }
  });

  it("are asked for together, and again only when they were not there", async () => {
    const exist = vi.fn(async (paths: string[]) => Object.fromEntries(paths.map((path) => [path, path.endsWith("a.ts")])));
    const files = createWorkspaceFiles(kWorkspace, { exist, open: () => undefined, urlOf: async (path) => path });
    files.ask("first.ts");
    await vi.advanceTimersByTimeAsync(500);
    for (const path of ["a.ts", "b.ts", "a.ts", "/etc/x.conf"]) {
      files.ask(path);
    }
    await vi.advanceTimersByTimeAsync(500);
    files.ask("a.ts");
    files.ask("b.ts");
    await vi.advanceTimersByTimeAsync(500);
    expect(exist.mock.calls.flat()).toEqual([["/work/site/first.ts"], ["/work/site/a.ts"], ["/work/site/b.ts"], ["/work/site/b.ts"]]);
    expect(files.there.get().get("a.ts")).toBe(true);
    expect(files.there.get().get("b.ts")).toBe(false);
  });

  it("stay text when their machine does not answer", async () => {
    const files = createWorkspaceFiles(kWorkspace, {
      exist: () => Promise.reject(new Error("away")),
      open: () => undefined,
      urlOf: async (path) => path,
    });
    files.ask("a.ts");
    await vi.advanceTimersByTimeAsync(500);
    expect(files.there.get().size).toBe(0);
  });
});

describe("a thread", () => {
  let service: FakeService;

  beforeEach(() => {
    localStorage.clear();
    sessionStorage.clear();
    const change = { path: "/work/site/src/door.ts", kind: "update", movePath: null, diff: null, diffStats: { added: 1, removed: 0 } };
    const more = { workKind: "file-change", change, stdout: null, stderr: null, status: "completed" };
    const text = "See `src/door.ts:3`, `src/gone.ts`, [the roof](roof.md) and [there](/work/site/src/door.ts#L9), not `npm test`.";
    service = new FakeService()
      .on("GET /threads/t1", () => ({ thread: threadRecord({ environmentId: "e1" }) }))
      .on("GET /threads/t1/timeline", () =>
        timelineOf([userRow("u", 1, "Hello"), commandRow("f", 2, "", more), assistantRow("a", 3, text, { sourceSeqEnd: 4 })]),
      )
      .on("GET /threads/t1/interactions", () => ({ interactions: [] }))
      .on("GET /threads/t1/queued-messages", () => ({ queuedMessages: [] }))
      .on("GET /threads/t1/default-execution-options", () => ({ options: null }))
      .on("GET /system/config", () => ({ records: ["threads"] }))
      .on("GET /environments/e1", () => ({ environment: { id: "e1", hostId: "h1", path: "/work/site" } }))
      .on("POST /hosts/h1/paths-exist", ({ body }) => ({
        existence: Object.fromEntries((body as { paths: string[] }).paths.map((path) => [path, !path.includes("gone")])),
      }))
      .install();
    pretendLayout();
  });
  afterEach(() => {
    cleanup();
    queryClient.clear();
    vi.restoreAllMocks();
  });

  function show(panel?: ReturnType<typeof panelSurface>) {
    render(
      <QueryClientProvider client={queryClient}>
        <MemoryRouter>
          <TooltipProvider>
            <Conversation threadId="t1" surface={{ projectId: "p1", threadId: "t1", ...(panel === undefined ? {} : { panel }) }} />
          </TooltipProvider>
        </MemoryRouter>
      </QueryClientProvider>,
    );
  }

  it("opens the files that its texts name and its rows are about, beside it", async () => {
    const panel = panelSurface("thread:t1", "threadPanelActions");
    show(panel);
    await userEvent.click(await screen.findByRole("button", { name: "src/door.ts:3" }));
    await userEvent.click(await screen.findByRole("button", { name: "the roof" }));
    await userEvent.click(await screen.findByRole("button", { name: "there" }));
    await userEvent.click(screen.getByRole("button", { name: "Open /work/site/src/door.ts" }));
    expect(panel.state().tabs.map(({ params }) => params)).toMatchObject([
      { threadId: "t1", source: "workspace", path: "src/door.ts", lineNumber: 3 },
      { path: "roof.md", lineNumber: null },
      { path: "src/door.ts", lineNumber: 9 },
      { path: "src/door.ts", lineNumber: null },
    ]);
    await waitFor(() => expect(service.bodies("POST /hosts/h1/paths-exist").length).toBeGreaterThan(0));
    expect(screen.queryByRole("button", { name: "src/gone.ts" })).toBeNull();
    expect(screen.getByText("src/gone.ts").tagName).toBe("CODE");
  });

  it("loads an image of its folder when it is asked for, and says when it cannot be read", async () => {
    service
      .on("GET /threads/t1/timeline", () =>
        timelineOf([userRow("u", 1, "Hello"), assistantRow("a", 3, "![The door](./img/door.png)", { sourceSeqEnd: 4 })]),
      )
      .on("POST /files/create-preview", () => {
        throw new Refusal(503, "unavailable", "the machine is away");
      });
    show();
    await userEvent.click(await screen.findByRole("button", { name: "The door · Load image img/door.png" }));
    const again = await screen.findByRole("button", { name: "The door · img/door.png could not be shown: try again" });
    service.on("POST /files/create-preview", () => ({ baseUrl: "/api/v1/files/previews/p1", expiresAtMs: Date.now() + 60_000 }));
    await userEvent.click(again);
    expect((await screen.findByRole("img", { name: "The door" })).getAttribute("src")).toMatch(
      /\/api\/v1\/files\/previews\/p1\/door\.png$/,
    );
    expect(service.bodies("POST /files/create-preview")).toMatchObject([
      { hostId: "h1", rootPath: "/work/site/img" },
      { hostId: "h1", rootPath: "/work/site/img" },
    ]);
  });

  it("shows at once what the agent has sent itself, and what is looked at when its row is opened", async () => {
    const kept = `/home/ann/.svc/pictures/${"a1".repeat(16)}.png`;
    const view = {
      ...rowBase("w", 2),
      kind: "work",
      workKind: "image-view",
      status: "completed",
      path: "/tmp/a#b.png",
    } as unknown as TimelineRow;
    service
      .on("GET /threads/t1/timeline", () => timelineOf([userRow("u", 1, "Hello"), view, assistantRow("a", 3, `![image](${kept})`)]))
      .on("POST /files/create-preview", () => ({ baseUrl: "/api/v1/files/previews/p1", expiresAtMs: Date.now() + 60_000 }));
    show();
    expect((await screen.findByRole("img", { name: "image" })).getAttribute("src")).toMatch(/\/previews\/p1\/(a1){16}\.png$/);
    await userEvent.click(screen.getByText(/Looked at/));
    expect((await screen.findByRole("img", { name: "a#b.png" })).getAttribute("src")).toMatch(/\/previews\/p1\/a%23b\.png$/);
    expect(service.bodies("POST /files/create-preview")).toMatchObject([{ rootPath: "/home/ann/.svc/pictures" }, { rootPath: "/tmp" }]);
  });

  it("opens them on the page of their machine where nothing is beside it", async () => {
    const toFiles = vi.spyOn(navigation, "toFiles").mockImplementation(() => undefined);
    show();
    await userEvent.click(await screen.findByRole("button", { name: "src/door.ts:3" }));
    expect(toFiles).toHaveBeenCalledWith({ hostId: "h1", folder: "/work/site/src", file: "door.ts", line: 3 });
  });
});

describe("fileOf", () => {
  const row = (more: object) => ({ ...rowBase("r", 1), kind: "work", status: "completed", ...more }) as unknown as WorkRow;
  const change = { path: "a.ts", kind: "update", movePath: null };

  it("is what is there afterwards", () => {
    expect(fileOf(row({ workKind: "file-change", change }))).toEqual({ path: "a.ts", line: null });
    expect(fileOf(row({ workKind: "file-change", change: { ...change, movePath: "b.ts" } }))).toEqual({ path: "b.ts", line: null });
    expect(fileOf(row({ workKind: "file-change", change: { ...change, kind: "delete" } }))).toBeNull();
    expect(fileOf(row({ workKind: "file-change", status: "pending", change: { ...change, movePath: "b.ts" } }))?.path).toBe("a.ts");
    expect(fileOf(row({ workKind: "file-change", status: "pending", change: { ...change, kind: "add" } }))).toBeNull();
  });

  it("is what a tool, a look or a command is about", () => {
    expect(fileOf(row({ workKind: "tool", toolArgs: { file_path: "/work/a.ts:4" } }))).toEqual({ path: "/work/a.ts", line: 4 });
    expect(fileOf(row({ workKind: "tool", toolArgs: { path: "src" } }))).toBeNull();
    expect(fileOf(row({ workKind: "tool", toolArgs: null }))).toBeNull();
    expect(fileOf(row({ workKind: "image-view", path: "a.png" }))).toEqual({ path: "a.png", line: null });
    expect(fileOf(row({ workKind: "command", activityIntents: [{ type: "read", command: "cat a", path: "a.ts" }] }))).toEqual({
      path: "a.ts",
      line: null,
    });
    expect(fileOf(row({ workKind: "command", activityIntents: [{ type: "search", command: "rg", path: "a.ts" }] }))).toBeNull();
  });
});
