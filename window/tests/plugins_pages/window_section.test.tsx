import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";

import { StaleBanner, WindowSection } from "@/pages/plugins/detail/window_section";
import type { PluginDiagnostics } from "@/plugins/registry";

import { pluginRecord } from "./fixtures";

afterEach(cleanup);

const diagnostics: PluginDiagnostics = {
  state: "stale",
  generation: 3,
  hash: "aaaa",
  failedHash: "bbbb",
  contentScripts: [{ id: "badge", state: "mounted" }],
  lastFailure: { phase: "setup", at: Date.now(), message: "setup threw", stack: "Error: setup threw\n    at setup (app.tsx:4:2)" },
  warnings: ["navPanel todos: unknown field colour"],
  unsupported: ["slots.experimental_browserAction"],
};

describe("what a window shows of a plugin", () => {
  it("says why the previous version is shown and offers another try", () => {
    render(<StaleBanner record={pluginRecord()} diagnostics={diagnostics} />);
    expect(screen.getByText(/It failed in its setup function/)).toBeTruthy();
    expect(screen.getByText("setup threw")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Retry" })).toBeTruthy();
  });

  it("offers no try for a bundle of another SDK, and nothing when all is well", () => {
    const { rerender } = render(<StaleBanner record={pluginRecord()} diagnostics={{ ...diagnostics, state: "needs-update" }} />);
    expect(screen.queryByRole("button")).toBeNull();
    rerender(<StaleBanner record={pluginRecord()} diagnostics={{ ...diagnostics, state: "active" }} />);
    expect(document.body.textContent).toBe("");
  });

  it("names everything the diagnostics have", () => {
    render(<WindowSection diagnostics={diagnostics} />);
    for (const text of [
      "Showing the previous version",
      "aaaa",
      "bbbb",
      "badge (mounted)",
      /app.tsx:4:2/,
      /unknown field colour/,
      /experimental_browserAction/,
    ]) {
      expect(screen.getByText(text)).toBeTruthy();
    }
  });
});
