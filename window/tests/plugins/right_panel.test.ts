import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { fixedTabId, panelSurface } from "@/plugins/right_panel";

import { pluginWith, resetWindow, showPlugins } from "../shell/fixtures";

let count = 0;
const freshKey = () => `test-${++count}`;

const warn = () => vi.spyOn(console, "warn").mockImplementation(() => undefined);

beforeEach(() => {
  showPlugins(
    pluginWith("notes", (app) => {
      app.slots.threadPanelAction({ id: "note", title: "Note", component: () => null });
      app.slots.navPanel({
        id: "board",
        title: "Board",
        icon: "X",
        path: "board",
        component: () => null,
        fixedTabs: [
          {
            panelId: "board",
            id: "info",
            title: "Info",
            icon: "X",
            component: () => null,
            experimental_target: { validate: (value) => value === 1 },
          },
        ],
      });
    }),
  );
});
afterEach(resetWindow);

describe("actions", () => {
  test("equal params focus the open tab, whatever the order of their members; others open another", () => {
    const surface = panelSurface(freshKey(), "threadPanelActions");
    expect(surface.open({ pluginId: "notes", actionId: "note", params: { a: 1, b: 2 } })).toBe(true);
    const first = surface.state().activeId;
    surface.open({ pluginId: "notes", actionId: "note", params: { a: 2 } });
    surface.open({ pluginId: "notes", actionId: "note", params: { b: 2, a: 1 } });
    expect(surface.state().tabs).toHaveLength(2);
    expect(surface.state()).toMatchObject({ activeId: first, isOpen: true });
  });

  test.each([
    ["params that are not JSON", { actionId: "note", params: { f: () => 1 } as never }],
    ["an unknown action", { actionId: "nothing" }],
  ])("%s are declined with a reason, and change nothing", (_, options) => {
    const log = warn();
    const surface = panelSurface(freshKey(), "threadPanelActions");
    expect(surface.open({ pluginId: "notes", ...options })).toBe(false);
    expect(log).toHaveBeenCalledExactlyOnceWith(expect.stringContaining("openPanel declined"));
    expect(surface.state()).toMatchObject({ isOpen: false, tabs: [] });
  });

  test("a page without such actions declines", () => {
    warn();
    expect(panelSurface(freshKey(), "fixed").open({ pluginId: "notes", actionId: "note" })).toBe(false);
  });

  test("params are a copy: what the plugin changes later does not change the tab", () => {
    const params = { list: [1] };
    const surface = panelSurface(freshKey(), "threadPanelActions");
    surface.open({ pluginId: "notes", actionId: "note", params });
    params.list.push(2);
    expect(surface.state().tabs[0]?.params).toEqual({ list: [1] });
  });

  test("tabs are kept in the browser", () => {
    const key = freshKey();
    panelSurface(key, "threadPanelActions").open({ pluginId: "notes", actionId: "note", title: "Mine", params: { id: 7 } });
    const kept = JSON.parse(localStorage.getItem("svc.panels")!) as Record<string, unknown>;
    expect(kept[key]).toMatchObject({ isOpen: true, tabs: [{ pluginId: "notes", actionId: "note", title: "Mine", params: { id: 7 } }] });
  });

  test("kept tabs come back, and what is none is left out", () => {
    const key = freshKey();
    const tab = { id: "t", pluginId: "notes", actionId: "note", title: null, params: null };
    localStorage.setItem("svc.panels", JSON.stringify({ [key]: { isOpen: true, activeId: "t", tabs: [tab, { id: 3 }, "junk"] } }));
    expect(panelSurface(key, "threadPanelActions").state()).toEqual({
      isOpen: true,
      activeId: "t",
      tabs: [tab],
      isTouched: true,
      taken: [],
    });
  });

  test("closing the active tab shows its neighbour, closing the last one the launcher", () => {
    const surface = panelSurface(freshKey(), "threadPanelActions");
    for (const id of [1, 2, 3]) {
      surface.open({ pluginId: "notes", actionId: "note", params: id });
    }
    const [a, b, c] = surface.state().tabs.map(({ id }) => id);
    surface.activate(b!);
    surface.close(b!);
    expect(surface.state().activeId).toBe(c);
    surface.close(c!);
    expect(surface.state().activeId).toBe(a);
    surface.close(a!);
    expect(surface.state()).toMatchObject({ activeId: null, tabs: [] });
  });
});

describe("fixed tabs", () => {
  const tab = { pluginId: "notes", panelId: "board", id: "info" };
  const tabId = fixedTabId("notes", "board", "info");

  test("take targets that they accept, with a rising sequence, until cleared", () => {
    const surface = panelSurface(freshKey(), "fixed");
    expect(surface.openFixed({ ...tab, target: 1 })).toBe(true);
    const first = surface.fixedTarget(tabId)!;
    surface.openFixed({ ...tab, target: 1 });
    expect(surface.fixedTarget(tabId)!.sequence).toBeGreaterThan(first.sequence);
    surface.clearFixedTarget(tabId);
    expect(surface.fixedTarget(tabId)).toBeUndefined();
    expect(surface.state()).toMatchObject({ isOpen: true, activeId: tabId });
  });

  test("refuse other targets and unknown tabs", () => {
    warn();
    const surface = panelSurface(freshKey(), "fixed");
    expect(surface.openFixed({ ...tab, target: 2 })).toBe(false);
    expect(surface.openFixed({ ...tab, id: "none" })).toBe(false);
    expect(surface.state().isOpen).toBe(false);
  });
});
