import { act, cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";

import type { SurfaceContext } from "@/plugins/slot_mount";
import { useThreadPanelContent } from "@/shell/panel_actions";
import { kOwnPanel, panelSurface, type PanelSurface } from "@/plugins/right_panel";
import type { OwnAction } from "@/shell/right_panel_content";
import RightPanel from "@/shell/right_panel_view";
import { TooltipProvider } from "@/ui/tooltip";

import { pluginWith, resetWindow, showPlugins } from "./fixtures";

afterEach(() => {
  cleanup();
  resetWindow();
});

let count = 0;

function Panel({ surface }: { surface: PanelSurface }) {
  const context: SurfaceContext = { projectId: null, threadId: "t1", panel: surface };
  return <RightPanel surface={surface} content={useThreadPanelContent(surface, context, "t1")} />;
}

function show() {
  const surface = panelSurface(`view-${++count}`, "threadPanelActions");
  render(
    <TooltipProvider>
      <Panel surface={surface} />
    </TooltipProvider>,
  );
  return surface;
}

const notes = (run?: (context: { threadId: string; openPanel(options?: object): boolean }) => void) =>
  pluginWith("notes", (app) =>
    app.slots.threadPanelAction({
      id: "note",
      title: "Note",
      component: ({ threadId, params }) => <p>{`note of ${threadId}: ${JSON.stringify(params)}`}</p>,
      ...(run === undefined ? {} : { run }),
    }),
  );

test("the launcher opens a tab with thread and params", async () => {
  showPlugins(notes());
  show();
  await userEvent.click(screen.getByRole("button", { name: /Note/ }));
  expect(screen.getByRole("tab", { name: "Note" }).getAttribute("aria-selected")).toBe("true");
  expect(screen.getByRole("tabpanel").textContent).toBe("note of t1: null");
});

test("run decides what happens instead, and may open the panel", async () => {
  const run = vi.fn(({ openPanel }: { openPanel(options?: object): boolean }) => void openPanel({ title: "Mine", params: { n: "a b" } }));
  showPlugins(notes(run));
  show();
  await userEvent.click(screen.getByRole("button", { name: /Note/ }));
  expect(run).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ threadId: "t1" }));
  expect(screen.getByRole("tab", { name: "Mine" })).toBeTruthy();
  expect(screen.getByRole("tabpanel").textContent).toBe('note of t1: {"n":"a b"}');
});

test("tabs are walked with the arrow keys and closed with Delete", async () => {
  const user = userEvent.setup();
  showPlugins(notes());
  const surface = show();
  act(() => {
    surface.open({ pluginId: "notes", actionId: "note", title: "One", params: 1 });
    surface.open({ pluginId: "notes", actionId: "note", title: "Two", params: 2 });
  });
  screen.getByRole("tab", { name: "Two" }).focus();
  await user.keyboard("{ArrowRight}");
  expect(document.activeElement).toBe(screen.getByRole("tab", { name: "One" }));
  expect(screen.getByRole("tabpanel").textContent).toBe("note of t1: 1");
  await user.keyboard("{Delete}");
  expect(screen.queryByRole("tab", { name: "One" })).toBeNull();
  expect(screen.getByRole("tabpanel").textContent).toBe("note of t1: 2");
});

test("a tab of a plugin that is gone says so and fills again when it returns", () => {
  showPlugins(notes());
  const surface = show();
  act(() => void surface.open({ pluginId: "notes", actionId: "note", params: 1 }));
  act(() => showPlugins());
  expect(screen.getByText("This tab has nothing to show")).toBeTruthy();
  act(() => showPlugins(notes()));
  expect(screen.getByRole("tabpanel").textContent).toBe("note of t1: 1");
});

test("with fixed tabs only, the first one shows until another is chosen", async () => {
  const plugin = notes();
  const surface = panelSurface(`view-${++count}`, "fixed");
  const tab = (id: string) => ({
    id,
    plugin,
    slot: "navPanel.fixedTabs",
    slotId: id,
    title: `Tab ${id}`,
    icon: "X",
    layout: "padded" as const,
    component: ({ subPath }: { subPath: string }) => <p>{`${id} at ${subPath}`}</p>,
    props: { subPath: "x" },
  });
  render(
    <TooltipProvider>
      <RightPanel
        surface={surface}
        content={{ actions: [], fixedTabs: [tab("a"), tab("b")], context: { projectId: null, threadId: null } }}
      />
    </TooltipProvider>,
  );
  expect(screen.getByRole("tabpanel", { name: "Tab a" }).textContent).toBe("a at x");
  await userEvent.click(screen.getByRole("tab", { name: "Tab b" }));
  expect(screen.getByRole("tabpanel", { name: "Tab b" }).textContent).toBe("b at x");
  expect(screen.queryByRole("button", { name: /Close/ })).toBeNull();
});

test("the window's own tabs are launched, shown and kept like those of plugins", async () => {
  showPlugins();
  const surface = panelSurface(`view-${++count}`, "threadPanelActions");
  const own: OwnAction[] = [
    {
      id: "terminal",
      title: "Terminal",
      icon: "SquareTerminal",
      render: (params) => <p>{`terminal ${JSON.stringify(params)}`}</p>,
      launch: () => void surface.open({ pluginId: kOwnPanel, actionId: "terminal", title: "bash", params: { terminalId: "t9" } }),
    },
  ];
  const content = { context: { projectId: null, threadId: "t1", panel: surface }, fixedTabs: [], actions: [] };
  const { rerender } = render(<RightPanel surface={surface} content={{ ...content, own }} />, { wrapper: TooltipProvider });
  await userEvent.click(screen.getByRole("button", { name: "Terminal" }));
  expect(screen.getByRole("tab", { name: "bash" }).getAttribute("aria-selected")).toBe("true");
  expect(screen.getByRole("tabpanel").textContent).toBe('terminal {"terminalId":"t9"}');
  rerender(<RightPanel surface={surface} content={content} />);
  expect(screen.getByText(/This page no longer offers it/)).toBeTruthy();
});
