import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { PluginContentScriptContext } from "#sdk/app/content_scripts.js";

import { activePluginsNow } from "@/plugins/active";
import { crashNow, recordCrash } from "@/plugins/crashes";
import { diagnosticsNow } from "@/plugins/diagnostics";

import { record, withBundle } from "./fake_plugins";
import { HostHarness, panel, settle, titles } from "./host_harness";

const reported = vi.hoisted(() => vi.fn());
vi.mock("@/plugins/report", () => ({ sendReport: reported }));

let t: HostHarness;

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  reported.mockReset();
  t = new HostHarness();
});
afterEach(() => {
  t.end();
  vi.useRealTimers();
});

describe("a candidate that fails", () => {
  const kBad: [string, () => void, string, string][] = [
    ["no brand", () => t.bundles.set("h2", async () => ({ default: { setup: () => undefined } })), "load", "definePluginApp"],
    ["no default export", () => t.bundles.set("h2", async () => ({})), "load", "definePluginApp"],
    ["a syntax error", () => t.offerFailure("h2", new SyntaxError("Unexpected token")), "load", "not valid JavaScript"],
    ["a throw at import", () => t.offerFailure("h2"), "load", "boom"],
    [
      "a throw in setup",
      () =>
        t.offer("h2", () => {
          throw new Error("no luck");
        }),
      "setup",
      "no luck",
    ],
    ["a setup that is asynchronous", () => t.offer("h2", (async () => undefined) as never), "setup", "synchronous"],
    [
      "a bad registration",
      () =>
        t.offer("h2", (app) => {
          panel("x")(app);
          panel("x")(app);
        }),
      "setup",
      'slots.navPanel: duplicate id "main"',
    ],
    [
      "a sheet that does not load",
      () => {
        t.offer("h2");
        t.prepareSheet.mockRejectedValueOnce(new Error("no sheet"));
      },
      "load",
      "no sheet",
    ],
  ];

  it.each(kBad)("because of %s changes nothing and is told once", async (_name, prepare, phase, message) => {
    const mounts: PluginContentScriptContext[] = [];
    await t.activate("a", "h1", (app) => {
      panel("one")(app);
      app.contentScripts.register({ id: "s", mount: (context) => void mounts.push(context) });
    });
    recordCrash({ pluginId: "a", slot: "x", id: "y", instanceId: null, pluginName: "A", error: 1, message: "x", at: 1 });
    const before = activePluginsNow();
    t.log = [];
    prepare();
    t.host.apply([record("a", "h2")]);
    await settle();
    expect(activePluginsNow()).toBe(before);
    expect(mounts).toHaveLength(1);
    expect(mounts[0]!.signal.aborted).toBe(false);
    expect(t.log).toEqual([]);
    expect(crashNow({ pluginId: "a", slot: "x", id: "y", instanceId: null })).toBeDefined();
    const diagnostics = diagnosticsNow("a")!;
    expect(diagnostics).toMatchObject({ state: "stale", generation: 1, hash: "h1", failedHash: "h2", lastFailure: { phase } });
    expect(diagnostics.lastFailure!.message).toContain(message);
    expect(t.notifyFailure).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ pluginId: "a", name: "The a", isStale: true }));
    expect(reported).toHaveBeenCalledExactlyOnceWith("a", expect.objectContaining({ hash: "h2", phase }));
    t.host.apply([record("a", "h2")]);
    await settle();
    expect(t.notifyFailure).toHaveBeenCalledOnce();
    expect(t.imported).toEqual(["a?h=h1", "a?h=h2"]);
  });

  it("counts as a generation when its setup was run", async () => {
    await t.activate();
    t.offer("h2", () => {
      throw new Error("no");
    });
    t.host.apply([record("a", "h2")]);
    await settle();
    await t.activate("a", "h3", panel("three"));
    expect(activePluginsNow()[0]!.generation).toBe(3);
    expect(diagnosticsNow("a")).toEqual(expect.not.objectContaining({ failedHash: expect.anything(), lastFailure: expect.anything() }));
  });

  it("shows its failure when there is no previous version", async () => {
    t.offer("h1", () => {
      throw new Error("no");
    });
    t.host.apply([record("a", "h1")]);
    await settle();
    expect(diagnosticsNow("a")).toMatchObject({ state: "failed", hash: null, failedHash: "h1", lastFailure: { message: "no" } });
    expect(t.notifyFailure).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ isStale: false }));
  });

  it("does not keep others from loading", async () => {
    t.offerFailure("bad");
    t.offer("good", panel("fine"));
    t.host.apply([record("a", "bad"), record("b", "good"), record("c", "bad")]);
    await settle();
    expect(titles()).toEqual(["b: fine"]);
  });

  it("is forgotten when the service goes back to the version in use", async () => {
    await t.activate();
    t.offerFailure("h2");
    t.host.apply([record("a", "h2")]);
    await settle();
    t.host.apply([record("a", "h1")]);
    expect(diagnosticsNow("a")).toMatchObject({ state: "active", hash: "h1" });
    expect(diagnosticsNow("a")).not.toHaveProperty("failedHash");
    expect(t.imported).toEqual(["a?h=h1", "a?h=h2"]);
  });

  it("is tried again on Retry, each time under another URL, without another toast", async () => {
    await t.activate();
    t.offerFailure("h2");
    t.host.apply([record("a", "h2")]);
    await settle();
    await t.host.retry("a");
    expect(t.imported.slice(1)).toEqual(["a?h=h2", "a?h=h2&r=1"]);
    expect(t.notifyFailure).toHaveBeenCalledOnce();
    expect(diagnosticsNow("a")).toMatchObject({ state: "stale" });
    t.offer("h2", panel("two"));
    await t.host.retry("a");
    expect(t.imported.at(-1)).toBe("a?h=h2&r=2");
    expect(titles()).toEqual(["a: two"]);
    expect(diagnosticsNow("a")).toMatchObject({ state: "active", hash: "h2" });
    await t.host.retry("a");
    await t.host.retry("unknown");
    expect(t.imported).toHaveLength(4);
  });

  it("is taken back at the service once the bundle is in use, also when another window had failed", async () => {
    const said = () => reported.mock.calls.map(([, report]) => `${report.phase} ${report.hash}`);
    await t.activate();
    expect(said()).toEqual([]);
    t.offerFailure("h2");
    t.host.apply([record("a", "h2")]);
    await settle();
    t.offer("h2", panel("two"));
    await t.host.retry("a");
    expect(said()).toEqual(["load h2", "loaded h2"]);
    t.offer("h3");
    t.host.apply([record("a", "h3", { problems: [{ code: "ui_failed", message: "UI failed in a window: oops" }] })]);
    await settle();
    expect(said().slice(2)).toEqual(["loaded h3"]);
    expect(reported.mock.lastCall![1]).toMatchObject({ level: "info", generation: 3 });
  });

  it("asks for the records on Retry when there is no bundle to try", async () => {
    t.host.apply([record("a", null)]);
    await t.host.retry("a");
    expect(t.refresh).toHaveBeenCalledOnce();
    expect(t.imported).toEqual([]);
  });

  it("because it never came to an end is tried again after the next connect", async () => {
    t.offerLater("h1");
    t.host.apply([record("a", "h1")]);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(diagnosticsNow("a")).toMatchObject({ state: "failed", lastFailure: { message: "the bundle was not imported within 30 s" } });
    expect(t.imported).toHaveLength(1);
    t.offer("h1", panel("late"));
    t.host.forgetTemporaryFailures();
    t.host.apply([record("a", "h1")]);
    await settle();
    expect(titles()).toEqual(["a: late"]);
  });

  it("because the service was away is tried again after the next connect, not before", async () => {
    t.host.apply([record("a", "h1")]);
    await vi.advanceTimersByTimeAsync(13_000);
    expect(t.imported).toHaveLength(4);
    expect(diagnosticsNow("a")).toMatchObject({ state: "failed", lastFailure: { phase: "load" } });
    t.host.apply([record("a", "h1")]);
    await settle();
    expect(t.imported).toHaveLength(4);
    t.offer("h1", panel("back"));
    t.host.forgetTemporaryFailures();
    t.host.apply([record("a", "h1")]);
    await settle();
    expect(t.imported.at(-1)).toBe("a?h=h1&r=4");
    expect(titles()).toEqual(["a: back"]);
  });

  it("is not even fetched when it is larger than a bundle may be", async () => {
    t.host.apply([withBundle(record("a", "h1"), { jsBytes: 20 * 1024 * 1024 })]);
    await settle();
    expect(t.imported).toEqual([]);
    expect(diagnosticsNow("a")!.lastFailure!.message).toBe("the bundle has 20.0 MiB, more than 16.0 MiB (bundle-js)");
  });
});

describe("what is put up with", () => {
  it("is in the diagnostics and reported once per hash", async () => {
    await t.activate("a", "h1", (app) => {
      app.slots.homepageSection({ id: "x", title: "X", component: () => null, colour: "red" } as never);
      (app.slots as unknown as Record<string, (given: object) => void>).experimental_browserAction!({});
    });
    expect(diagnosticsNow("a")!.warnings).toEqual([expect.stringContaining('the field "colour"')]);
    expect(diagnosticsNow("a")!.unsupported).toEqual(["slots.experimental_browserAction"]);
    t.host.apply([record("a", "h1", { generation: 2 })]);
    await settle();
    expect(reported).toHaveBeenCalledOnce();
    expect(reported.mock.calls[0]![1].level).toBe("warn");
    expect(reported.mock.calls[0]![1].message).toMatch(/colour[^]*experimental_browserAction/);
  });

  it("fails a script of its own without touching the other ones", async () => {
    await t.activate("a", "h1", (app) => {
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
    await t.activate("a", "h1", (app) =>
      app.contentScripts.register({
        id: "s",
        mount: ({ signal }) => new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("aborted")))),
      }),
    );
    const mounted = vi.fn();
    await t.activate("a", "h2", (app) => app.contentScripts.register({ id: "s", mount: mounted }));
    expect(mounted).toHaveBeenCalledOnce();
    expect(diagnosticsNow("a")).not.toHaveProperty("lastFailure");
    await t.activate("a", "h3", (app) => app.contentScripts.register({ id: "s", mount: () => () => new Promise<void>(() => undefined) }));
    const last = vi.fn();
    await t.activate("a", "h4", (app) => app.contentScripts.register({ id: "s", mount: last }));
    expect(last).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(last).toHaveBeenCalledOnce();
  });
});
