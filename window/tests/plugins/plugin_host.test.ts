import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { definePluginApp, type PluginAppBuilder } from "#sdk/app/definition.js";
import type { PluginContentScriptContext } from "#sdk/app/content_scripts.js";

import { activePluginsNow, registrationsNow, subscribeActivePlugins } from "@/plugins/active";
import { crashNow, recordCrash } from "@/plugins/crashes";
import { diagnosticsNow } from "@/plugins/diagnostics";
import { setDisclosureFactory } from "@/plugins/disclosures";
import { ImportPool } from "@/plugins/import_pool";
import { PluginHost, type FailedBundle } from "@/plugins/plugin_host";

import { record, withBundle } from "./fake_plugins";

const reported = vi.hoisted(() => vi.fn());
vi.mock("@/plugins/report", () => ({ sendReport: reported }));

type Setup = (app: PluginAppBuilder) => void;

let host: PluginHost;
/** What importing the bundle with this hash gives; every request is one line in `imported`. */
let bundles: Map<string, () => Promise<{ default?: unknown }>>;
let imported: string[];
let log: string[];
let urgent: string | null;
let sheets: Map<string, { commit(): void; discard(): void }>;
const notifyFailure = vi.fn<(failed: FailedBundle) => void>();
const refresh = vi.fn();
const loadLazySlots = vi.fn<(names: readonly string[] | null) => Promise<void>>();
const prepareSheet = vi.fn<(pluginId: string, url: string | null) => Promise<{ commit(): void; discard(): void }>>();

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  bundles = new Map();
  imported = [];
  log = [];
  urgent = null;
  sheets = new Map();
  for (const mock of [notifyFailure, refresh, loadLazySlots, prepareSheet, reported]) {
    mock.mockReset();
  }
  loadLazySlots.mockResolvedValue();
  prepareSheet.mockImplementation(async (pluginId, url) => {
    const sheet = {
      commit: () => void log.push(`css ${pluginId} ${url?.replace(/.*h=/, "") ?? "none"}`),
      discard: () => void log.push(`discard css ${pluginId}`),
    };
    sheets.set(pluginId, sheet);
    return sheet;
  });
  host = new PluginHost({
    pool: new ImportPool(() => urgent),
    importModule: (url) => {
      imported.push(url.replace(/.*plugins\/(.*)\/assets\/app\.js/, "$1"));
      const hash = new URL(url).searchParams.get("h")!;
      return (bundles.get(hash) ?? (() => Promise.reject(new TypeError(`Failed to fetch dynamically imported module: ${url}`))))();
    },
    probe: async () => ({ status: 0, contentType: "" }),
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        setTimeout(resolve, ms);
        signal.addEventListener("abort", () => resolve());
      }),
    installRuntime: async () => undefined,
    loadLazySlots,
    styleSheets: { prepare: prepareSheet, clear: (pluginId) => void log.push(`clear css ${pluginId}`) },
    scriptHolds: [
      (pluginId) => {
        log.push(`hold ${pluginId}`);
        return () => void log.push(`release ${pluginId}`);
      },
    ],
    setThreadRowStatus: () => undefined,
    urgentPluginId: () => urgent,
    notifyFailure,
    refresh,
  });
});
afterEach(() => {
  host.disposeAll();
  host.apply([]);
  vi.useRealTimers();
});

const settle = () => vi.advanceTimersByTimeAsync(0);
const offer = (hash: string, setup: Setup = () => undefined) =>
  bundles.set(hash, async () => ({ default: definePluginApp(setup) }));
const panel = (title: string): Setup => (app) =>
  app.slots.navPanel({ id: "main", title, icon: "List", path: "main", component: () => null });
const titles = () => registrationsNow("navPanels").map(({ plugin, registration }) => `${plugin.pluginId}: ${registration.title}`);

async function activate(id = "a", hash = "h1", setup: Setup = panel("one")): Promise<void> {
  offer(hash, setup);
  host.apply([record(id, hash)]);
  await settle();
}

describe("loading", () => {
  it("puts the registrations of running plugins into the window, in the order of their ids", async () => {
    offer("h1", panel("B"));
    offer("h2", panel("A"));
    host.apply([record("b", "h1"), record("a", "h2"), record("off", "h3", { status: "disabled" })]);
    await settle();
    expect(titles()).toEqual(["a: A", "b: B"]);
    expect(imported.sort()).toEqual(["a?h=h2", "b?h=h1"]);
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
    offer("h1", panel("x"));
    host.apply([
      record("a", "h1", { status: "needs-configuration" }),
      record("b", "h1", { status: "degraded" }),
      record("c", "h1", { status: "error" }),
      record("d", "h1", { status: "starting" }),
    ]);
    await settle();
    expect(titles()).toEqual(["a: x", "b: x"]);
  });

  it("requests nothing for a hash that is in use or on its way", async () => {
    await activate();
    for (let i = 0; i < 5; i += 1) {
      host.apply([record("a", "h1")]);
      await settle();
    }
    expect(imported).toEqual(["a?h=h1"]);
    let finish: (module: object) => void = () => undefined;
    bundles.set("h2", () => new Promise((resolve) => (finish = resolve)));
    host.apply([record("a", "h2")]);
    await settle();
    host.apply([record("a", "h2")]);
    await settle();
    finish({ default: definePluginApp(panel("two")) });
    await settle();
    expect(imported).toEqual(["a?h=h1", "a?h=h2"]);
    expect(titles()).toEqual(["a: two"]);
  });

  it("imports nothing that was built for another major version of the SDK", async () => {
    await activate();
    host.apply([withBundle(record("a", "h2"), { compatible: false })]);
    await settle();
    expect(imported).toEqual(["a?h=h1"]);
    expect(diagnosticsNow("a")).toMatchObject({ state: "needs-update", hash: null });
    expect(titles()).toEqual([]);
  });

  it("says what is wrong when there is no bundle", async () => {
    host.apply([record("a", null, { statusDetail: "frontend bundle build failed: app.tsx:1" })]);
    expect(diagnosticsNow("a")).toMatchObject({
      state: "failed",
      hash: null,
      lastFailure: { phase: "load", message: "frontend bundle build failed: app.tsx:1" },
    });
    host.apply([record("b", null, { app: { hasApp: false, bundle: null } })]);
    expect(diagnosticsNow("b")).toBeUndefined();
  });

  it("publishes what gets ready within 150 ms together, and at once when nothing else is on its way", async () => {
    const publications: string[][] = [];
    const stop = subscribeActivePlugins(() => publications.push(activePluginsNow().map(({ pluginId }) => pluginId)));
    const slow = new Map<string, () => void>();
    for (const id of ["b", "c"]) {
      bundles.set(id, () => new Promise((resolve) => slow.set(id, () => resolve({ default: definePluginApp(() => undefined) }))));
    }
    offer("a");
    host.apply([record("a", "a"), record("b", "b"), record("c", "c")]);
    await settle();
    expect(publications).toEqual([]);
    slow.get("b")!();
    await vi.advanceTimersByTimeAsync(149);
    expect(publications).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(publications).toEqual([["a", "b"]]);
    slow.get("c")!();
    await settle();
    expect(publications).toEqual([["a", "b"], ["a", "b", "c"]]);
    stop();
  });

  it("does not keep the plugin of the page waiting for others", async () => {
    urgent = "a";
    offer("a", panel("x"));
    bundles.set("b", () => new Promise(() => undefined));
    host.apply([record("a", "a"), record("b", "b")]);
    await settle();
    expect(titles()).toEqual(["a: x"]);
  });

  it("loads lazy parts of the runtime that the record names, or that the bundle turns out to need", async () => {
    offer("h1");
    host.apply([withBundle(record("a", "h1"), { runtimeSlots: ["pierreDiffs"] } as never)]);
    await settle();
    expect(loadLazySlots.mock.calls).toEqual([[["pierreDiffs"]]]);
    let isLoaded = false;
    loadLazySlots.mockImplementation(async () => void (isLoaded = true));
    bundles.set("h2", async () => {
      if (!isLoaded) {
        throw new Error('svc runtime slot "pierreDiffsReact" for "@pierre/diffs/react" is missing: this bundle must be loaded by the app window');
      }
      return { default: definePluginApp(panel("diffs")) };
    });
    host.apply([record("b", "h2")]);
    await settle();
    expect(loadLazySlots.mock.calls[1]).toEqual([null]);
    expect(imported.slice(1)).toEqual(["b?h=h2", "b?h=h2&r=1"]);
    expect(titles()).toEqual(["b: diffs"]);
  });

  it("fails a bundle that needs something the window does not have", async () => {
    bundles.set("h1", () => Promise.reject(new Error('svc runtime slot "later" for "later" is missing: …')));
    host.apply([record("a", "h1")]);
    await settle();
    expect(imported).toEqual(["a?h=h1", "a?h=h1&r=1"]);
    expect(diagnosticsNow("a")!.lastFailure!.message).toContain('svc runtime slot "later"');
  });
});

describe("replacement", () => {
  it("goes in order: old scripts end, the new set is published, its sheet applies, its scripts mount", async () => {
    const stop = subscribeActivePlugins(() => log.push(`publish ${titles().join()}`));
    const script = (name: string): Setup => (app) => {
      panel(name)(app);
      app.contentScripts.register({
        id: "s",
        mount: ({ signal, generation }) => {
          log.push(`mount ${name} ${generation}`);
          signal.addEventListener("abort", () => log.push(`abort ${name}`));
          return () => void log.push(`dispose ${name}`);
        },
      });
    };
    await activate("a", "h1", script("one"));
    expect(log).toEqual(["publish a: one", "css a none", "hold a", "mount one 1"]);
    log = [];
    offer("h2", script("two"));
    host.apply([withBundle(record("a", "h2"), { cssUrl: "/app.css?h=h2" })]);
    await settle();
    expect(log).toEqual([
      "abort one",
      "dispose one",
      "publish a: two",
      "css a h2",
      "release a",
      "hold a",
      "mount two 2",
    ]);
    expect(diagnosticsNow("a")).toMatchObject({ generation: 2, hash: "h2", contentScripts: [{ id: "s", state: "mounted" }] });
    stop();
  });

  it("leaves other plugins as they are", async () => {
    offer("h1", panel("one"));
    offer("x", panel("x"));
    host.apply([record("a", "h1"), record("b", "x")]);
    await settle();
    const before = activePluginsNow()[1]!;
    const commands = registrationsNow("commands");
    const panels = registrationsNow("navPanels");
    offer("h2", panel("two"));
    host.apply([record("a", "h2"), record("b", "x")]);
    await settle();
    expect(titles()).toEqual(["a: two", "b: x"]);
    expect(activePluginsNow()[1]).toBe(before);
    // Slots that the replaced plugin has nothing in are not even rendered.
    expect(registrationsNow("commands")).toBe(commands);
    expect(registrationsNow("navPanels")).not.toBe(panels);
  });

  it("takes the newest of bundles that follow each other quickly", async () => {
    await activate();
    let finish: (module: object) => void = () => undefined;
    bundles.set("h2", () => new Promise((resolve) => (finish = resolve)));
    host.apply([record("a", "h2")]);
    await settle();
    offer("h3", panel("three"));
    host.apply([record("a", "h3")]);
    await settle();
    finish({ default: definePluginApp(panel("two")) });
    await settle();
    await vi.advanceTimersByTimeAsync(1000);
    expect(titles()).toEqual(["a: three"]);
    expect(diagnosticsNow("a")).toMatchObject({ generation: 2, hash: "h3" });
  });

  it("clears crash marks with the mount generation, and with the server's when the bundle stays", async () => {
    await activate();
    const key = { pluginId: "a", slot: "navPanel", id: "main", instanceId: null };
    const crash = () => recordCrash({ ...key, pluginName: "A", error: 1, message: "x", at: 1 });
    crash();
    host.apply([record("a", "h1")]);
    expect(crashNow(key)).toBeDefined();
    host.apply([record("a", "h1", { generation: 2 })]);
    expect(crashNow(key)).toBeUndefined();
    expect(activePluginsNow()[0]).toMatchObject({ generation: 1, serverGeneration: 2 });
    crash();
    offer("h2");
    host.apply([record("a", "h2", { generation: 3 })]);
    await settle();
    expect(crashNow(key)).toBeUndefined();
    expect(imported).toEqual(["a?h=h1", "a?h=h2"]);
  });

  it("ends when the plugin is disabled, removed or the window stops, and starts anew afterwards", async () => {
    const signals: AbortSignal[] = [];
    const setup: Setup = (app) => {
      panel("one")(app);
      app.contentScripts.register({ id: "s", mount: ({ signal }: PluginContentScriptContext) => void signals.push(signal) });
    };
    await activate("a", "h1", setup);
    host.apply([record("a", "h1", { status: "disabled" })]);
    expect(titles()).toEqual([]);
    expect(signals[0]!.aborted).toBe(true);
    expect(diagnosticsNow("a")).toBeUndefined();
    expect(log).toContain("clear css a");
    await activate("a", "h1", setup);
    expect(titles()).toEqual(["a: one"]);
    expect(activePluginsNow()[0]!.generation).toBe(2);
    host.apply([]);
    expect(signals[1]!.aborted).toBe(true);
    await activate("a", "h1", setup);
    host.disposeAll();
    expect(signals[2]!.aborted).toBe(true);
    expect(titles()).toEqual([]);
  });

  it("keeps everything while the plugin starts again with the service, and lets go when it did not", async () => {
    await activate();
    bundles.set("bad", () => Promise.reject(new Error("boom")));
    host.apply([record("a", "h1"), record("b", "bad")]);
    await settle();
    const before = activePluginsNow();
    imported = [];
    host.apply([record("a", null, { status: "starting" }), record("b", null, { status: "starting" })]);
    host.apply([record("a", "h1"), record("b", "bad")]);
    await settle();
    expect(activePluginsNow()).toBe(before);
    expect(diagnosticsNow("b")).toMatchObject({ state: "failed", failedHash: "bad" });
    expect(imported).toEqual([]);
    host.apply([record("a", null, { status: "starting" })]);
    host.apply([record("a", null, { status: "error" })]);
    expect(titles()).toEqual([]);
  });

  it("does not use what gets ready after the plugin was disabled", async () => {
    let finish: (module: object) => void = () => undefined;
    bundles.set("h1", () => new Promise((resolve) => (finish = resolve)));
    host.apply([record("a", "h1")]);
    await settle();
    host.apply([record("a", "h1", { status: "disabled" })]);
    finish({ default: definePluginApp(panel("late")) });
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
    await activate("a", "h1", setup);
    expect(open).not.toHaveBeenCalled();
    handles[0]!.open();
    expect(open).toHaveBeenCalledExactlyOnceWith("a", "d");
    await activate("a", "h2", setup);
    handles[0]!.open();
    expect(open).toHaveBeenCalledOnce();
    handles[1]!.open();
    expect(open).toHaveBeenCalledTimes(2);
  });
});

describe("a candidate that fails", () => {
  const kBad: [string, () => void, string, string][] = [
    ["no brand", () => bundles.set("h2", async () => ({ default: { setup: () => undefined } })), "load", "definePluginApp"],
    ["no default export", () => bundles.set("h2", async () => ({})), "load", "definePluginApp"],
    ["a syntax error", () => bundles.set("h2", () => Promise.reject(new SyntaxError("Unexpected token"))), "load", "not valid JavaScript"],
    ["a throw at import", () => bundles.set("h2", () => Promise.reject(new Error("boom"))), "load", "boom"],
    ["a throw in setup", () => offer("h2", () => { throw new Error("no luck"); }), "setup", "no luck"],
    ["a setup that is asynchronous", () => offer("h2", (async () => undefined) as never), "setup", "synchronous"],
    ["a bad registration", () => offer("h2", (app) => { panel("x")(app); panel("x")(app); }), "setup", 'slots.navPanel: duplicate id "main"'],
    ["a sheet that does not load", () => { offer("h2"); prepareSheet.mockRejectedValueOnce(new Error("no sheet")); }, "load", "no sheet"],
  ];

  it.each(kBad)("because of %s changes nothing and is told once", async (_name, prepare, phase, message) => {
    const mounts: PluginContentScriptContext[] = [];
    await activate("a", "h1", (app) => {
      panel("one")(app);
      app.contentScripts.register({ id: "s", mount: (context) => void mounts.push(context) });
    });
    recordCrash({ pluginId: "a", slot: "x", id: "y", instanceId: null, pluginName: "A", error: 1, message: "x", at: 1 });
    const before = activePluginsNow();
    log = [];
    prepare();
    host.apply([record("a", "h2")]);
    await settle();
    expect(activePluginsNow()).toBe(before);
    expect(mounts).toHaveLength(1);
    expect(mounts[0]!.signal.aborted).toBe(false);
    expect(log).toEqual([]);
    expect(crashNow({ pluginId: "a", slot: "x", id: "y", instanceId: null })).toBeDefined();
    const diagnostics = diagnosticsNow("a")!;
    expect(diagnostics).toMatchObject({ state: "stale", generation: 1, hash: "h1", failedHash: "h2", lastFailure: { phase } });
    expect(diagnostics.lastFailure!.message).toContain(message);
    expect(notifyFailure).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ pluginId: "a", name: "The a", isStale: true }));
    expect(reported).toHaveBeenCalledExactlyOnceWith("a", expect.objectContaining({ hash: "h2", phase }));
    host.apply([record("a", "h2")]);
    await settle();
    expect(notifyFailure).toHaveBeenCalledOnce();
    expect(imported).toEqual(["a?h=h1", "a?h=h2"]);
  });

  it("counts as a generation when its setup was run", async () => {
    await activate();
    offer("h2", () => {
      throw new Error("no");
    });
    host.apply([record("a", "h2")]);
    await settle();
    await activate("a", "h3", panel("three"));
    expect(activePluginsNow()[0]!.generation).toBe(3);
    expect(diagnosticsNow("a")).toEqual(expect.not.objectContaining({ failedHash: expect.anything(), lastFailure: expect.anything() }));
  });

  it("shows its failure when there is no previous version", async () => {
    offer("h1", () => {
      throw new Error("no");
    });
    host.apply([record("a", "h1")]);
    await settle();
    expect(diagnosticsNow("a")).toMatchObject({ state: "failed", hash: null, failedHash: "h1", lastFailure: { message: "no" } });
    expect(notifyFailure).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ isStale: false }));
  });

  it("does not keep others from loading", async () => {
    bundles.set("bad", () => Promise.reject(new Error("boom")));
    offer("good", panel("fine"));
    host.apply([record("a", "bad"), record("b", "good"), record("c", "bad")]);
    await settle();
    expect(titles()).toEqual(["b: fine"]);
  });

  it("is forgotten when the service goes back to the version in use", async () => {
    await activate();
    bundles.set("h2", () => Promise.reject(new Error("boom")));
    host.apply([record("a", "h2")]);
    await settle();
    host.apply([record("a", "h1")]);
    expect(diagnosticsNow("a")).toMatchObject({ state: "active", hash: "h1" });
    expect(diagnosticsNow("a")).not.toHaveProperty("failedHash");
    expect(imported).toEqual(["a?h=h1", "a?h=h2"]);
  });

  it("is tried again on Retry, each time under another URL, without another toast", async () => {
    await activate();
    bundles.set("h2", () => Promise.reject(new Error("boom")));
    host.apply([record("a", "h2")]);
    await settle();
    await host.retry("a");
    expect(imported.slice(1)).toEqual(["a?h=h2", "a?h=h2&r=1"]);
    expect(notifyFailure).toHaveBeenCalledOnce();
    expect(diagnosticsNow("a")).toMatchObject({ state: "stale" });
    offer("h2", panel("two"));
    await host.retry("a");
    expect(imported.at(-1)).toBe("a?h=h2&r=2");
    expect(titles()).toEqual(["a: two"]);
    expect(diagnosticsNow("a")).toMatchObject({ state: "active", hash: "h2" });
    await host.retry("a");
    await host.retry("unknown");
    expect(imported).toHaveLength(4);
  });

  it("because the service was away is tried again after the next connect, not before", async () => {
    host.apply([record("a", "h1")]);
    await vi.advanceTimersByTimeAsync(13_000);
    expect(imported).toHaveLength(4);
    expect(diagnosticsNow("a")).toMatchObject({ state: "failed", lastFailure: { phase: "load" } });
    host.apply([record("a", "h1")]);
    await settle();
    expect(imported).toHaveLength(4);
    offer("h1", panel("back"));
    host.forgetTemporaryFailures();
    host.apply([record("a", "h1")]);
    await settle();
    expect(imported.at(-1)).toBe("a?h=h1&r=4");
    expect(titles()).toEqual(["a: back"]);
  });

  it("is not even fetched when it is larger than a bundle may be", async () => {
    host.apply([withBundle(record("a", "h1"), { jsBytes: 20 * 1024 * 1024 })]);
    await settle();
    expect(imported).toEqual([]);
    expect(diagnosticsNow("a")!.lastFailure!.message).toBe("the bundle has 20.0 MiB, more than 16.0 MiB (bundle-js)");
  });
});

describe("what is put up with", () => {
  it("is in the diagnostics and reported once per hash", async () => {
    await activate("a", "h1", (app) => {
      app.slots.homepageSection({ id: "x", title: "X", component: () => null, colour: "red" } as never);
      (app.slots as unknown as Record<string, (given: object) => void>).experimental_browserAction!({});
    });
    expect(diagnosticsNow("a")!.warnings).toEqual([expect.stringContaining('the field "colour"')]);
    expect(diagnosticsNow("a")!.unsupported).toEqual(["slots.experimental_browserAction"]);
    host.apply([record("a", "h1", { generation: 2 })]);
    await settle();
    expect(reported).toHaveBeenCalledOnce();
    expect(reported.mock.calls[0]![1].message).toMatch(/warning: .*colour[^]*experimental_browserAction/);
  });

  it("fails a script of its own without touching the other ones", async () => {
    await activate("a", "h1", (app) => {
      panel("one")(app);
      app.contentScripts.register({ id: "bad", mount: () => Promise.reject(new Error("no anchor")) });
      app.contentScripts.register({ id: "hangs", mount: () => new Promise(() => undefined) });
      app.contentScripts.register({ id: "good", mount: () => undefined });
    });
    const states = () => diagnosticsNow("a")!.contentScripts.map(({ id, state }) => `${id} ${state}`);
    expect(states()).toEqual(["bad failed", "hangs mounting", "good mounted"]);
    expect(diagnosticsNow("a")).toMatchObject({
      state: "active",
      lastFailure: { phase: "mount", message: "no anchor", slot: "contentScripts bad" },
    });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(states()).toEqual(["bad failed", "hangs failed", "good mounted"]);
    expect(diagnosticsNow("a")!.lastFailure!.message).toContain("10000 ms");
    expect(titles()).toEqual(["a: one"]);
  });

  it("waits for old scripts at most until they are given up, and does not blame one that was ended while it mounted", async () => {
    await activate("a", "h1", (app) =>
      app.contentScripts.register({
        id: "s",
        mount: ({ signal }) =>
          new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("aborted")))),
      }),
    );
    const mounted = vi.fn();
    await activate("a", "h2", (app) => app.contentScripts.register({ id: "s", mount: mounted }));
    expect(mounted).toHaveBeenCalledOnce();
    expect(diagnosticsNow("a")).not.toHaveProperty("lastFailure");
    await activate("a", "h3", (app) => app.contentScripts.register({ id: "s", mount: () => () => new Promise<void>(() => undefined) }));
    const last = vi.fn();
    await activate("a", "h4", (app) => app.contentScripts.register({ id: "s", mount: last }));
    expect(last).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(last).toHaveBeenCalledOnce();
  });
});
