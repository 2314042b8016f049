import { RUNTIME_SLOT_BY_SPECIFIER, type RuntimeSlot } from "#sdk/runtime_slots.js";

/** What bundles find under `globalThis.__svcPluginRuntime`: one module namespace per property. */
export type PluginRuntime = Readonly<Record<RuntimeSlot, object | undefined>>;

declare global {
  // eslint-disable-next-line no-var
  var __svcPluginRuntime: PluginRuntime | undefined;
}

const kLazySlots = ["pierreDiffs", "pierreDiffsReact"] as const;
type LazySlot = (typeof kLazySlots)[number];

const lazyModules: Partial<Record<LazySlot, object>> = {};
const lazyLoads = new Map<LazySlot, Promise<void>>();

const kLoaders: Record<LazySlot, () => Promise<object>> = {
  pierreDiffs: () => import("@pierre/diffs"),
  pierreDiffsReact: () => import("@pierre/diffs/react"),
};

let installed: Promise<void> | undefined;

/**
 * Puts `__svcPluginRuntime` in place; to be awaited before the first bundle is imported. Rejects when the chunk did not arrive;
 * the next call tries again.
 */
export function installRuntime(): Promise<void> {
  installed ??= install().catch((failure: unknown) => {
    installed = undefined;
    throw failure;
  });
  return installed;
}

async function install(): Promise<void> {
  const { kEagerSlots } = await import("./slots.js");
  const runtime = {} as Record<RuntimeSlot, object | undefined>;
  for (const slot of Object.values(RUNTIME_SLOT_BY_SPECIFIER)) {
    Object.defineProperty(
      runtime,
      slot,
      isLazy(slot)
        ? { enumerable: true, get: () => lazyModules[slot] }
        : { enumerable: true, writable: false, value: kEagerSlots[slot] },
    );
  }
  // Configurable, because a hot update of the window's own code installs again.
  Object.defineProperty(globalThis, "__svcPluginRuntime", {
    configurable: true,
    enumerable: false,
    writable: false,
    value: Object.freeze(runtime),
  });
}

function isLazy(slot: string): slot is LazySlot {
  return (kLazySlots as readonly string[]).includes(slot);
}

/**
 * Loads what a bundle needs beyond the eager slots. `names` are the `runtimeSlots` of its meta; null when it does not say,
 * which loads all of them. Rejects when a chunk did not arrive; the next call tries again.
 */
export async function loadLazySlots(names: readonly string[] | null): Promise<void> {
  const needed = kLazySlots.filter((slot) => names === null || names.includes(slot));
  await Promise.all(needed.map(loadLazy));
}

function loadLazy(slot: LazySlot): Promise<void> {
  const known = lazyLoads.get(slot);
  if (known !== undefined) {
    return known;
  }
  const load = kLoaders[slot]().then(
    (module) => {
      lazyModules[slot] = module;
    },
    (failure: unknown) => {
      lazyLoads.delete(slot);
      throw failure;
    },
  );
  lazyLoads.set(slot, load);
  return load;
}
