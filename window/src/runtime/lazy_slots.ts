/** Loaded only for bundles that name them. */
export const kLazySlots = ["pierreDiffs", "pierreDiffsReact"] as const;
export type LazySlot = (typeof kLazySlots)[number];

const kLoaders: Readonly<Record<LazySlot, () => Promise<object>>> = {
  pierreDiffs: () => import("@pierre/diffs"),
  pierreDiffsReact: () => import("@pierre/diffs/react"),
};

const modules: Partial<Record<LazySlot, object>> = {};
const loads = new Map<LazySlot, Promise<void>>();

export function isLazySlot(slot: string): slot is LazySlot {
  return (kLazySlots as readonly string[]).includes(slot);
}

/** Undefined until it was loaded. */
export function lazyModule(slot: LazySlot): object | undefined {
  return modules[slot];
}

/**
 * Loads what a bundle needs beyond the eager slots. `names` are the `runtimeSlots` of its meta; null when it does not say,
 * which loads all of them. Rejects when a chunk did not arrive; the next call tries again.
 */
export async function loadLazySlots(names: readonly string[] | null): Promise<void> {
  await Promise.all(kLazySlots.filter((slot) => names === null || names.includes(slot)).map(load));
}

function load(slot: LazySlot): Promise<void> {
  let pending = loads.get(slot);
  if (pending === undefined) {
    pending = kLoaders[slot]().then(
      (module) => void (modules[slot] = module),
      (failure: unknown) => {
        loads.delete(slot);
        throw failure;
      },
    );
    loads.set(slot, pending);
  }
  return pending;
}
