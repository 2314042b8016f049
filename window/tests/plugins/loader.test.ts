import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { ImportPool } from "@/plugins/import_pool";
import { type BundleLoadError, loadBundle, type LoaderDeps, type Probe } from "@/plugins/loader";

const kUrl = "http://host/api/v1/plugins/a/assets/app.js?h=1";
const notFetched = () => Promise.reject(new TypeError(`Failed to fetch dynamically imported module: ${kUrl}`));

let importModule: ReturnType<typeof vi.fn<LoaderDeps["importModule"]>>;
let probed: Probe;
let controller: AbortController;

beforeEach(() => {
  vi.useFakeTimers();
  importModule = vi.fn<LoaderDeps["importModule"]>();
  probed = { status: 0, contentType: "" };
  controller = new AbortController();
});
afterEach(() => void vi.useRealTimers());

function start(pool = new ImportPool(() => null)) {
  let tries = 0;
  const sleep: LoaderDeps["sleep"] = (ms, signal) =>
    new Promise((resolve) => {
      setTimeout(resolve, ms);
      signal.addEventListener("abort", () => resolve());
    });
  const ended = loadBundle({ url: kUrl, size: 1, pluginId: "a", signal: controller.signal, nextTry: () => tries++ }, pool, {
    importModule,
    probe: async () => probed,
    sleep,
  }).then(
    (value) => ({ value }),
    (failure: unknown) => ({ failure: failure as BundleLoadError }),
  );
  return ended;
}

const urls = () => importModule.mock.calls.map(([url]) => url);

describe("loadBundle", () => {
  it("returns the default export", async () => {
    importModule.mockResolvedValue({ default: 7 });
    await expect(start()).resolves.toEqual({ value: 7 });
    expect(urls()).toEqual([kUrl]);
  });

  it("tries a service that cannot be reached again after 1 s, 3 s and 9 s, each time under another URL", async () => {
    importModule.mockImplementation(notFetched);
    const ended = start();
    const times: number[] = [];
    for (const wait of [1000, 3000, 9000]) {
      await vi.advanceTimersByTimeAsync(wait - 1);
      times.push(urls().length);
      await vi.advanceTimersByTimeAsync(1);
    }
    expect(times).toEqual([1, 2, 3]);
    expect(urls()).toEqual([kUrl, `${kUrl}&r=1`, `${kUrl}&r=2`, `${kUrl}&r=3`]);
    const { failure } = (await ended) as { failure: BundleLoadError };
    expect(failure).toMatchObject({ kind: "network" });
    expect(failure.message).toContain("the service cannot be reached");
  });

  it("goes on when a later try succeeds", async () => {
    importModule.mockImplementationOnce(notFetched).mockResolvedValueOnce({ default: "late" });
    const ended = start();
    await vi.advanceTimersByTimeAsync(1000);
    await expect(ended).resolves.toEqual({ value: "late" });
  });

  it("does not try again what the bundle itself does wrong", async () => {
    for (const [thrown, message] of [
      [new SyntaxError("Unexpected token '{'"), "not valid JavaScript: Unexpected token '{'"],
      [new Error("boom"), "failed while it was imported: boom"],
      [new TypeError("x is not a function"), "failed while it was imported: x is not a function"],
      ["text", "failed while it was imported: text"],
    ] as const) {
      importModule.mockReset();
      importModule.mockRejectedValueOnce(thrown);
      const { failure } = (await start()) as { failure: BundleLoadError };
      expect(failure.kind).toBe("code");
      expect(failure.message).toContain(message);
      expect(importModule).toHaveBeenCalledOnce();
    }
  });

  it("keeps the stack of what the bundle threw", async () => {
    const thrown = new Error("boom");
    importModule.mockRejectedValueOnce(thrown);
    const { failure } = (await start()) as { failure: BundleLoadError };
    expect(failure.stack).toBe(thrown.stack);
  });

  it("says when the service no longer has the version", async () => {
    importModule.mockImplementationOnce(notFetched);
    probed = { status: 404, contentType: "application/json" };
    const { failure } = (await start()) as { failure: BundleLoadError };
    expect(failure).toMatchObject({ kind: "missing" });
    expect(importModule).toHaveBeenCalledOnce();
  });

  it("does not try again what is served with another type", async () => {
    importModule.mockImplementationOnce(notFetched);
    probed = { status: 200, contentType: "text/html" };
    const { failure } = (await start()) as { failure: BundleLoadError };
    expect(failure.kind).toBe("code");
    expect(failure.message).toContain("text/html");
  });

  it("tries a failing service again", async () => {
    importModule.mockImplementationOnce(notFetched).mockResolvedValueOnce({ default: 1 });
    probed = { status: 503, contentType: "" };
    const ended = start();
    await vi.advanceTimersByTimeAsync(1000);
    await expect(ended).resolves.toEqual({ value: 1 });
  });

  it("fails an import that does not end within 30 s, without trying again", async () => {
    importModule.mockReturnValue(new Promise(() => undefined));
    const ended = start();
    await vi.advanceTimersByTimeAsync(30_000);
    const { failure } = (await ended) as { failure: BundleLoadError };
    expect(failure.message).toContain("30 s");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(importModule).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("stops when the bundle is not wanted any more", async () => {
    importModule.mockImplementation(notFetched);
    const ended = start();
    await vi.advanceTimersByTimeAsync(10);
    controller.abort();
    await ended;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(importModule).toHaveBeenCalledOnce();
  });
});

describe("ImportPool", () => {
  it("runs three at a time: the plugin of the page first, then the smallest", async () => {
    let urgent: string | null = "big";
    const pool = new ImportPool(() => urgent);
    const started: string[] = [];
    const finish = new Map<string, () => void>();
    const run = (pluginId: string, size: number) =>
      pool.run({ pluginId, size }, () => {
        started.push(pluginId);
        return new Promise<void>((resolve) => finish.set(pluginId, resolve));
      });
    const all = [run("m", 50), run("s", 10), run("big", 900), run("l", 100), run("xl", 500), run("xs", 1)];
    await vi.advanceTimersByTimeAsync(0);
    expect(started).toEqual(["big", "xs", "s"]);
    urgent = "xl";
    finish.get("s")!();
    await vi.advanceTimersByTimeAsync(0);
    expect(started).toEqual(["big", "xs", "s", "xl"]);
    for (const id of ["big", "xs", "xl"]) {
      finish.get(id)!();
    }
    await vi.advanceTimersByTimeAsync(0);
    expect(started).toEqual(["big", "xs", "s", "xl", "m", "l"]);
    finish.get("m")!();
    finish.get("l")!();
    await Promise.all(all);
  });

  it("gives the place of one that waits for its next try to others", async () => {
    const pool = new ImportPool(() => null);
    importModule.mockImplementation(notFetched);
    void start(pool);
    void start(pool);
    void start(pool);
    await vi.advanceTimersByTimeAsync(10);
    const other = vi.fn(async () => 1);
    await pool.run({ pluginId: "b", size: 1 }, other);
    expect(other).toHaveBeenCalledOnce();
  });
});
