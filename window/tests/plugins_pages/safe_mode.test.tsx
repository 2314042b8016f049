import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { queryClient, queryKeys } from "@/api/queries";
import { registerPluginCommands } from "@/pages/plugins/plugin_commands";
import { askForSafeMode, dismissSafeModeProblems } from "@/pages/plugins/safe_mode";
import { SafeModeBanner } from "@/pages/plugins/safe_mode_banner";
import { windowCommandsNow } from "@/lib/commands";

import { FakeService } from "./fake_service";
import { renderPage, resetWindow } from "./render_page";

let service: FakeService;
let isEnabled: boolean;

beforeEach(() => {
  isEnabled = false;
  service = new FakeService()
    .on("GET /plugins/safe-mode", () => ({ enabled: isEnabled }))
    .on("PUT /plugins/safe-mode", ({ body }) => {
      isEnabled = (body as { enabled: boolean }).enabled;
      return isEnabled ? { enabled: true } : { enabled: false, problems: [{ id: "todo", status: "error", statusDetail: "boom" }] };
    })
    .install();
});
afterEach(() => {
  dismissSafeModeProblems();
  resetWindow();
});

const show = () => renderPage("/", SafeModeBanner, "/");

describe("safe mode", () => {
  it("says what it does before it is switched on", async () => {
    show();
    askForSafeMode();
    expect(await screen.findByText(/Installs, updates and reloads wait/)).toBeTruthy();
    expect(service.bodies("PUT /plugins/safe-mode")).toEqual([]);
    await userEvent.click(screen.getByRole("button", { name: "Turn on" }));
    expect(await screen.findByText("Safe mode is on")).toBeTruthy();
  });

  it("lists what did not start after it until that is dismissed", async () => {
    isEnabled = true;
    show();
    await userEvent.click(await screen.findByRole("button", { name: "Turn off" }));
    expect(await screen.findByRole("link", { name: "todo" })).toBeTruthy();
    expect(screen.getByText(/Error – boom/)).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Dismiss" }));
    expect(screen.queryByRole("link", { name: "todo" })).toBeNull();
  });
});

describe("the palette commands", () => {
  const available = () =>
    windowCommandsNow()
      .filter(({ isAvailable }) => isAvailable?.() !== false)
      .map(({ id }) => id);

  it("offer the other state of safe mode, and reloads only outside of it", async () => {
    const remove = registerPluginCommands();
    queryClient.setQueryData(queryKeys.safeMode, { enabled: false });
    expect(available()).toContain("plugins.safe-mode-on");
    expect(available()).toContain("plugins.reload-all");
    queryClient.setQueryData(queryKeys.safeMode, { enabled: true });
    expect(available()).toContain("plugins.safe-mode-off");
    expect(available()).not.toContain("plugins.safe-mode-on");
    expect(available()).not.toContain("plugins.reload-all");
    remove();
    await waitFor(() => expect(available()).toEqual([]));
  });
});
