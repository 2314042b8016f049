import { act, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, test, vi } from "vitest";

import { queryClient, queryKeys } from "@/api/queries";
import { publishPlugins } from "@/plugins/active";
import { forgetDiagnostics, updateDiagnostics } from "@/plugins/diagnostics";
import { createDisclosure } from "@/plugins/disclosures";
import "@/shell/disclosures";
import { clearNotifications, notificationsNow } from "@/lib/notifications";
import { useRememberPanelRows } from "@/shell/panel_rows";
import { clampSidebarWidth, kSidebarMaxWidth, kSidebarMinWidth, kSidebarWidth, sidebar } from "@/shell/sidebar_state";
import { activeItemOf } from "@/shell/sidebar/navigation_rows";
import { Sidebar } from "@/shell/sidebar/sidebar";

import { pluginWith, pluginWithPanels, renderAt, resetWindow, showPlugins } from "./fixtures";

afterEach(() => {
  resetWindow();
  clearNotifications();
  forgetDiagnostics("a");
  sidebar.setWidth(kSidebarWidth);
  sidebar.setOpen(true);
});

const rows = () =>
  within(screen.getByRole("list", { name: "Plugin pages" }))
    .getAllByRole("link")
    .map((link) => link.textContent);

function Remember() {
  useRememberPanelRows();
  return null;
}

describe("plugin rows", () => {
  test("lead to the plugins' pages, the current one marked", () => {
    showPlugins(pluginWithPanels("a", "one"), pluginWithPanels("b", "one"));
    renderAt("/plugins/b/one/below", <Sidebar />);
    const [first, second] = within(screen.getByRole("list", { name: "Plugin pages" })).getAllByRole("link");
    expect(first!.getAttribute("href")).toBe("/plugins/a/one");
    expect(first!.getAttribute("aria-current")).toBeNull();
    expect(second!.getAttribute("aria-current")).toBe("page");
  });

  test("are moved with the keyboard, which is announced and kept", async () => {
    const user = userEvent.setup();
    showPlugins(pluginWithPanels("a", "one", "two", "three"));
    renderAt("/", <Sidebar />);
    screen.getByRole("link", { name: "Page three" }).focus();
    await user.keyboard("{Alt>}{ArrowUp}{/Alt}");
    expect(rows()).toEqual(["Page one", "Page three", "Page two"]);
    expect(document.activeElement?.textContent).toBe("Page three");
    expect(screen.getAllByRole("status").map((status) => status.textContent)).toContain("Page three moved to place 2 of 3");
    expect(JSON.parse(localStorage.getItem("svc.sidebar.order")!)).toEqual(["a/one", "a/three", "a/two"]);
  });

  test("of many plugins are filtered by what is typed, hidden ones too, and Enter opens the first", async () => {
    const user = userEvent.setup();
    localStorage.setItem("svc.sidebar.hidden", JSON.stringify(["a/p3"]));
    showPlugins(pluginWithPanels("a", ...Array.from({ length: 15 }, (_, index) => `p${index}`)));
    renderAt("/", <Sidebar />);
    const filter = screen.getByRole("searchbox", { name: "Filter the pages of plugins" });
    await user.type(filter, "p3");
    const matching = within(screen.getByRole("list", { name: "Plugin pages that match" })).getAllByRole("link");
    expect(matching.map((link) => link.textContent)).toEqual(["Page p3"]);
    await user.keyboard("x");
    expect(screen.getByText("No page matches “p3x”")).toBeTruthy();
    await user.keyboard("{Escape}");
    expect(rows()).toHaveLength(14);
    await user.type(filter, "p1");
    await user.keyboard("{ArrowDown}");
    expect(document.activeElement?.textContent).toBe("Page p1");
    await user.type(filter, "2{Enter}");
    expect(screen.getByRole("link", { name: "Page p12" }).getAttribute("aria-current")).toBe("page");
  });

  test("that are few have no filter", () => {
    showPlugins(pluginWithPanels("a", "one", "two"));
    renderAt("/", <Sidebar />);
    expect(screen.queryByRole("searchbox")).toBeNull();
  });

  test("are moved to the top from their menu", async () => {
    const user = userEvent.setup();
    showPlugins(pluginWithPanels("a", "one", "two", "three"));
    renderAt("/", <Sidebar />);
    await user.click(screen.getByRole("button", { name: "More for Page three" }));
    await user.click(await screen.findByRole("menuitem", { name: "Move to the top" }));
    expect(rows()).toEqual(["Page three", "Page one", "Page two"]);
  });

  test("are hidden under More and shown again from their menu", async () => {
    const user = userEvent.setup();
    showPlugins(pluginWithPanels("a", "one", "two"));
    renderAt("/", <Sidebar />);
    await user.click(screen.getByRole("button", { name: "More for Page one" }));
    await user.click(screen.getByRole("menuitem", { name: "Hide under More" }));
    expect(rows()).toEqual(["Page two"]);
    await user.click(screen.getByRole("button", { name: "More (1)" }));
    await user.click(screen.getByRole("button", { name: "More for Page one" }));
    await user.click(screen.getByRole("menuitem", { name: "Show in sidebar" }));
    expect(rows()).toEqual(["Page one", "Page two"]);
  });

  test("stand in their places before the bundles have registered", () => {
    showPlugins(pluginWithPanels("a", "one"), pluginWithPanels("b", "two"));
    const { unmount } = renderAt("/", <Remember />);
    unmount();
    publishPlugins([]);
    queryClient.removeQueries({ queryKey: queryKeys.plugins });
    renderAt("/", <Sidebar />);
    expect(rows()).toEqual(["Page one", "Page two"]);
  });

  test("carry a warning in words when the new version failed", () => {
    showPlugins(pluginWithPanels("a", "one"));
    renderAt("/", <Sidebar />);
    act(() => updateDiagnostics("a", { state: "stale" }));
    expect(screen.getByRole("link", { name: /Page one.*previous version/ })).toBeTruthy();
  });
});

describe("footer", () => {
  test("actions of plugins run, and a failure names the plugin", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    showPlugins(
      pluginWith("a", (app) =>
        app.slots.sidebarFooterAction({
          id: "act",
          title: "Do it",
          icon: "X",
          run: () => {
            throw new Error("no");
          },
        }),
      ),
    );
    renderAt("/", <Sidebar />);
    const button = screen.getByRole("button", { name: "Do it" });
    expect(button.dataset.testid).toBe("plugin-sidebar-footer-action-a-act");
    await userEvent.click(button);
    expect(notificationsNow()[0]).toMatchObject({ kind: "error", pluginId: "a", title: "The a: “Do it” failed" });
  });

  test("of disclosures at most one is open, by click or by the plugin's handle", async () => {
    const user = userEvent.setup();
    showPlugins(
      pluginWith("a", (app) => {
        for (const id of ["x", "y"]) {
          app.experimental_sidebarFooter.register({
            kind: "disclosure",
            id,
            label: `Label ${id}`,
            icon: "X",
            component: ({ dismiss }) => <button onClick={dismiss}>{`Inside ${id}`}</button>,
          });
        }
      }),
    );
    renderAt("/", <Sidebar />);
    await user.click(screen.getByRole("button", { name: "Label x" }));
    expect(screen.getByRole("button", { name: "Label x" }).getAttribute("aria-expanded")).toBe("true");
    act(() => createDisclosure("a", "y", () => true).open());
    expect(screen.queryByText("Inside x")).toBeNull();
    await user.click(screen.getByText("Inside y"));
    expect(screen.queryByText("Inside y")).toBeNull();
  });
});

describe("an open disclosure", () => {
  const withDisclosure = () =>
    showPlugins(
      pluginWith("a", (app) => {
        for (const id of ["x", "y"]) {
          app.experimental_sidebarFooter.register({
            kind: "disclosure",
            id,
            label: `Label ${id}`,
            icon: "X",
            component: ({ dismiss }) => <button onClick={dismiss}>{`Inside ${id}`}</button>,
          });
        }
      }),
    );
  const button = () => screen.getByRole("button", { name: "Label x" });

  test.each([["{Escape}"], ["{Enter}"]])("follows its button, and gives the focus back to it (%s)", async (keys) => {
    const user = userEvent.setup();
    withDisclosure();
    renderAt("/", <Sidebar />);
    button().focus();
    await user.keyboard("{Enter}");
    await user.tab();
    expect(document.activeElement).toBe(screen.getByText("Inside x"));
    await user.keyboard(keys);
    expect(screen.queryByText("Inside x")).toBeNull();
    expect(document.activeElement).toBe(button());
  });

  test("leaves the focus where it is when it is elsewhere", async () => {
    const user = userEvent.setup();
    withDisclosure();
    renderAt("/", <Sidebar />);
    await user.click(button());
    const other = screen.getByRole("button", { name: "Theme" });
    act(() => other.focus());
    act(() => createDisclosure("a", "x", () => true).close());
    expect(screen.queryByText("Inside x")).toBeNull();
    expect(document.activeElement).toBe(other);
  });
});

describe("width", () => {
  test.each([
    [100, kSidebarMinWidth],
    [9999, kSidebarMaxWidth],
    [300.4, 300],
    [Number.NaN, kSidebarWidth],
  ])("%d becomes %d", (asked, width) => {
    expect(clampSidebarWidth(asked)).toBe(width);
  });

  test("is changed with the arrow keys and kept for the tab", async () => {
    const user = userEvent.setup();
    renderAt("/", <Sidebar />);
    const handle = screen.getByRole("separator", { name: "Width of the sidebar" });
    handle.focus();
    await user.keyboard("{ArrowRight}");
    expect(Number(handle.getAttribute("aria-valuenow"))).toBe(kSidebarWidth + 16);
    await user.keyboard("{Home}");
    expect(Number(handle.getAttribute("aria-valuenow"))).toBe(kSidebarMinWidth);
    expect(JSON.parse(sessionStorage.getItem("svc.sidebar")!)).toEqual({ width: kSidebarMinWidth, isOpen: true });
  });
});

test("the active item of a navigation replacement follows the address", () => {
  const row = { key: "a/one", pluginId: "a", panelId: "one", title: "One", icon: "X", path: "one" };
  expect(activeItemOf("/", [row])).toBe("new-thread");
  expect(activeItemOf("/plugins", [row])).toBe("plugins");
  expect(activeItemOf("/plugins/a", [row])).toBe("plugins");
  expect(activeItemOf("/plugins/a/one/x", [row])).toBe("panel:a/one");
  expect(activeItemOf("/plugins/a/oneother", [row])).toBeNull();
});
