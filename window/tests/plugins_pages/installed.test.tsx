import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import PluginsPage from "@/pages/plugins/installed";
import type { InstallJob } from "@/pages/plugins/install_model";
import { notificationsNow } from "@/lib/notifications";

import { FakeService, Refusal } from "./fake_service";
import { pluginRecord } from "./fixtures";
import { renderPage, resetWindow } from "./render_page";

let service: FakeService;

beforeEach(() => {
  service = new FakeService()
    .on("GET /plugins", () => ({ plugins: [] }))
    .on("GET /plugins/install-jobs", () => ({ jobs: [] }))
    .on("GET /plugins/safe-mode", () => ({ enabled: false }))
    .on("GET /system/config", () => ({ dataDir: "/data" }))
    .install();
});
afterEach(resetWindow);

const show = (address = "/plugins") => renderPage("/plugins", PluginsPage, address);

describe("the list of plugins", () => {
  it("says what to do when there are none", async () => {
    show();
    expect(await screen.findByRole("heading", { name: "No plugins installed" })).toBeTruthy();
    expect(screen.getByText("svc plugin new hello")).toBeTruthy();
    expect(screen.getByText("builtin:plugin-author")).toBeTruthy();
    expect(screen.getByText("builtin:machines")).toBeTruthy();
  });

  it("shows why it cannot be loaded, and tries again", async () => {
    let isBroken = true;
    service.on("GET /plugins", () => {
      if (isBroken) {
        throw new Refusal(500, "internal_error", "the database is locked");
      }
      return { plugins: [pluginRecord()] };
    });
    show();
    expect(await screen.findByText("the database is locked")).toBeTruthy();
    isBroken = false;
    await userEvent.click(screen.getByRole("button", { name: "Try again" }));
    expect(await screen.findByRole("link", { name: "Todo" })).toBeTruthy();
  });

  it("searches, and says when nothing matches", async () => {
    service.on("GET /plugins", () => ({ plugins: [pluginRecord(), pluginRecord({ id: "notes", name: "Notes", description: "Writes." })] }));
    show();
    const search = await screen.findByRole("searchbox", { name: "Search installed plugins" });
    await userEvent.type(search, "writes");
    expect(screen.queryByRole("link", { name: "Todo" })).toBeNull();
    expect(screen.getByRole("link", { name: "Notes" })).toBeTruthy();
    await userEvent.type(search, "x");
    await userEvent.click(screen.getByRole("button", { name: "Clear the search" }));
    expect(screen.getByRole("link", { name: "Todo" })).toBeTruthy();
  });

  it("shows the status of a plugin with its reason", async () => {
    service.on("GET /plugins", () => ({ plugins: [pluginRecord({ status: "error", statusDetail: "Could not resolve zod" })] }));
    show();
    const row = (await screen.findByRole("link", { name: "Todo" })).closest("li");
    expect(within(row as HTMLElement).getByText("Error")).toBeTruthy();
    expect(within(row as HTMLElement).getByText("Could not resolve zod")).toBeTruthy();
  });

  it("disables a plugin, and says why when that fails", async () => {
    service
      .on("GET /plugins", () => ({ plugins: [pluginRecord()] }))
      .on("POST /plugins/todo/disable", () => {
        throw new Refusal(409, "conflict", "it is being removed");
      });
    show();
    await userEvent.click(await screen.findByRole("switch", { name: "Enable Todo" }));
    await waitFor(() => expect(notificationsNow()[0]).toMatchObject({ kind: "error", description: "it is being removed" }));
    expect(screen.getByRole("switch", { name: "Enable Todo" }).getAttribute("aria-checked")).toBe("true");
  });

  it("hears who changes their mind while a plugin is being disabled", async () => {
    let finish = (_: unknown): void => undefined;
    service
      .on("GET /plugins", () => ({ plugins: [pluginRecord()] }))
      .on("POST /plugins/todo/disable", () => new Promise((resolve) => (finish = resolve)))
      .on("POST /plugins/todo/enable", () => ({ plugin: pluginRecord() }));
    show();
    const toggle = await screen.findByRole("switch", { name: "Enable Todo" });
    await userEvent.click(toggle);
    await waitFor(() => expect(service.bodies("POST /plugins/todo/disable")).toHaveLength(1));
    await userEvent.click(toggle);
    expect(toggle.getAttribute("aria-checked")).toBe("true");
    expect(service.bodies("POST /plugins/todo/enable")).toEqual([]);
    finish({ plugin: pluginRecord({ enabled: false }) });
    await waitFor(() => expect(service.bodies("POST /plugins/todo/enable")).toHaveLength(1));
    await waitFor(() => expect(toggle.getAttribute("aria-busy")).toBe("false"));
    expect(service.bodies("POST /plugins/todo/disable")).toHaveLength(1);
  });

  it("removes a plugin after it was asked, and says what was kept", async () => {
    service
      .on("GET /plugins", () => ({ plugins: [pluginRecord()] }))
      .on("DELETE /plugins/todo", () => ({ removed: "todo", kept: ["kv: 2 keys"] }));
    show();
    await userEvent.click(await screen.findByRole("button", { name: "Actions for Todo" }));
    await userEvent.click(await screen.findByRole("menuitem", { name: "Remove…" }));
    const dialog = await screen.findByRole("alertdialog");
    await userEvent.click(within(dialog).getByRole("button", { name: "Remove" }));
    await waitFor(() => expect(notificationsNow()[0]?.description).toContain("kv: 2 keys"));
    const [request] = service.requests.filter(({ method }) => method === "DELETE");
    expect(request?.query.get("purge")).toBe("false");
  });

  it("updates all that have an update, after the question that names them, and says what became of each", async () => {
    const updateState = { outcome: "update-available", availableVersion: "2.0.0" } as const;
    const plugins = [
      pluginRecord({ id: "a", name: "Alpha", updateState }),
      pluginRecord({ id: "b", name: "Beta", updateState }),
      pluginRecord({ id: "c", name: "Gamma" }),
      pluginRecord({ id: "d", name: "Delta", updateState: { ...updateState, rolledBack: { at: 1, detail: "fell" } } }),
    ];
    let tellFirst = (_: unknown): void => undefined;
    service
      .on("GET /plugins", () => ({ plugins }))
      .on("POST /plugins/a/update", () => new Promise((resolve) => (tellFirst = resolve)))
      .on("POST /plugins/b/update", () => {
        throw new Refusal(502, "install_failed", "the registry does not answer");
      });
    show();
    await userEvent.click(await screen.findByRole("button", { name: "Update all (2)" }));
    const dialog = await screen.findByRole("alertdialog", { name: "Update 2 plugins?" });
    expect(
      within(dialog)
        .getAllByRole("listitem")
        .map(({ textContent }) => textContent),
    ).toEqual([`Alpha ${plugins[0]?.version} → 2.0.0`, `Beta ${plugins[1]?.version} → 2.0.0`]);
    await userEvent.click(within(dialog).getByRole("button", { name: "Update" }));
    expect(await screen.findByText("Updating Alpha (1 of 2)…")).toBeTruthy();
    expect(screen.queryByRole("button", { name: /Update all/ })).toBeNull();
    tellFirst({ applied: true, from: "1.0.0", to: "2.0.0", outcome: "updated" });
    await waitFor(() => expect(notificationsNow()[0]).toMatchObject({ kind: "error", title: "1 plugin updated, 1 not" }));
    expect(notificationsNow().map(({ title }) => title)).toEqual(
      expect.arrayContaining(["Alpha was updated to 2.0.0", "Beta could not be updated"]),
    );
    expect(service.bodies("POST /plugins/d/update")).toEqual([]);
  });

  it("lists installs that run, of any client, and those that failed", async () => {
    const job: InstallJob = {
      id: "job_1",
      source: "npm:a",
      state: "running",
      step: "resolving",
      error: null,
      pluginId: null,
      createdAt: 1,
      finishedAt: null,
    };
    const failed: InstallJob = {
      ...job,
      id: "job_2",
      source: "npm:b",
      state: "failed",
      error: { code: "install_refused", message: "no such package" },
    };
    const ended: InstallJob = { ...job, id: "job_3", source: "npm:c", state: "succeeded" };
    // What `svc plugin install` turned into an update did not fail.
    const details = { reason: "use_update", pluginId: "d" };
    const updated: InstallJob = { ...failed, id: "job_4", source: "npm:d", error: { code: "install_refused", message: "use it", details } };
    service.on("GET /plugins/install-jobs", () => ({ jobs: [job, failed, ended, updated] }));
    show();
    const installs = await screen.findByRole("region", { name: "Installs" });
    expect(within(installs).getByText("Looking up the version…")).toBeTruthy();
    expect(within(installs).getByText("Install failed: no such package")).toBeTruthy();
    expect(within(installs).queryByText("npm:c")).toBeNull();
    expect(within(installs).queryByText("npm:d")).toBeNull();
    await userEvent.click(within(installs).getByRole("button", { name: "Dismiss the failed install of npm:b" }));
    expect(within(installs).queryByText("npm:b")).toBeNull();
  });
});
