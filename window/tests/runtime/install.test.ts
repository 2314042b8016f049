import { beforeAll, describe, expect, it, vi } from "vitest";

import { RUNTIME_PACKAGE_VERSIONS, RUNTIME_SLOT_BY_SPECIFIER } from "#sdk/runtime_slots.js";
import names from "../../../modules/app/builder/runtime_names.json";
import { installRuntime, loadLazySlots, type PluginRuntime } from "@/runtime/install";

const kNames: Record<string, string[]> = names;

const runtimeNow = () => (globalThis as { __svcPluginRuntime?: PluginRuntime }).__svcPluginRuntime;

/** Node gives a CommonJS package as `default`; a browser build gives its members. */
function namesOf(module: object): Set<string> {
  const inner = (module as { default?: object }).default;
  return new Set([...Object.keys(module), ...(inner === undefined || inner === null ? [] : Object.keys(inner))]);
}

describe("installRuntime", () => {
  beforeAll(async () => {
    await installRuntime();
    await loadLazySlots(null);
  }, 60_000);

  it("supplies exactly the properties of the table, in its order", () => {
    expect(Object.keys(runtimeNow()!)).toEqual(Object.values(RUNTIME_SLOT_BY_SPECIFIER));
  });

  it.each(Object.entries(RUNTIME_SLOT_BY_SPECIFIER))("supplies every name that a build may import from %s", (specifier, slot) => {
    const missing = kNames[specifier]!.filter((name) => !namesOf(runtimeNow()![slot]!).has(name));
    expect(missing).toEqual([]);
  });

  it("supplies the modules of the window, not copies", async () => {
    const react = runtimeNow()!.react as typeof import("react");
    expect(react.createElement).toBe((await import("react")).createElement);
    expect(runtimeNow()!.radixDialog).toHaveProperty("Root", (await import("@radix-ui/react-dialog")).Root);
  });

  it("cannot be changed by a bundle", () => {
    const runtime = runtimeNow() as Record<string, unknown>;
    expect(() => (runtime.react = {})).toThrow(TypeError);
    expect(() => (runtime.mine = {})).toThrow(TypeError);
    expect(() => ((globalThis as Record<string, unknown>).__svcPluginRuntime = {})).toThrow(TypeError);
  });

  it("is one and the same however often it is asked for", async () => {
    const before = runtimeNow();
    await installRuntime();
    expect(runtimeNow()).toBe(before);
  });

  it("builds elements for bundles that were made for development", () => {
    const { jsxDEV } = runtimeNow()!.jsxDevRuntime as {
      jsxDEV: (type: string, props: object, key?: string) => { type: string; key: string };
    };
    expect(jsxDEV("p", { children: "text" }, "k")).toMatchObject({ type: "p", key: "k", props: { children: "text" } });
  });

  it("has a version of React that the SDK names", () => {
    expect((runtimeNow()!.react as { version: string }).version).toBe(RUNTIME_PACKAGE_VERSIONS.react);
  });
});

describe("loadLazySlots", () => {
  it("loads nothing for a bundle that names no lazy slot", async () => {
    vi.resetModules();
    const fresh = await import("@/runtime/lazy_slots");
    await fresh.loadLazySlots(["react", "sonner"]);
    expect(fresh.lazyModule("pierreDiffs")).toBeUndefined();
    expect(fresh.lazyModule("pierreDiffsReact")).toBeUndefined();
    await fresh.loadLazySlots(["pierreDiffs"]);
    expect(fresh.lazyModule("pierreDiffs")).toHaveProperty("parsePatchFiles");
    expect(fresh.lazyModule("pierreDiffsReact")).toBeUndefined();
  }, 60_000);
});
