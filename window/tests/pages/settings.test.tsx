import { act, renderHook, screen } from "@testing-library/react";
import { Route, Routes } from "react-router";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import AgentsPage from "@/pages/agents";
import NotFoundPage from "@/pages/not_found";
import SettingsRoute from "@/pages/settings";
import { registerCommand } from "@/lib/commands";
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
