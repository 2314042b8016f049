import { RUNTIME_SLOT_BY_SPECIFIER, type RuntimeSlot } from "#sdk/runtime_slots.js";

import { isLazySlot, lazyModule } from "./lazy_slots";

export { loadLazySlots } from "./lazy_slots";

/** What bundles find under `globalThis.__svcPluginRuntime`: one module namespace per property. */
export type PluginRuntime = Readonly<Record<RuntimeSlot, object | undefined>>;

const kGlobal = "__svcPluginRuntime";

let installed: Promise<void> | undefined;

/**
 * Puts `globalThis.__svcPluginRuntime` in place; to be awaited before the first bundle is imported. What it holds is a chunk of
 * its own. Rejects when the chunk did not arrive; the next call tries again.
 */
export function installRuntime(): Promise<void> {
  installed ??= install().catch((failure: unknown) => {
    installed = undefined;
    throw failure;
  });
  return installed;
}

async function install(): Promise<void> {
  const { kEagerSlots } = await import("./slots");
  const runtime = {} as { -readonly [Slot in RuntimeSlot]: object | undefined };
  for (const slot of Object.values(RUNTIME_SLOT_BY_SPECIFIER)) {
    Object.defineProperty(
      runtime,
      slot,
      isLazySlot(slot) ? { enumerable: true, get: () => lazyModule(slot) } : { enumerable: true, value: kEagerSlots[slot] },
    );
  }
  // Configurable, because a hot update of the window's own code installs again.
  Object.defineProperty(globalThis, kGlobal, { configurable: true, value: Object.freeze(runtime) });
}
