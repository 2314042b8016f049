import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { PluginRecord } from "#sdk/record.js";
import PluginDetailPage from "@/pages/plugins/detail";
import { notificationsNow } from "@/lib/notifications";

import { FakeService, Refusal } from "./fake_service";
import { pluginRecord } from "./fixtures";
import { renderPage, resetWindow } from "./render_page";

let service: FakeService;
let record: PluginRecord;
let rollback: object | null;
let host: object | null;
let logLines: string[];

beforeEach(() => {
  rollback = null;
  host = null;
  logLines = [];
  record = pluginRecord();
  const history = [{ version: "1.0.0", resolved: "npm:todo@1.0.0", at: 1 }];
  service = new FakeService()
    .on("GET /plugins", () => ({ plugins: [record] }))
    .on("GET /plugins/todo", () => ({ plugin: record }))
    .on("GET /plugins/todo/source", () => ({
      source: {
        requested: record.source,
        resolved: "npm:todo@1.0.0",
        engines: { svc: ">=0.43", svcPluginSdk: null },
        installedAt: 1,
        history,
      },
    }))
    .on("GET /plugins/updates", () => ({ results: [] }))
    .on("GET /plugins/todo/rollback", () => ({ rollback }))
    .on("GET /plugins/todo/host", () => ({ host }))
    .on("GET /plugins/todo/logs", () => ({ lines: logLines, cursor: 9 }))
    .on("GET /hosts", () => ({ hosts: [{ id: "host_1", name: "build box" }] }))
    .on("GET /plugins/top", () => ({
      plugins: [{ id: "todo", cpuMs: 1, cpuPercent: 2.5, heapBytes: 1048576, loopDelayP99Ms: 3, calls: 4, errors: 0, restarts: 0 }],
    }))
    .install();
});
afterEach(resetWindow);

const show = () => renderPage("/plugins/:pluginId", PluginDetailPage, "/plugins/todo");
const sectionOf = async (title: string) =>
  (await screen.findByRole("heading", { level: 2, name: title })).closest("section") as HTMLElement;

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
      services: [
        { name: "poll", state: "backoff", restarts: 3, nextStartAt: Date.now() + 60_000, lastError: { at: 1, message: "refused" } },
      ],
      schedules: [
        {
          name: "tidy",
          cron: "*/5 * * * *",
          timezone: "UTC",
          nextRunAt: Date.now() + 60_000,
          lastRunAt: null,
          lastStatus: null,
          lastError: null,
          lastRunMissed: false,
        },
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

  it("asks for the version that it shows, and for another look when there is another one by now", async () => {
    record = pluginRecord({
      source: "git:https://x.org/r",
      updateState: { outcome: "update-available", availableVersion: "2.0.0", availableSource: "git:https://x.org/r@abc" },
    });
    service
      .on("POST /plugins/updates/check", () => ({ results: [] }))
      .on("POST /plugins/todo/update", () => {
        throw new Refusal(409, "update_refused", "look at it again");
      });
    show();
    await userEvent.click(await screen.findByRole("button", { name: "Update to 2.0.0" }));
    await waitFor(() => expect(service.bodies("POST /plugins/updates/check")).toEqual([{ id: "todo" }]));
    expect(service.bodies("POST /plugins/todo/update")).toEqual([{ confirmedSource: "git:https://x.org/r@abc" }]);
    expect(await screen.findByText(/look at it again/)).toBeTruthy();
  });

  describe("with a version to go back to", () => {
    beforeEach(() => {
      record = pluginRecord({ source: "npm:todo", version: "2.0.0" });
      rollback = { version: "1.0.0", resolved: "npm:todo@1.0.0", takenAt: 1, keptUntil: 2 };
    });
    const ask = async () => userEvent.click(await screen.findByRole("button", { name: "Roll back to 1.0.0…" }));

    it("says what is restored and lost, and does it after the choice", async () => {
      service.on("POST /plugins/todo/rollback", () => {
        rollback = null;
        return { from: "2.0.0", to: "1.0.0", plugin: pluginRecord() };
      });
      show();
      await ask();
      const dialog = within(screen.getByRole("alertdialog"));
      expect(dialog.getByText(/Restored: its settings/)).toBeTruthy();
      expect(dialog.getByText(/Lost: everything/)).toBeTruthy();
      expect(service.bodies("POST /plugins/todo/rollback")).toEqual([]);
      await userEvent.click(dialog.getByRole("button", { name: "Roll back to 1.0.0" }));
      await waitFor(() => expect(notificationsNow()[0]).toMatchObject({ kind: "success", title: "Todo was rolled back to 1.0.0" }));
      expect(service.bodies("POST /plugins/todo/rollback")).toEqual([{ version: "1.0.0" }]);
      await waitFor(() => expect(screen.queryByRole("button", { name: "Roll back to 1.0.0…" })).toBeNull());
    });

    it("keeps the dialog with the reason of a refusal", async () => {
      service.on("POST /plugins/todo/rollback", () => {
        throw new Refusal(409, "conflict", "a backup or restore is running");
      });
      show();
      await ask();
      await userEvent.click(screen.getByRole("button", { name: "Roll back to 1.0.0" }));
      expect(await screen.findByText("a backup or restore is running")).toBeTruthy();
      await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
      await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
    });

    it("warns when the version before does not run", async () => {
      service.on("POST /plugins/todo/rollback", () => ({
        from: "2.0.0",
        to: "1.0.0",
        plugin: pluginRecord({ status: "error", statusDetail: "boom" }),
      }));
      show();
      await ask();
      await userEvent.click(screen.getByRole("button", { name: "Roll back to 1.0.0" }));
      await waitFor(() => expect(notificationsNow()[0]).toMatchObject({ kind: "warning", description: "boom" }));
    });
  });

  it("says of a rollback by hand that it is no failure", async () => {
    record = pluginRecord({
      source: "npm:todo",
      updateState: { lastFailure: { version: "2.0.0", at: 1, detail: "rolled back by hand", byHand: true } },
    });
    show();
    expect(await screen.findByText("2.0.0 was rolled back by hand")).toBeTruthy();
    expect(screen.queryByText("The update to 2.0.0 was rolled back")).toBeNull();
  });

  it("shows the host entry, its artifact and where it wrote", async () => {
    const line = (seq: number, source: string, level: string, message: string) =>
      JSON.stringify({ seq, ts: seq, level, generation: 1, source, message });
    host = { artifact: { digest: "0123456789abcdef".repeat(4), byteLength: 2048, sdkVersion: "0.4.84" } };
    logLines = [
      line(1, "server", "info", "loaded"),
      line(2, "host:host_1", "warn", "disk is slow"),
      line(3, "host:host_2", "info", "hello"),
    ];
    show();
    const section = await sectionOf("On machines");
    expect(within(section).getByText(/2.0 KiB of JavaScript/)).toBeTruthy();
    expect(within(section).getByText("0123456789ab")).toBeTruthy();
    expect(within(section).getByText("SDK 0.4.84")).toBeTruthy();
    expect((await within(section).findByRole("link", { name: "build box" })).getAttribute("href")).toBe("/settings/machines/host_1");
    expect(within(section).getByText("disk is slow")).toBeTruthy();
    // A machine that is not known any more is still named.
    expect(within(section).getByRole("link", { name: "host_2" })).toBeTruthy();
  });

  it("shows why a host entry is not built", async () => {
    record = pluginRecord({ statusDetail: "host bundle build failed: host.ts:3:1: Unexpected token" });
    show();
    expect(within(await sectionOf("On machines")).getByText(/host.ts:3:1/)).toBeTruthy();
  });

  it("has no section about machines without a host entry, and does not read its log", async () => {
    show();
    await waitFor(() => expect(service.requests.map(({ path }) => path)).toContain("/plugins/todo/host"));
    await screen.findByRole("img", { name: /^CPU/ });
    expect(service.requests.map(({ path }) => path)).not.toContain("/plugins/todo/logs");
    expect(screen.queryByRole("heading", { name: "On machines" })).toBeNull();
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
