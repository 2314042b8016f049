import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { diagnosticsNow, forgetDiagnostics } from "@/plugins/diagnostics";
import { clearNotifications, notificationsNow } from "@/lib/notifications";
import { runPluginAction } from "@/plugins/plugin_action";

vi.mock("@/plugins/report", () => ({ sendReport: vi.fn() }));

const kPlugin = { pluginId: "todo", name: "Todo" };

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  clearNotifications();
});
afterEach(() => forgetDiagnostics("todo"));

it.each([
  ["an error", () => Promise.reject(new Error("no disk")), "no disk"],
  [
    "an error at once",
    () => {
      throw new Error("no disk");
    },
    "no disk",
  ],
  ["text", () => Promise.reject("no disk"), "no disk"],
  [
    "what has no text",
    () => {
      throw Object.create(null);
    },
    "a value that cannot be shown was thrown",
  ],
])("tells of an action that fails with %s, by the plugin's name", async (_what, action, description) => {
  runPluginAction(kPlugin, "slots.messageAction save", "Save", action);
  await vi.waitFor(() =>
    expect(notificationsNow()).toMatchObject([{ kind: "error", pluginId: "todo", title: "Todo: “Save” failed", description }]),
  );
  expect(diagnosticsNow("todo")?.lastFailure).toMatchObject({ phase: "render", slot: "slots.messageAction save", message: description });
});
