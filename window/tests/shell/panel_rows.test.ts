import { describe, expect, test } from "vitest";

import type { PluginDiagnostics } from "@/plugins/types";
import { currentRows, type KnownRow, movedOrder, orderRows } from "@/shell/panel_rows";
import { landingIndex } from "@/shell/row_drag";

import { record } from "../plugins/fake_plugins";
import { pluginWithPanels } from "./fixtures";

const row = (pluginId: string, panelId = "main"): KnownRow => ({ pluginId, panelId, title: panelId, icon: "X", path: panelId });
const keys = (rows: readonly KnownRow[]) => rows.map(({ pluginId, panelId }) => `${pluginId}/${panelId}`);
const kNone = new Map<string, PluginDiagnostics>();

describe("rows", () => {
  test("of plugins come in slot order, each plugin's as it registered them", () => {
    expect(keys(currentRows([pluginWithPanels("a", "z", "b"), pluginWithPanels("c", "y")], [], [], kNone))).toEqual(["a/z", "a/b", "c/y"]);
  });

  test("that are remembered keep their place while nothing is known yet", () => {
    expect(keys(currentRows([pluginWithPanels("b", "main")], [row("a"), row("c")], undefined, kNone))).toEqual([
      "a/main",
      "b/main",
      "c/main",
    ]);
  });

  test.each([
    ["running with a bundle that loads", record("a", "h", { enabled: true }), true],
    ["starting", record("a", null, { enabled: true, status: "starting" }), true],
    ["disabled", record("a", "h", { enabled: false, status: "disabled" }), false],
    ["failed on the server", record("a", "h", { enabled: true, status: "error" }), false],
    ["running without a bundle", record("a", null, { enabled: true }), false],
  ])("that are remembered of a plugin that is %s: kept %#", (_, plugin, isKept) => {
    expect(keys(currentRows([], [row("a")], [plugin], kNone))).toEqual(isKept ? ["a/main"] : []);
  });

  test("of a plugin that was removed go", () => {
    expect(currentRows([], [row("a")], [], kNone)).toEqual([]);
  });

  test("that an active plugin no longer registers go", () => {
    expect(keys(currentRows([pluginWithPanels("a", "new")], [row("a", "old")], [record("a", "h", { enabled: true })], kNone))).toEqual([
      "a/new",
    ]);
  });

  test("are ordered as the user said, new ones after them, hidden ones apart", () => {
    const { shown, hidden } = orderRows([row("a"), row("b"), row("c"), row("d")], ["c/main", "gone/main", "a/main"], ["b/main"]);
    expect(keys(shown)).toEqual(["c/main", "a/main", "d/main"]);
    expect(keys(hidden)).toEqual(["b/main"]);
  });
});

describe("moving", () => {
  test("puts a row at its new place", () => {
    expect(movedOrder([], ["a", "b", "c"], "c", 0)).toEqual(["c", "a", "b"]);
    expect(movedOrder([], ["a", "b", "c"], "a", 2)).toEqual(["b", "c", "a"]);
  });

  test("keeps the places of rows that are not there now", () => {
    expect(movedOrder(["a", "gone", "b"], ["a", "b"], "b", 0)).toEqual(["b", "gone", "a"]);
  });

  test("lands between the rows whose middles it passed", () => {
    expect(landingIndex(10, [20, 40])).toBe(0);
    expect(landingIndex(30, [20, 40])).toBe(1);
    expect(landingIndex(99, [20, 40])).toBe(2);
  });
});
