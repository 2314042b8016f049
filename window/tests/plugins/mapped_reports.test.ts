import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { mapStack } from "@/plugins/locate";
import { type AppReport, createReporter, kMapMs, mapInTime } from "@/plugins/report";

const kBundle = "http://127.0.0.1:4700/api/v1/plugins/todo/assets/app.js";
const kMap = {
  version: 3,
  sources: ["../views/$&.tsx", "../node_modules/left-pad/index.js", "svc-runtime:react"],
  sourcesContent: ["a", "b", "c"],
  names: [],
  // Line 1 is the plugin's 3:5, line 2 the package's 3:5, line 3 a module of the window.
  mappings: "AAEI;ACAA;ACAA",
};

const bundles = new Map<string, string>();
const fetchMock = vi.fn(async (address: string) => {
  const text = bundles.get(address);
  return text === undefined ? new Response("", { status: 404 }) : new Response(text);
});
let version = 0;

/** A bundle of its own for each test: what was read once is kept. */
function bundle(map: object | null): string {
  const address = `${kBundle}?h=${++version}`;
  bundles.set(address, map === null ? "code" : `code\n//# sourceMappingURL=data:application/json;base64,${btoa(JSON.stringify(map))}\n`);
  return address;
}

beforeEach(() => {
  vi.stubGlobal("fetch", fetchMock);
  fetchMock.mockClear();
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe("mapStack", () => {
  it("names the sources of the plugin and of its packages, and leaves everything else", async () => {
    const address = bundle(kMap);
    expect(
      await mapStack(
        `Error: at ${address}\n    at Page (${address}:1:1)\n    at pad (${address}:2:1)\n    at react (${address}:3:1)\n    at boot (http://h/boot.js:1:1)`,
      ),
    ).toBe(
      `Error: at ${address}\n    at Page (views/$&.tsx:3:5)\n    at pad (node_modules/left-pad/index.js:3:5)\n    at react (${address}:3:1)\n    at boot (http://h/boot.js:1:1)`,
    );
    expect(await mapStack(`Page@${address}:1:1`)).toBe("Page@views/$&.tsx:3:5");
  });

  it.each<[string, () => string]>([
    ["the bundle has no map", () => bundle(null)],
    ["the bundle is gone", () => `${kBundle}?h=gone`],
    ["the map is none", () => bundle({ nonsense: true })],
  ])("is the stack as it was where %s", async (_why, addressOf) => {
    const stack = `Error\n    at Page (${addressOf()}:1:1)`;
    expect(await mapStack(stack)).toBe(stack);
  });

  it("looks at 50 lines, and reads each bundle once", async () => {
    const address = bundle(kMap);
    const lines = (await mapStack(Array.from({ length: 60 }, () => `    at f (${address}:1:1)`).join("\n"))).split("\n");
    expect(lines.filter((line) => line.includes("views/"))).toHaveLength(50);
    expect(lines).toHaveLength(60);
    expect(fetchMock).toHaveBeenCalledOnce();
  });

  it("keeps the maps of four bundles", async () => {
    const addresses = Array.from({ length: 5 }, () => bundle(kMap));
    for (const address of [...addresses, addresses[4]!, addresses[0]!]) {
      await mapStack(`at ${address}:1:1`);
    }
    expect(fetchMock.mock.calls.map(([address]) => address)).toEqual([...addresses, addresses[0]]);
  });
});

describe("mapInTime", () => {
  const kStack = `Error\n    at Page (${kBundle}?h=1:1:1)`;

  it("loads what maps only for stacks of bundles", async () => {
    const load = vi.fn(async () => ({ mapStack: async () => "mapped" }));
    expect(mapInTime("Error\n    at http://h/boot.js:1:1", load)).toBeNull();
    expect(load).not.toHaveBeenCalled();
    expect(await mapInTime(kStack, load)).toBe("mapped");
  });

  it("is the stack as it was where it takes too long, or cannot be loaded", async () => {
    vi.useFakeTimers();
    const slow = mapInTime(kStack, () => new Promise(() => undefined));
    await vi.advanceTimersByTimeAsync(kMapMs);
    expect(await slow).toBe(kStack);
    expect(await mapInTime(kStack, () => Promise.reject(new Error("offline")))).toBe(kStack);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("createReporter with maps", () => {
  const report = (phase: AppReport["phase"], stack?: string): AppReport => ({
    hash: "h",
    generation: 1,
    phase,
    message: phase,
    ...(stack === undefined ? {} : { stack }),
  });

  it("sends mapped stacks, and what follows of the same plugin after them", async () => {
    const send = vi.fn(async (_pluginId: string, _report: AppReport) => undefined);
    const mapped = new Map<string, (stack: string) => void>();
    const tell = createReporter(
      send,
      () => 0,
      (stack) => new Promise((resolve) => mapped.set(stack, resolve)),
    );
    tell("todo", report("load", "first"));
    tell("todo", report("render", "second"));
    tell("todo", report("loaded"));
    tell("other", report("loaded"));
    expect(send.mock.calls).toEqual([["other", report("loaded")]]);
    mapped.get("second")!("app.tsx:2:2");
    mapped.get("first")!("app.tsx:1:1");
    await vi.waitFor(() => expect(send).toHaveBeenCalledTimes(4));
    expect(send.mock.calls.slice(1)).toEqual([
      ["todo", report("load", "app.tsx:1:1")],
      ["todo", report("render", "app.tsx:2:2")],
      ["todo", report("loaded")],
    ]);
    tell("todo", report("loaded"));
    expect(send).toHaveBeenCalledTimes(5);
  });
});
