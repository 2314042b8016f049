import { describe, expect, test } from "vitest";

import { crumbTo, kPlaces, kSettingsPlaces, kSidebarPlaces, rowOf } from "@/lib/places";

test("every place stands once in the palette's list, under a name of its own", () => {
  for (const of of [({ id }: { id: string }) => id, ({ title }: { title: string }) => title, ({ to }: { to: string }) => to]) {
    const all = kPlaces.map(of);
    expect(all).toEqual([...new Set(all)]);
  }
  for (const place of [...kSidebarPlaces, ...kSettingsPlaces]) {
    expect(kPlaces.some(({ to }) => to === place.to)).toBe(true);
  }
});

describe("the row of an address", () => {
  test.each([
    ["/", "new-thread"],
    ["/inbox", "inbox"],
    ["/settings/projects", "projects"],
    ["/settings/projects/proj_1", "projects"],
    ["/settings/machines/", "machines"],
    ["/settings/machines/host_1", "machines"],
    ["/files/host_1", "machines"],
    ["/terminals/term_1", "machines"],
    ["/skills/plugin%3Aa%3Ab", "skills"],
    ["/plugins", "plugins"],
    ["/plugins/todo", "plugins"],
    ["/settings/plugins/todo/logs", "plugins"],
    ["/settings", "settings"],
    ["/settings/agents", "settings"],
  ])("%s is %s", (pathname, row) => {
    expect(rowOf(pathname)).toBe(row);
  });

  test.each(["/plugins/todo/todos", "/threads", "/threads/thr_1", "/skillsets", "/no/such/page"])("%s has none", (pathname) => {
    expect(rowOf(pathname)).toBeNull();
  });
});

test("a crumb leads to its place", () => {
  expect(crumbTo("machines")).toEqual({ label: "Machines", to: "/settings/machines" });
  expect(crumbTo("agents")).toEqual({ label: "Agents & MCP", to: "/settings/agents" });
});
