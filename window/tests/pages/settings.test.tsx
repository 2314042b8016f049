import { act, renderHook, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Route, Routes } from "react-router";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import AgentsPage from "@/pages/agents";
import NotFoundPage from "@/pages/not_found";
import SettingsRoute from "@/pages/settings";
import { queryClient, queryKeys } from "@/api/queries";
import { registerCommand } from "@/lib/commands";
import { kSettingRows, kSettingsPlaces } from "@/lib/places";
import { useFileOpeners } from "@/plugins/file_openers";
import { writePreference } from "@/lib/preferences";
import { setTheme, themeNow } from "@/lib/theme";

import { pluginWith, renderAt, resetWindow, showPlugins } from "../shell/fixtures";

afterEach(() => {
  resetWindow();
  setTheme("system");
});

const show = (path: string) =>
  renderAt(
    path,
    <Routes>
      <Route path="/settings" element={<SettingsRoute />} />
      <Route path="/settings/agents" element={<AgentsPage />} />
      <Route path="/settings/:section" element={<SettingsRoute />} />
      <Route path="*" element={<NotFoundPage />} />
    </Routes>,
  );

describe("sections", () => {
  test.each([
    ["/settings", "General"],
    ["/settings/appearance", "Appearance"],
    ["/settings/shortcuts", "Keyboard shortcuts"],
    ["/settings/agents", "Agents & MCP"],
    ["/settings/about", "About"],
  ])("%s has one heading and marks its place", (path, title) => {
    show(path);
    expect(screen.getAllByRole("heading", { level: 1 }).map((heading) => heading.textContent)).toEqual([title]);
    expect(screen.getByRole("link", { current: "page" }).textContent).toBe(title);
  });

  test.each(["nonsense", "plugins"])("%s is none, and says so", (section) => {
    show(`/settings/${section}`);
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("There is nothing at this address");
  });
});

describe("the search", () => {
  afterEach(() => queryClient.clear());

  test("finds sections, single settings and those of plugins, and leads there", async () => {
    const user = userEvent.setup();
    const record = { id: "weather", name: "Weather station", hasSettings: true };
    queryClient.setQueryData(queryKeys.plugins, [record, { ...record, id: "bare", name: "Bare weather", hasSettings: false }]);
    show("/settings");
    const search = screen.getByRole("searchbox", { name: "Search settings" });
    const found = () => within(screen.getByRole("list", { name: "Settings that match" })).queryAllByRole("link");
    await user.type(search, "weather");
    expect(found().map((link) => [link.textContent, link.getAttribute("href")])).toEqual([
      ["Weather stationPlugin", "/settings/plugins/weather"],
    ]);
    await user.clear(search);
    await user.type(search, "colours");
    expect(found().map((link) => link.textContent)).toEqual(expect.arrayContaining(["Appearance", "Palette"]));
    await user.clear(search);
    await user.type(search, "xyzzy");
    expect(screen.getByText("No setting matches “xyzzy”.")).toBeTruthy();
    expect(found()).toEqual([]);
  });

  test("knows every setting of the window", async () => {
    const titles = [...kSettingRows, ...kSettingsPlaces].map(({ title }) => title);
    const missing: string[] = [];
    for (const path of ["/settings", "/settings/appearance"]) {
      const { unmount } = show(path);
      await act(() => Promise.resolve());
      for (const section of document.querySelectorAll("section")) {
        const heading = section.querySelector("h2")?.textContent ?? "";
        const rows = [...section.querySelectorAll("label, p.font-medium")].map(({ textContent }) => textContent ?? "");
        // Rows that depend on plugins are found by the section that they are in.
        missing.push(...(titles.includes(heading) ? [] : rows.length === 0 ? [heading] : rows.filter((row) => !titles.includes(row))));
      }
      unmount();
    }
    expect(missing).toEqual([]);
  });
});

describe("shortcuts", () => {
  let remove = () => undefined as void;
  beforeEach(() => {
    remove = registerCommand({ id: "test", title: "Window thing", shortcut: { key: "j", control: true }, run: () => undefined });
  });
  afterEach(() => remove());

  test("a plugin's that collides is listed as not bound, with its owner", () => {
    showPlugins(
      pluginWith("a", (app) =>
        app.commands.register({ id: "x", title: "Mine", run: () => undefined, defaultShortcut: { key: "j", control: true } }),
      ),
    );
    show("/settings/shortcuts");
    expect(screen.getByText("Not bound: these keys belong to “Window thing” of the window.")).toBeTruthy();
  });

  test("are changed by pressing others, taken away, and given back", async () => {
    const user = userEvent.setup();
    show("/settings/shortcuts");
    const row = () => screen.getByText("Window thing").closest("li")!;
    const keys = () => within(row()).queryByText("J") ?? within(row()).queryByText("Y");
    expect(screen.queryByRole("button", { name: "Reset all" })).toBeNull();
    await user.click(screen.getByRole("button", { name: "Change the keys of Window thing" }));
    expect(document.activeElement?.textContent).toBe("Press the new keys…");
    await user.keyboard("{Control>}c{/Control}");
    expect(within(row()).getByRole("alert").textContent).toBe("Those keys edit text. Choose others.");
    await user.keyboard("{Control>}y{/Control}");
    expect(keys()?.textContent).toBe("Y");
    expect(document.activeElement?.textContent).toBe("Change");
    await user.click(screen.getByRole("button", { name: "Change the keys of Window thing" }));
    await user.keyboard("{Escape}");
    expect(keys()?.textContent).toBe("Y");
    await user.click(screen.getByRole("button", { name: "Change the keys of Window thing" }));
    await user.click(screen.getByRole("button", { name: "Remove the keys of Window thing" }));
    expect(within(row()).getByText("Add keys")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Reset all" }));
    expect(keys()?.textContent).toBe("J");
  });

  test("are found by words, commands without keys too", async () => {
    const user = userEvent.setup();
    showPlugins(pluginWith("a", (app) => app.commands.register({ id: "x", title: "Water the plants", run: () => undefined })));
    show("/settings/shortcuts");
    expect(screen.queryByText("Water the plants")).toBeNull();
    await user.type(screen.getByRole("searchbox", { name: "Search commands" }), "plants");
    expect(screen.getByText("Water the plants")).toBeTruthy();
    expect(screen.queryByText("Window thing")).toBeNull();
    expect(screen.getByText("No command of the window matches.")).toBeTruthy();
  });
});

describe("appearance", () => {
  const chosen = (name: string) => screen.getByRole<HTMLSelectElement>("combobox", { name }).selectedOptions[0]?.textContent;

  test("lists what plugins replace, and a pin whose plugin is away", () => {
    showPlugins(pluginWith("a", (app) => app.slots.experimental_threadList({ id: "list", title: "My list", component: () => null })));
    show("/settings/appearance");
    expect(chosen("Thread list")).toBe("Automatic: The a");
    expect(screen.getByRole("combobox", { name: "Differences" })).toHaveProperty("disabled", true);
    act(() => writePreference("exclusive", { threadLists: "gone/list" }));
    expect(chosen("Thread list")).toBe("gone/list (not loaded)");
  });

  test("the theme is shown on the root and kept for the next window", () => {
    setTheme("dark");
    expect(themeNow()).toEqual({ choice: "dark", mode: "dark" });
    expect(document.documentElement.dataset.theme).toBe("dark");
    expect([...document.documentElement.classList]).toContain("dark");
    expect(localStorage.getItem("svc.theme")).toBe("dark");
    setTheme("system");
    expect(localStorage.getItem("svc.theme")).toBeNull();
  });

  test("a pinned opener comes before the first that takes the file; the window's own may be pinned too", () => {
    const opener = (id: string) =>
      pluginWith(id, (app) => app.slots.fileOpener({ id: "csv", title: id, extensions: ["csv"], component: () => null }));
    showPlugins(opener("a"), opener("b"));
    const { result, rerender } = renderHook(useFileOpeners, { initialProps: "dir/Table.CSV" });
    expect(result.current.preferred?.plugin.pluginId).toBe("a");
    expect(result.current.openers.map(({ plugin }) => plugin.pluginId)).toEqual(["a", "b"]);
    act(() => writePreference("file-openers", { csv: "b/csv" }));
    expect(result.current.preferred?.plugin.pluginId).toBe("b");
    act(() => writePreference("file-openers", { csv: "builtin" }));
    expect(result.current.preferred).toBeUndefined();
    rerender("Makefile");
    expect(result.current).toEqual({ openers: [], preferred: undefined });
  });
});
