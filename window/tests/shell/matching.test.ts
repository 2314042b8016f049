import { describe, expect, test } from "vitest";

import { arrange, kRecentGroup, type PaletteItem, scoreItem } from "@/shell/palette/matching";

const item = (title: string, group = "Window", keywords: string[] = []): PaletteItem => ({ id: title, title, group, keywords });
const titles = (groups: ReturnType<typeof arrange>) => groups.map(({ title, items }) => [title, ...items.map((one) => one.title)]);

describe("matching", () => {
  test.each([
    ["set", "Settings", "Reset"],
    ["todo", "Todos", "Plugin todos"],
    ["np", "New plugin", "Open the console"],
    ["uber", "Über", "Unrelated number"],
  ])("%s finds %s before %s", (query, better, worse) => {
    expect(scoreItem(query, item(better))).toBeGreaterThan(scoreItem(query, item(worse)));
  });

  test("every word counts, in any order, group and keywords included", () => {
    expect(scoreItem("theme dark", item("Dark theme"))).toBeGreaterThan(0);
    expect(scoreItem("timer start", item("Start a session", "Focus timer"))).toBeGreaterThan(0);
    expect(scoreItem("catalogue", item("Browse plugins", "Go to", ["catalogue"]))).toBeGreaterThan(0);
    expect(scoreItem("dark nothing", item("Dark theme"))).toBe(0);
  });

  test("letters far apart are no match", () => {
    expect(scoreItem("xz", item("x and then a very long text until z"))).toBe(0);
  });
});

describe("arrangement", () => {
  const items = [item("Alpha"), item("Beta", "Plugin"), item("Gamma"), item("Alphabet", "Plugin")];

  test("without a query shows recent ones first and everything else in its groups", () => {
    expect(titles(arrange(items, " ", ["Gamma", "no longer there"]))).toEqual([
      [kRecentGroup, "Gamma"],
      ["Window", "Alpha"],
      ["Plugin", "Beta", "Alphabet"],
    ]);
  });

  test("with a query orders groups by their best match", () => {
    expect(titles(arrange(items, "beta", []))).toEqual([["Plugin", "Beta"]]);
    expect(titles(arrange(items, "alpha", []))).toEqual([
      ["Window", "Alpha"],
      ["Plugin", "Alphabet"],
    ]);
  });

  test("prefers what was used before among equals", () => {
    const equal = [item("Run one"), item("Run two")];
    expect(titles(arrange(equal, "run", ["Run two"]))).toEqual([["Window", "Run two", "Run one"]]);
  });
});
