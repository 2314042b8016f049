import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { queryClient } from "@/api/queries";
import PluginsPage from "@/pages/plugins/installed";
import { navigation } from "@/lib/navigation";

import { FakeService } from "./fake_service";
import { renderPage, resetWindow } from "./render_page";

let service: FakeService;
beforeEach(() => {
  service = new FakeService()
    .on("GET /plugins", () => ({ plugins: [] }))
    .on("GET /plugins/safe-mode", () => ({ enabled: false }))
    .on("GET /providers", () => ({ providers: [{ id: "p", displayName: "P", available: true }] }));
});
afterEach(() => {
  resetWindow();
  vi.unstubAllGlobals();
});

it("shows the commands that make a plugin where no agent could", async () => {
  service.on("GET /system/config", () => ({ records: [] })).install();
  renderPage("/plugins", PluginsPage, "/plugins");
  await userEvent.click(await screen.findByRole("button", { name: "New plugin" }));
  const dialog = await screen.findByRole("dialog", { name: "New plugin" });
  expect(within(dialog).getByText("svc plugin new my-plugin")).toBeTruthy();
  expect(within(dialog).getByText("svc plugin new my-plugin --from notes")).toBeTruthy();
  expect(within(dialog).getByRole("button", { name: "Copy “svc plugin new my-plugin”" })).toBeTruthy();
});

it("asks the agent where there is one", async () => {
  const toCompose = vi.spyOn(navigation, "toCompose").mockImplementation(() => undefined);
  service.on("GET /system/config", () => ({ records: ["providers"] })).install();
  renderPage("/plugins", PluginsPage, "/plugins");
  const button = await screen.findByRole("button", { name: "New plugin" });
  await waitFor(() => expect(queryClient.getQueryData(["providers"])).toHaveLength(1));
  await userEvent.click(button);
  expect(toCompose).toHaveBeenCalledExactlyOnceWith({ initialPrompt: "Create a svc plugin that ", focusPrompt: true });
});
