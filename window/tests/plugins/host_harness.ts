import { vi } from "vitest";

import { definePluginApp, type PluginAppBuilder } from "#sdk/app/definition.js";

import { registrationsNow } from "@/plugins/active";
import { ImportPool } from "@/plugins/import_pool";
import { PluginHost, type FailedBundle } from "@/plugins/plugin_host";
import type { PreparedSheet } from "@/plugins/style_sheets";

import { record } from "./fake_plugins";

export type Setup = (app: PluginAppBuilder) => void;

/** A setup with one panel. */
export const panel =
  (title: string): Setup =>
  (app) =>
    app.slots.navPanel({ id: "main", title, icon: "List", path: "main", component: () => null });

/** The panels in use, as `plugin: title`. */
export const titles = () => registrationsNow("navPanels").map(({ plugin, registration }) => `${plugin.pluginId}: ${registration.title}`);

/** Lets what is on its way arrive, without letting time pass. */
export const settle = () => vi.advanceTimersByTimeAsync(0);

/** A plugin host whose network, sheets and messages are the test's. Time is that of vitest's fake timers. */
export class HostHarness {
  /** What importing the bundle with this hash gives; for others the service cannot be reached. */
  readonly bundles = new Map<string, () => Promise<{ default?: unknown }>>();
  /** Requests, as `plugin?query`. */
  imported: string[] = [];
  /** What happened to sheets and holds, in order. */
  log: string[] = [];
  /** The plugin of the current page. */
  urgent: string | null = null;
  readonly refresh = vi.fn();
  readonly notifyFailure = vi.fn<(failed: FailedBundle) => void>();
  readonly loadLazySlots = vi.fn<(names: readonly string[] | null) => Promise<void>>(async () => undefined);
  readonly prepareSheet = vi.fn<(pluginId: string, url: string | null) => Promise<PreparedSheet>>(async (pluginId, url) => ({
    commit: () => void this.log.push(`css ${pluginId} ${url?.replace(/.*h=/, "") ?? "none"}`),
    discard: () => void this.log.push(`discard css ${pluginId}`),
  }));
  readonly host = new PluginHost({
    pool: new ImportPool(() => this.urgent),
    importModule: (url) => this.#import(url),
    probe: async () => ({ status: 0, contentType: "" }),
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        setTimeout(resolve, ms);
        signal.addEventListener("abort", () => resolve());
      }),
    installRuntime: async () => undefined,
    loadLazySlots: this.loadLazySlots,
    styleSheets: { prepare: this.prepareSheet, clear: (pluginId) => void this.log.push(`clear css ${pluginId}`) },
    scriptHolds: [
      (pluginId) => {
        this.log.push(`hold ${pluginId}`);
        return () => void this.log.push(`release ${pluginId}`);
      },
    ],
    setThreadRowStatus: () => undefined,
    urgentPluginId: () => this.urgent,
    notifyFailure: this.notifyFailure,
    refresh: this.refresh,
  });

  #import(url: string): Promise<{ default?: unknown }> {
    this.imported.push(url.replace(/.*plugins\/(.*)\/assets\/app\.js/, "$1"));
    const bundle = this.bundles.get(new URL(url).searchParams.get("h")!);
    return bundle?.() ?? Promise.reject(new TypeError(`Failed to fetch dynamically imported module: ${url}`));
  }

  offer(hash: string, setup: Setup = () => undefined): void {
    this.bundles.set(hash, async () => ({ default: definePluginApp(setup) }));
  }

  /** A bundle whose import fails. */
  offerFailure(hash: string, failure: unknown = new Error("boom")): void {
    this.bundles.set(hash, () => Promise.reject(failure));
  }

  /** A bundle that arrives when the returned function is called. */
  offerLater(hash: string, setup: Setup = () => undefined): () => void {
    let arrive: () => void = () => undefined;
    this.bundles.set(hash, () => new Promise((resolve) => (arrive = () => resolve({ default: definePluginApp(setup) }))));
    return () => arrive();
  }

  async activate(id = "a", hash = "h1", setup: Setup = panel("one")): Promise<void> {
    this.offer(hash, setup);
    this.host.apply([record(id, hash)]);
    await settle();
  }

  end(): void {
    this.host.disposeAll();
    this.host.apply([]);
  }
}
