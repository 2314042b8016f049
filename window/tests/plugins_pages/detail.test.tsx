import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { PluginRecord } from "#sdk/record.js";
import PluginDetailPage from "@/pages/plugins/detail";
import { notificationsNow } from "@/shell/notifications";

import { FakeService, Refusal } from "./fake_service";
import { pluginRecord } from "./fixtures";
import { renderPage, resetWindow } from "./render_page";

let service: FakeService;
let record: PluginRecord;

beforeEach(() => {
  record = pluginRecord();
  const history = [{ version: "1.0.0", resolved: "npm:todo@1.0.0", at: 1 }];
  service = new FakeService()
    .on("GET /plugins", () => ({ plugins: [record] }))
    .on("GET /plugins/todo", () => ({ plugin: record }))
    .on("GET /plugins/todo/source", () => ({
      source: { requested: record.source, resolved: "npm:todo@1.0.0", engines: { svc: ">=0.43", svcPluginSdk: null }, installedAt: 1, history },
    }))
    .on("GET /plugins/updates", () => ({ results: [] }))
    .on("GET /plugins/top", () => ({
      plugins: [{ id: "todo", cpuMs: 1, cpuPercent: 2.5, heapBytes: 1048576, loopDelayP99Ms: 3, calls: 4, errors: 0, restarts: 0 }],
    }))
    .install();
});
afterEach(resetWindow);

const show = () => renderPage("/plugins/:pluginId", PluginDetailPage, "/plugins/todo");
const sectionOf = async (title: string) => (await screen.findByRole("heading", { level: 2, name: title })).closest("section") as HTMLElement;

describe("the page of a plugin", () => {
  it("says that it is not installed", async () => {
    service.on("GET /plugins/todo", () => {
      throw new Refusal(404, "unknown_plugin", 'no plugin "todo" is installed');
    });
    service.on("GET /plugins", () => ({ plugins: [] }));
    show();
    expect(await screen.findByRole("heading", { level: 1, name: "No plugin “todo” is installed" })).toBeTruthy();
  });

  it("shows status, cause, hint and the last error with its stack", async () => {
    record = pluginRecord({
      status: "error",
      statusDetail: "boom",
      lastError: { at: 1, message: "boom", stack: "Error: boom\n    at load (server.ts:3:1)", source: "load" },
      problems: [{ code: "unknown_key", message: "svc.x: unknown key" }],
      unsupported: ["slots.experimental_browserAction"],
    });
    show();
    const status = await sectionOf("Status");
    expect(within(status).getByText("Edit the plugin's files and reload it.")).toBeTruthy();
    expect(within(status).getByText(/at load \(server.ts:3:1\)/)).toBeTruthy();
    expect(within(status).getByText("svc.x: unknown key")).toBeTruthy();
    expect(within(status).getByText(/slots.experimental_browserAction/)).toBeTruthy();
  });

  it("names services and schedules, and runs one now", async () => {
    record = pluginRecord({
      services: [{ name: "poll", state: "backoff", restarts: 3, nextStartAt: Date.now() + 60_000, lastError: { at: 1, message: "refused" } }],
      schedules: [
        { name: "tidy", cron: "*/5 * * * *", timezone: "UTC", nextRunAt: Date.now() + 60_000, lastRunAt: null, lastStatus: null, lastError: null, lastRunMissed: false },
      ],
    });
    service.on("POST /plugins/todo/schedules/tidy/run", () => ({ schedule: record.schedules[0] }));
    show();
    const services = await sectionOf("Services");
    expect(within(services).getByText("Waiting to restart")).toBeTruthy();
    expect(within(services).getByText(/3 restarts/)).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Run tidy now" }));
    await waitFor(() => expect(notificationsNow()[0]?.title).toBe("Started tidy"));
  });

  it("says what it uses in words", async () => {
    show();
    expect(await screen.findByRole("img", { name: /^CPU: now 2.5 %/ })).toBeTruthy();
    expect(screen.getByRole("img", { name: /^Heap: now 1.0 MiB/ })).toBeTruthy();
  });

  it("says what an update came to", async () => {
    record = pluginRecord({ source: "npm:todo", updateState: { outcome: "update-available", availableVersion: "2.0.0" } });
    service.on("POST /plugins/todo/update", () => ({
      applied: false,
      from: "1.0.0",
      to: "2.0.0",
      outcome: "rolled-back",
      detail: "it did not start",
    }));
    show();
    await userEvent.click(await screen.findByRole("button", { name: "Update to 2.0.0" }));
    expect(await screen.findByText("The update to 2.0.0 was rolled back to 1.0.0")).toBeTruthy();
    expect(notificationsNow()[0]).toMatchObject({ kind: "error", description: "it did not start" });
  });

  it("offers no update to a directory that is used in place", async () => {
    show();
    await sectionOf("Version");
    expect(screen.queryByRole("button", { name: "Check for updates" })).toBeNull();
  });

  it("shows the token only when asked, and forgets it with the dialog", async () => {
    service.on("POST /plugins/todo/token", ({ body }) => ({ token: (body as { rotate: boolean }).rotate ? "token-2" : "token-1" }));
    show();
    await userEvent.click(await screen.findByRole("button", { name: "More actions" }));
    await userEvent.click(await screen.findByRole("menuitem", { name: "Token…" }));
    expect(service.bodies("POST /plugins/todo/token")).toEqual([]);
    await userEvent.click(await screen.findByRole("button", { name: "Show the token" }));
    expect(await screen.findByText("token-1")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Replace the token…" }));
    await userEvent.click(screen.getByRole("button", { name: "Replace" }));
    expect(await screen.findByText("token-2")).toBeTruthy();
    await userEvent.keyboard("{Escape}");
    await waitFor(() => expect(document.body.innerHTML).not.toContain("token-2"));
  });

  it("does not offer to remove a built-in plugin", async () => {
    record = pluginRecord({ provenance: "builtin", source: "builtin:todo" });
    show();
    await userEvent.click(await screen.findByRole("button", { name: "More actions" }));
    expect(await screen.findByRole("menuitem", { name: "Token…" })).toBeTruthy();
    expect(screen.queryByRole("menuitem", { name: "Remove…" })).toBeNull();
  });
});
