import { createStore, useStore } from "@/lib/store";

import type { PluginDiagnostics, PluginFailure } from "./types";

const all = createStore<ReadonlyMap<string, PluginDiagnostics>>(new Map());

const kNone: PluginDiagnostics = {
  state: "active",
  generation: 0,
  hash: null,
  contentScripts: [],
  warnings: [],
  unsupported: [],
};

declare global {
  interface Window {
    /** Diagnostics of this window by plugin id, as they are now. */
    readonly __svcDiagnostics: { readonly [pluginId: string]: PluginDiagnostics };
  }
}

/** Undefined while the plugin has no app entry that was ever tried. */
export function useDiagnostics(pluginId: string): PluginDiagnostics | undefined {
  return useStore(all, (byId) => byId.get(pluginId));
}

/** Of every plugin, by id. */
export function useAllDiagnostics(): ReadonlyMap<string, PluginDiagnostics> {
  return useStore(all);
}

export function diagnosticsNow(pluginId: string): PluginDiagnostics | undefined {
  return all.get().get(pluginId);
}

/** A member that is undefined is removed. */
type Change = { [K in keyof PluginDiagnostics]?: PluginDiagnostics[K] | undefined };

export function updateDiagnostics(pluginId: string, change: Change): void {
  const merged: Record<string, unknown> = { ...(all.get().get(pluginId) ?? kNone), ...change };
  for (const key of Object.keys(merged)) {
    if (merged[key] === undefined) {
      delete merged[key];
    }
  }
  all.set(new Map(all.get()).set(pluginId, merged as unknown as PluginDiagnostics));
}

export function forgetDiagnostics(pluginId: string): void {
  if (all.get().has(pluginId)) {
    const left = new Map(all.get());
    left.delete(pluginId);
    all.set(left);
  }
}

/** Makes `window.__svcDiagnostics` show the present state. */
export function exposeDiagnostics(target: object = window): void {
  Object.defineProperty(target, "__svcDiagnostics", {
    configurable: true,
    get: () => Object.freeze(Object.fromEntries(all.get())),
  });
}

/** What was thrown, in the form the diagnostics keep. Errors of other realms are no `Error` here, so members count. */
export function describeFailure(failure: unknown): Pick<PluginFailure, "message" | "stack"> {
  const { message, name, stack } = membersOf(failure);
  if (typeof message !== "string") {
    return { message: asText(failure) };
  }
  const said = message === "" ? (name ?? "Error") : message;
  return typeof stack === "string" ? { message: said, stack } : { message: said };
}

/** Reading a member may run code of the plugin, which may throw in its turn. */
function membersOf(failure: unknown): { message?: unknown; name?: string; stack?: unknown } {
  try {
    const { message, name, stack } = (typeof failure === "object" && failure !== null ? failure : {}) as Error;
    return { message, name, stack };
  } catch {
    return {};
  }
}

function asText(value: unknown): string {
  try {
    return String(value);
  } catch {
    return "a value that cannot be shown was thrown";
  }
}
