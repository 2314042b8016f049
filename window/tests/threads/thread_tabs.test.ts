import { afterEach, beforeEach, expect, it, vi } from "vitest";

import type { ThreadTab } from "#sdk/sdk_threads.js";
import type { ChangedMessage, Realtime } from "@/api/realtime";
import { kOwnPanel, panelSurface } from "@/plugins/right_panel";
import { followThreadTabs } from "@/threads/thread_tabs";

import { FakeService, Refusal } from "../plugins_pages/fake_service";
import { pluginWith, resetWindow, showPlugins } from "../shell/fixtures";

let revision = 0;
let stored: ThreadTab[] = [];
let tell: (message: ChangedMessage) => void = () => undefined;
let stop: () => void = () => undefined;
let count = 0;
let service: FakeService;

const realtime = {
  watch: (_target: unknown, listener: typeof tell) => ((tell = listener), () => undefined),
  onConnected: () => () => undefined,
} as unknown as Realtime;
const panel = (id: string, params: object | null = null): ThreadTab => ({
  id,
  kind: "plugin-panel",
  pluginId: "notes",
  actionId: "note",
  title: "Note",
  paramsJson: params === null ? null : JSON.stringify(params),
});
const tabsChanged: ChangedMessage = { entity: "thread", id: "t1", changes: ["tabs-changed"] };
const saves = () => service.requests.filter(({ method }) => method === "PUT").length;
const reads = () => service.requests.filter(({ method }) => method === "GET").length;
const settled = () => vi.waitFor(() => expect(reads()).toBeGreaterThan(0));

beforeEach(() => {
  localStorage.clear();
  revision = 0;
  stored = [];
  showPlugins(pluginWith("notes", (app) => app.slots.threadPanelAction({ id: "note", title: "Note", component: () => null })));
  service = new FakeService()
    .on("GET /threads/t1/tabs", () => ({ revision, tabs: stored }))
    .on("PUT /threads/t1/tabs", ({ body }) => {
      const wanted = body as { expectedRevision: number; tabs: ThreadTab[] };
      if (wanted.expectedRevision !== revision) {
        throw new Refusal(409, "conflict", "other tabs");
      }
      stored = wanted.tabs;
      return { revision: ++revision, tabs: stored };
    })
    .install();
});
afterEach(() => {
  stop();
  resetWindow();
  vi.unstubAllGlobals();
});

function follow({ environmentId = "e1" as string | null, opens = true } = {}) {
  const surface = panelSurface(`thread-tabs-${++count}`, "threadPanelActions");
  stop = followThreadTabs({ threadId: "t1", environmentId, surface, opens, realtime });
  return surface;
}

it("shows the tabs that the service has, and opens a panel that nobody has touched", async () => {
  stored = [panel("mine", { card: 1 }), { id: "d", kind: "git-diff" }, { id: "x", kind: "browser", url: "https://a" }];
  const surface = follow();
  await vi.waitFor(() => expect(surface.state().tabs).toHaveLength(2));
  expect(surface.state()).toMatchObject({
    isOpen: true,
    tabs: [
      { pluginId: "notes", actionId: "note", title: "Note", params: { card: 1 } },
      { pluginId: kOwnPanel, actionId: "changes", params: { environmentId: "e1" } },
    ],
  });
  expect(surface.state().activeId).toBe(surface.state().tabs[0]!.id);
  expect(saves()).toBe(0);
});

it("opens no panel where it would cover the thread; whoever opens it sees the tabs", async () => {
  stored = [panel("mine", { card: 1 })];
  const surface = follow({ opens: false });
  await vi.waitFor(() => expect(surface.state().tabs).toHaveLength(1));
  expect(surface.state().isOpen).toBe(false);
  surface.setOpen(true);
  expect(surface.state().activeId).toBe(surface.state().tabs[0]!.id);
  expect(saves()).toBe(0);
});

it("tells the service of tabs that are opened and closed, and leaves kinds that it does not show", async () => {
  const strange = { id: "x", kind: "browser", url: "https://a" };
  stored = [strange];
  const surface = follow();
  await settled();
  surface.open({ pluginId: "notes", actionId: "note", title: "Note", params: { card: 2 } });
  await vi.waitFor(() => expect(stored).toHaveLength(2));
  expect(stored[0]).toEqual(strange);
  expect(stored[1]).toMatchObject({ kind: "plugin-panel", pluginId: "notes", actionId: "note", title: "Note", paramsJson: '{"card":2}' });
  surface.open({
    pluginId: kOwnPanel,
    actionId: "thread-file",
    title: "a.ts",
    params: { threadId: "t1", source: "workspace", path: "a.ts", lineNumber: 3 },
  });
  await vi.waitFor(() => expect(stored).toHaveLength(3));
  expect(stored[2]).toMatchObject({
    kind: "workspace-file-preview",
    path: "a.ts",
    source: { kind: "working-tree" },
    lineRange: { startLineNumber: 3, endLineNumber: 3 },
  });
  surface.close(surface.state().tabs[0]!.id);
  await vi.waitFor(() => expect(stored.map(({ kind }) => kind)).toEqual(["browser", "workspace-file-preview"]));
});

it("takes what others change while it is shown, and keeps what was opened here", async () => {
  const surface = follow();
  await settled();
  surface.open({ pluginId: "notes", actionId: "note", title: "Note", params: { card: 1 } });
  await vi.waitFor(() => expect(revision).toBe(1));
  stored = [...stored, panel("theirs", { card: 2 })];
  revision += 1;
  surface.setOpen(false);
  tell(tabsChanged);
  await vi.waitFor(() => expect(surface.state().tabs.map(({ params }) => params)).toEqual([{ card: 1 }, { card: 2 }]));
  expect(surface.state().isOpen).toBe(false);
  stored = stored.slice(1);
  revision += 1;
  tell(tabsChanged);
  await vi.waitFor(() => expect(surface.state().tabs.map(({ params }) => params)).toEqual([{ card: 2 }]));
});

it("when somebody else was faster, both have their way", async () => {
  const surface = follow();
  await settled();
  let isFirst = true;
  service.on("PUT /threads/t1/tabs", ({ body }) => {
    if (isFirst) {
      isFirst = false;
      stored = [panel("theirs", { card: 9 })];
      revision = 5;
      throw new Refusal(409, "conflict", "other tabs");
    }
    stored = (body as { tabs: ThreadTab[] }).tabs;
    return { revision: ++revision, tabs: stored };
  });
  surface.open({ pluginId: "notes", actionId: "note", title: "Note", params: { card: 1 } });
  await vi.waitFor(() => expect(stored.map(({ paramsJson }) => paramsJson)).toEqual(['{"card":9}', '{"card":1}']));
  expect(surface.state().tabs).toHaveLength(2);
});

it("does not show changes of a thread that works nowhere, and keeps the tab", async () => {
  stored = [{ id: "d", kind: "git-diff" }, panel("mine")];
  const surface = follow({ environmentId: null });
  await vi.waitFor(() => expect(surface.state().tabs).toHaveLength(1));
  expect(saves()).toBe(0);
  expect(stored).toHaveLength(2);
});
