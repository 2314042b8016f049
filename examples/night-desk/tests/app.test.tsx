// @vitest-environment happy-dom
import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { PluginThreadListProps } from "@get-svc/plugin-sdk/app";
import { loadPluginApp, renderSlot } from "@get-svc/plugin-sdk/testing/app";
import { cleanup, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";

afterEach(cleanup);

async function load() {
  const app = await loadPluginApp(() => import("../app"));
  expect(app.warnings).toEqual([]);
  return app;
}

const Original = () => <p>the built-in list</p>;
const kProps: PluginThreadListProps = {
  activeThreadId: null,
  activeProjectId: null,
  isCompactViewport: false,
  searchQuery: "",
  onNavigate: () => undefined,
  Original,
  experimental_Original: Original,
};

test("the built-in list stays, with nothing above it while there are no threads", async () => {
  const { container } = renderSlot((await load()).threadLists[0]!, kProps, { sidebarThreads: [] });
  expect(container.textContent).toBe("the built-in list");
});

test("the header is as high as the window's controls", async () => {
  renderSlot((await load()).sidebarHeaders[0]!, { width: 320, controlSize: 28, isCompactViewport: false });
  expect(screen.getByText("Night desk").parentElement?.style.minHeight).toBe("28px");
});

test("the theme sets both anchors for light and dark", () => {
  const css = readFileSync(join(import.meta.dirname, "../theme.css"), "utf8");
  for (const block of [/:root,\s*\.light \{([^}]*)\}/, /\.dark \{([^}]*)\}/]) {
    expect(block.exec(css)?.[1]).toMatch(/--canvas: #[^;]+;\s*--ink: #[^;]+;/);
  }
});
