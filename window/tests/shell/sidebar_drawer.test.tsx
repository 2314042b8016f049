import { act, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";

import { sidebar } from "@/shell/sidebar_state";
import { Sidebar } from "@/shell/sidebar/sidebar";

import { pluginWith, renderAt, resetWindow, showPlugins } from "./fixtures";

vi.mock("@/lib/viewport", () => ({ isCompactNow: () => true, useIsCompact: () => true }));

afterEach(() => {
  sidebar.setDrawerOpen(false);
  resetWindow();
});

test("an open disclosure takes Escape before the drawer that it is in", async () => {
  const user = userEvent.setup();
  showPlugins(
    pluginWith("a", (app) => {
      app.experimental_sidebarFooter.register({
        kind: "disclosure",
        id: "x",
        label: "More",
        icon: "X",
        component: () => <button>Inside</button>,
      });
    }),
  );
  renderAt("/", <Sidebar />);
  act(() => sidebar.setDrawerOpen(true));
  const button = screen.getByRole("button", { name: "More" });
  act(() => button.focus());
  await user.keyboard("{Enter}");
  await user.tab();
  expect(document.activeElement).toBe(screen.getByText("Inside"));
  await user.keyboard("{Escape}");
  expect(screen.queryByText("Inside")).toBeNull();
  expect(document.activeElement).toBe(button);
  await user.keyboard("{Escape}");
  expect(screen.queryByRole("button", { name: "More" })).toBeNull();
});
