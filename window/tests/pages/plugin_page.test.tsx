import { act, screen } from "@testing-library/react";
import { Routes, Route } from "react-router";
import { afterEach, describe, expect, test, vi } from "vitest";

import { queryClient, queryKeys } from "@/api/queries";
import { publishPlugins } from "@/plugins/active";
import { forgetDiagnostics, updateDiagnostics } from "@/plugins/diagnostics";
import type { PluginDiagnostics } from "@/plugins/types";
import PluginPage from "@/pages/plugin_page";
import { placeholderState } from "@/plugins/placeholder_state";

import { record } from "../plugins/fake_plugins";
import { pluginWith, pluginWithPanels, renderAt, resetWindow, showPlugins } from "../shell/fixtures";

afterEach(() => {
  resetWindow();
  forgetDiagnostics("todo");
});

const kFailed: PluginDiagnostics = {
  state: "failed",
  generation: 1,
  hash: null,
  failedHash: "h2",
  contentScripts: [],
  lastFailure: { phase: "setup", at: 0, message: "slots.navPanel: duplicate id" },
  warnings: [],
  unsupported: [],
};

const show = (path: string) =>
  renderAt(
    path,
    <Routes>
      <Route path="/plugins/:pluginId/:panelPath/*" element={<PluginPage />} />
    </Routes>,
  );

function pageOf(pluginId: string, text: string) {
  return pluginWith(pluginId, (app) =>
    app.slots.navPanel({
      id: "p",
      title: `Page of ${pluginId}`,
      icon: "X",
      path: "same",
      component: ({ subPath }) => <p>{`${text} [${subPath}]`}</p>,
    }),
  );
}

describe("the page", () => {
  test("shows title and component, and the document is named after it", () => {
    showPlugins(pageOf("a", "hello"));
    show("/plugins/a/same");
    expect(screen.getByRole("heading", { level: 1, name: "Page of a" })).toBeTruthy();
    expect(screen.getByText("hello []")).toBeTruthy();
    expect(document.title).toBe("Page of a · svc");
  });

  test("of two plugins with the same path are both there", () => {
    showPlugins(pageOf("a", "first"), pageOf("b", "second"));
    show("/plugins/b/same");
    expect(screen.getByText("second []")).toBeTruthy();
  });

  test("header content gets the same props and its crash leaves the page", () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    showPlugins(
      pluginWith("a", (app) =>
        app.slots.navPanel({
          id: "p",
          title: "A",
          icon: "X",
          path: "same",
          component: () => <p>body</p>,
          headerContent: () => {
            throw new Error("header broke");
          },
        }),
      ),
    );
    show("/plugins/a/same");
    expect(screen.getByText("body")).toBeTruthy();
  });

  test("whose new version failed says so and keeps the old one", () => {
    showPlugins(pageOf("todo", "old"));
    updateDiagnostics("todo", { ...kFailed, state: "stale", hash: "h1" });
    show("/plugins/todo/same");
    expect(screen.getByText("old []")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Showing the previous version" })).toBeTruthy();
  });
});

describe("without a page", () => {
  test("an unknown panel leads to those there are", () => {
    showPlugins(pluginWithPanels("a", "one", "two"));
    show("/plugins/a/none");
    expect(screen.getByText("There is no such page")).toBeTruthy();
    expect(screen.getByRole("link", { name: "Page two" }).getAttribute("href")).toBe("/plugins/a/two");
  });

  test("a failed entry shows phase and message", () => {
    queryClient.setQueryData(queryKeys.plugins, [record("todo", "h2", { enabled: true })]);
    updateDiagnostics("todo", kFailed);
    show("/plugins/todo/same");
    expect(screen.getByRole("alert").textContent).toContain("slots.navPanel: duplicate id");
    expect(screen.getByText(/its setup failed/)).toBeTruthy();
    expect(screen.getByRole("button", { name: "Retry" })).toBeTruthy();
  });

  test("a plugin that is starting is asked for, so that the server loads it next", async () => {
    const asked: string[] = [];
    vi.stubGlobal("fetch", (address: string) => {
      asked.push(new URL(address, location.href).pathname);
      return Promise.resolve(Response.json({ ok: true, plugin: record("todo", null, { enabled: true, status: "starting" }) }));
    });
    queryClient.setQueryData(queryKeys.plugins, [record("todo", null, { enabled: true, status: "starting" })]);
    show("/plugins/todo/same");
    await vi.waitFor(() => expect(asked).toContain("/api/v1/plugins/todo"));
    vi.unstubAllGlobals();
  });

  test("the page comes by itself once the plugin is active", () => {
    queryClient.setQueryData(queryKeys.plugins, [record("a", "h", { enabled: true })]);
    show("/plugins/a/same");
    expect(screen.getByRole("status").textContent).toContain("Loading The a");
    act(() => publishPlugins([pageOf("a", "there")]));
    expect(screen.getByText("there []")).toBeTruthy();
  });
});

test.each([
  ["the list is on its way", { areRecordsKnown: false }, "loading"],
  ["the server does not answer", { areRecordsKnown: false, isError: true }, "unreachable"],
  ["it is not installed", {}, "removed"],
  ["it is disabled", { record: record("a", "h", { enabled: false, status: "disabled" }) }, "disabled"],
  ["safe mode holds it", { record: record("a", "h", { enabled: true, status: "disabled" }) }, "held"],
  ["it starts", { record: record("a", null, { enabled: true, status: "starting" }) }, "loading"],
  ["it failed on the server", { record: record("a", null, { enabled: true, status: "error" }) }, "stopped"],
  ["its entry failed", { record: record("a", "h", { enabled: true }), diagnostics: kFailed }, "failed"],
  [
    "its entry is for another version",
    { record: record("a", "h", { enabled: true }), diagnostics: { ...kFailed, state: "needs-update" as const } },
    "needs-update",
  ],
  ["it has no entry", { record: record("a", null, { enabled: true }) }, "no-app"],
  ["its bundle loads", { record: record("a", "h", { enabled: true }) }, "loading"],
  ["only this panel is missing", { record: record("a", "h", { enabled: true }), isActive: true }, "unknown-panel"],
])("the placeholder tells when %s", (_, input, kind) => {
  const state = placeholderState({
    record: undefined,
    areRecordsKnown: true,
    isError: false,
    diagnostics: undefined,
    isActive: false,
    ...input,
  });
  expect(state.kind).toBe(kind);
});
