import { describe, expect, test } from "vitest";

import { arrange, kRecentGroup, type PaletteItem, scoreItem } from "@/shell/palette/matching";

const item = (title: string, group = "Window", keywords: string[] = []): PaletteItem => ({ id: title, title, group, keywords });
const titles = (groups: ReturnType<typeof arrange>) => groups.map(({ title, items }) => [title, ...items.map((one) => one.title)]);

const kPluginNames =
  "Release notes, Release train, Review queue, Review notes, Stand-up, Focus timer, Todo, Pomodoro, Journal, Calendar, " +
  "Mail digest, Mail merge, Bookmarks, Clipboard history, Snippets, Kanban, Roadmap, Budget, Invoices, Time sheets, " +
  "Habit tracker, Weather, Feed reader, Podcasts, Recipes, Reading list, Link checker, Log viewer, Metrics, Dashboards, " +
  "Status page, Uptime, Deployments, Feature flags, Secrets, Key vault, Database browser, Query runner, Schema diff, Migrations, " +
  "API explorer, Mock server, Load test, Test reports, Coverage, Code search, Code owners, Dependency graph, Licences, Changelog, " +
  "Issue board, Issue triage, Merge queue, Branch cleaner, Commit stats, Design tokens, Colour picker, Icon browser, Translations, Glossary";

describe("matching", () => {
  test.each([
    ["set", "Settings", "Reset"],
    ["todo", "Todos", "Plugin todos"],
    ["np", "New plugin", "Open the console"],
    ["uber", "Über", "Unrelated number"],
    ["rn", "Release notes", "Journal"],
    ["lrn", "Log of Release notes", "Learning"],
    ["reno", "Release notes", "Prenotes"],
    ["set", "Settings", "Send every text"],
    ["re", "Review", "Run everything"],
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

describe("sixty plugins", () => {
  const kNames = kPluginNames.split(", ");
  const kPlaces = ["New thread", "Inbox", "Projects", "Machines", "Skills", "Plugins", "Settings", "Server log"];
  const rows: PaletteItem[] = [
    ...kPlaces.map((title) => item(title, "Go to")),
    ...kNames.map((title) => item(title, "Go to", [title.toLowerCase().replaceAll(" ", "-")])),
    ...kNames.flatMap((name) => [`About ${name}`, `Settings of ${name}`, `Log of ${name}`].map((title) => item(title, "Plugins"))),
  ];
  const listed = (query: string) => arrange(rows, query, []).flatMap(({ items }) => items.map(({ title }) => title));

  /** What comes to mind: how a word begins, how the first one or its letter goes on with a later one, first letters. */
  const queries = (title: string, most: number): string[] => {
    const words = title.toLowerCase().split(" ");
    const first = words[0]![0]!;
    const initials = (of: readonly string[]) => of.map((word) => word[0]).join("");
    const texts = [
      ...words,
      initials(words),
      initials(words.filter((word) => word !== "of")),
      ...words.slice(1).flatMap((word) => [first + word, `${first} ${word}`]),
    ];
    return texts.map((text) => text.slice(0, most));
  };

  test.each(rows.map(({ title }) => title))("%s is six presses away", (title) => {
    // Mod+K and Enter are two of them, an arrow is one.
    const ways = [0, 1, 2].flatMap((arrows) => queries(title, 4 - arrows).filter((query) => listed(query)[arrows] === title));
    expect(ways.length).toBeGreaterThan(0);
  });

  test("there are sixty, none twice", () => {
    expect(new Set(kNames).size).toBe(60);
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
