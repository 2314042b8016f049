import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { definePluginApp } from "#sdk/app/definition.js";
import type { PluginContentScriptContext } from "#sdk/app/content_scripts.js";

import { activePluginsNow, registrationsNow, subscribeActivePlugins } from "@/plugins/active";
import { crashNow, recordCrash } from "@/plugins/crashes";
import { diagnosticsNow } from "@/plugins/diagnostics";
import { setDisclosureFactory } from "@/plugins/disclosures";

import { record, withBundle } from "./fake_plugins";
import { HostHarness, panel, settle, titles, type Setup } from "./host_harness";

vi.mock("@/plugins/report", () => ({ sendReport: () => undefined }));

let t: HostHarness;

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  t = new HostHarness();
});
afterEach(() => {
  t.end();
  vi.useRealTimers();
});

describe("loading", () => {
  it("puts the registrations of running plugins into the window, in the order of their ids", async () => {
    t.offer("h1", panel("B"));
    t.offer("h2", panel("A"));
    t.host.apply([record("b", "h1"), record("a", "h2"), record("off", "h3", { status: "disabled" })]);
    await settle();
    expect(titles()).toEqual(["a: A", "b: B"]);
    expect(t.imported.sort()).toEqual(["a?h=h2", "b?h=h1"]);
    expect(diagnosticsNow("a")).toEqual({
      state: "active",
      generation: 1,
      hash: "h2",
      contentScripts: [],
      warnings: [],
      unsupported: [],
    });
  });

  it("takes plugins that need configuration or are degraded too", async () => {
    t.offer("h1", panel("x"));
    t.host.apply([
      record("a", "h1", { status: "needs-configuration" }),
      record("b", "h1", { status: "degraded" }),
      record("c", "h1", { status: "error" }),
      record("d", "h1", { status: "starting" }),
    ]);
    await settle();
    expect(titles()).toEqual(["a: x", "b: x"]);
  });

  it("requests nothing for a hash that is in use or on its way", async () => {
    await t.activate();
    for (let i = 0; i < 5; i += 1) {
      t.host.apply([record("a", "h1")]);
      await settle();
    }
    expect(t.imported).toEqual(["a?h=h1"]);
    const arrive = t.offerLater("h2", panel("two"));
    t.host.apply([record("a", "h2")]);
    await settle();
    t.host.apply([record("a", "h2")]);
    await settle();
    arrive();
    await settle();
    expect(t.imported).toEqual(["a?h=h1", "a?h=h2"]);
    expect(titles()).toEqual(["a: two"]);
  });

  it("imports nothing that was built for another major version of the SDK", async () => {
    await t.activate();
    t.host.apply([withBundle(record("a", "h2"), { compatible: false })]);
    await settle();
    expect(t.imported).toEqual(["a?h=h1"]);
    expect(diagnosticsNow("a")).toMatchObject({ state: "needs-update", hash: null });
    expect(titles()).toEqual([]);
  });

  it("says what is wrong when there is no bundle", async () => {
    t.host.apply([record("a", null, { statusDetail: "frontend bundle build failed: app.tsx:1" })]);
    expect(diagnosticsNow("a")).toMatchObject({
      state: "failed",
      hash: null,
      lastFailure: { phase: "load", message: "frontend bundle build failed: app.tsx:1" },
    });
    t.host.apply([record("b", null, { app: { hasApp: false, bundle: null } })]);
    expect(diagnosticsNow("b")).toBeUndefined();
  });

  it("publishes what gets ready within 150 ms together, and at once when nothing else is on its way", async () => {
    const publications: string[][] = [];
    const stop = subscribeActivePlugins(() => publications.push(activePluginsNow().map(({ pluginId }) => pluginId)));
    const slow = new Map<string, () => void>();
    for (const id of ["b", "c"]) {
      t.bundles.set(id, () => new Promise((resolve) => slow.set(id, () => resolve({ default: definePluginApp(() => undefined) }))));
    }
    t.offer("a");
    t.host.apply([record("a", "a"), record("b", "b"), record("c", "c")]);
    await settle();
    expect(publications).toEqual([]);
    slow.get("b")!();
    await vi.advanceTimersByTimeAsync(149);
    expect(publications).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(publications).toEqual([["a", "b"]]);
    slow.get("c")!();
    await settle();
    expect(publications).toEqual([
      ["a", "b"],
      ["a", "b", "c"],
    ]);
    stop();
  });

  it("does not keep the plugin of the page waiting for others", async () => {
    t.urgent = "a";
    t.offer("a", panel("x"));
    t.bundles.set("b", () => new Promise(() => undefined));
    t.host.apply([record("a", "a"), record("b", "b")]);
    await settle();
    expect(titles()).toEqual(["a: x"]);
  });

  it("loads lazy parts of the runtime that the record names, or that the bundle turns out to need", async () => {
    t.offer("h1");
    t.host.apply([withBundle(record("a", "h1"), { runtimeSlots: ["pierreDiffs"] } as never)]);
    await settle();
    expect(t.loadLazySlots.mock.calls).toEqual([[["pierreDiffs"]]]);
    let isLoaded = false;
    t.loadLazySlots.mockImplementation(async () => void (isLoaded = true));
    t.bundles.set("h2", async () => {
      if (!isLoaded) {
        throw new Error(
          'svc runtime slot "pierreDiffsReact" for "@pierre/diffs/react" is missing: this bundle must be loaded by the app window',
        );
      }
      return { default: definePluginApp(panel("diffs")) };
    });
    t.host.apply([record("b", "h2")]);
    await settle();
    expect(t.loadLazySlots.mock.calls[1]).toEqual([null]);
    expect(t.imported.slice(1)).toEqual(["b?h=h2", "b?h=h2&r=1"]);
    expect(titles()).toEqual(["b: diffs"]);
  });

  it("fails a bundle that needs something the window does not have", async () => {
    t.offerFailure("h1", new Error('svc runtime slot "later" for "later" is missing: …'));
    t.host.apply([record("a", "h1")]);
    await settle();
    expect(t.imported).toEqual(["a?h=h1", "a?h=h1&r=1"]);
    expect(diagnosticsNow("a")!.lastFailure!.message).toContain('svc runtime slot "later"');
  });
});

describe("replacement", () => {
  it("goes in order: old scripts end, the new set is published, its sheet applies, its scripts mount", async () => {
    const stop = subscribeActivePlugins(() => t.log.push(`publish ${titles().join()}`));
    const script =
      (name: string): Setup =>
      (app) => {
        panel(name)(app);
        app.contentScripts.register({
          id: "s",
          mount: ({ signal, generation }) => {
            t.log.push(`mount ${name} ${generation}`);
            signal.addEventListener("abort", () => t.log.push(`abort ${name}`));
            return () => void t.log.push(`dispose ${name}`);
          },
        });
      };
    await t.activate("a", "h1", script("one"));
    expect(t.log).toEqual(["publish a: one", "css a none", "hold a", "mount one 1"]);
    t.log = [];
    t.offer("h2", script("two"));
    t.host.apply([withBundle(record("a", "h2"), { cssUrl: "/app.css?h=h2" })]);
    await settle();
    expect(t.log).toEqual(["abort one", "dispose one", "publish a: two", "css a h2", "release a", "hold a", "mount two 2"]);
    expect(diagnosticsNow("a")).toMatchObject({ generation: 2, hash: "h2", contentScripts: [{ id: "s", state: "mounted" }] });
    stop();
  });

  it("leaves other plugins as they are", async () => {
    t.offer("h1", panel("one"));
    t.offer("x", panel("x"));
    t.host.apply([record("a", "h1"), record("b", "x")]);
    await settle();
    const before = activePluginsNow()[1]!;
    const commands = registrationsNow("commands");
    const panels = registrationsNow("navPanels");
    t.offer("h2", panel("two"));
    t.host.apply([record("a", "h2"), record("b", "x")]);
    await settle();
    expect(titles()).toEqual(["a: two", "b: x"]);
    expect(activePluginsNow()[1]).toBe(before);
    // Slots that the replaced plugin has nothing in are not even rendered.
    expect(registrationsNow("commands")).toBe(commands);
    expect(registrationsNow("navPanels")).not.toBe(panels);
  });

  it("takes the newest of bundles that follow each other quickly", async () => {
    await t.activate();
    const arrive = t.offerLater("h2", panel("two"));
    t.host.apply([record("a", "h2")]);
    await settle();
    t.offer("h3", panel("three"));
    t.host.apply([record("a", "h3")]);
    await settle();
    arrive();
    await settle();
    await vi.advanceTimersByTimeAsync(1000);
    expect(titles()).toEqual(["a: three"]);
    expect(diagnosticsNow("a")).toMatchObject({ generation: 2, hash: "h3" });
  });

  it("clears crash marks with the mount generation, and with the server's when the bundle stays", async () => {
    await t.activate();
    const key = { pluginId: "a", slot: "navPanel", id: "main", instanceId: null };
    const crash = () => recordCrash({ ...key, pluginName: "A", error: 1, message: "x", at: 1 });
    crash();
    t.host.apply([record("a", "h1")]);
    expect(crashNow(key)).toBeDefined();
    t.host.apply([record("a", "h1", { generation: 2 })]);
    expect(crashNow(key)).toBeUndefined();
    expect(activePluginsNow()[0]).toMatchObject({ generation: 1, serverGeneration: 2 });
    crash();
    t.offer("h2");
    t.host.apply([record("a", "h2", { generation: 3 })]);
    await settle();
    expect(crashNow(key)).toBeUndefined();
    expect(t.imported).toEqual(["a?h=h1", "a?h=h2"]);
  });

  it("ends when the plugin is disabled, removed or the window stops, and starts anew afterwards", async () => {
    const signals: AbortSignal[] = [];
    const setup: Setup = (app) => {
      panel("one")(app);
      app.contentScripts.register({ id: "s", mount: ({ signal }: PluginContentScriptContext) => void signals.push(signal) });
    };
    await t.activate("a", "h1", setup);
    t.host.apply([record("a", "h1", { status: "disabled" })]);
    expect(titles()).toEqual([]);
    expect(signals[0]!.aborted).toBe(true);
    expect(diagnosticsNow("a")).toBeUndefined();
    expect(t.log).toContain("clear css a");
    await t.activate("a", "h1", setup);
    expect(titles()).toEqual(["a: one"]);
    expect(activePluginsNow()[0]!.generation).toBe(2);
    t.host.apply([]);
    expect(signals[1]!.aborted).toBe(true);
    await t.activate("a", "h1", setup);
    t.host.disposeAll();
    expect(signals[2]!.aborted).toBe(true);
    expect(titles()).toEqual([]);
  });

  it("keeps everything while the plugin starts again with the service, and lets go when it did not", async () => {
    await t.activate();
    t.offerFailure("bad");
    t.host.apply([record("a", "h1"), record("b", "bad")]);
    await settle();
    const before = activePluginsNow();
    t.imported = [];
    t.host.apply([record("a", null, { status: "starting" }), record("b", null, { status: "starting" })]);
    t.host.apply([record("a", "h1"), record("b", "bad")]);
    await settle();
    expect(activePluginsNow()).toBe(before);
    expect(diagnosticsNow("b")).toMatchObject({ state: "failed", failedHash: "bad" });
    expect(t.imported).toEqual([]);
    t.host.apply([record("a", null, { status: "starting" })]);
    t.host.apply([record("a", null, { status: "error" })]);
    expect(titles()).toEqual([]);
  });

  it("does not use what gets ready after the plugin was disabled", async () => {
    const arrive = t.offerLater("h1", panel("late"));
    t.host.apply([record("a", "h1")]);
    await settle();
    t.host.apply([record("a", "h1", { status: "disabled" })]);
    arrive();
    await vi.advanceTimersByTimeAsync(1000);
    expect(titles()).toEqual([]);
    expect(diagnosticsNow("a")).toBeUndefined();
  });

  it("makes disclosure handles that work only while their entry is in use", async () => {
    const open = vi.fn();
    setDisclosureFactory((pluginId, id) => ({ open: () => open(pluginId, id), close: () => undefined, toggle: () => undefined }));
    const handles: { open(): void }[] = [];
    const setup: Setup = (app) => {
      const control = { kind: "disclosure", id: "d", label: "D", icon: "X", component: () => null } as const;
      handles.push(app.experimental_sidebarFooter.register(control));
      handles.at(-1)!.open();
    };
    await t.activate("a", "h1", setup);
    expect(open).not.toHaveBeenCalled();
    handles[0]!.open();
    expect(open).toHaveBeenCalledExactlyOnceWith("a", "d");
    await t.activate("a", "h2", setup);
    handles[0]!.open();
    expect(open).toHaveBeenCalledOnce();
    handles[1]!.open();
    expect(open).toHaveBeenCalledTimes(2);
  });
});
