import { useCallback } from "react";

import { createStore, isSameList, useStore } from "@/lib/store";

/** `L:crash-instances` — crashed instances of one slot in one generation after which the slot is disabled. */
export const kCrashInstances = 3;

/** Which mount crashed. */
export interface CrashKey {
  readonly pluginId: string;
  readonly slot: string;
  readonly id: string;
  /** Null where a slot mounts once. */
  readonly instanceId: string | null;
}

export interface SlotCrash extends CrashKey {
  readonly pluginName: string;
  readonly error: unknown;
  readonly message: string;
  readonly stack?: string;
  readonly componentStack?: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Whether the slot is off for all its instances. */
  readonly isSlotDisabled: boolean;
  /** Mounts it again: the crash mark is removed, that of a disabled slot from all its instances. */
  retry(): void;
}

const crashes = createStore<ReadonlyMap<string, SlotCrash>>(new Map());

const slotKey = ({ pluginId, slot, id }: CrashKey) => JSON.stringify([pluginId, slot, id]);
const mountKey = ({ pluginId, slot, id, instanceId }: CrashKey) => JSON.stringify([pluginId, slot, id, instanceId]);

export function recordCrash(crash: Omit<SlotCrash, "isSlotDisabled" | "retry">): void {
  const next = new Map(crashes.get());
  const own: SlotCrash = { ...crash, isSlotDisabled: false, retry: () => clear((other) => mountKey(other) === mountKey(crash)) };
  next.set(mountKey(crash), own);
  const ofSlot = [...next.values()].filter((other) => slotKey(other) === slotKey(crash) && other.instanceId !== null);
  if (ofSlot.length >= kCrashInstances) {
    const retry = () => clear((other) => slotKey(other) === slotKey(crash));
    next.set(slotKey(crash), { ...own, isSlotDisabled: true, retry });
  }
  crashes.set(next);
}

function clear(matches: (crash: SlotCrash) => boolean): void {
  const kept = [...crashes.get()].filter(([, crash]) => !matches(crash));
  if (kept.length !== crashes.get().size) {
    crashes.set(new Map(kept));
  }
}

/** A new generation starts without marks. */
export function clearCrashes(pluginId: string): void {
  clear((crash) => crash.pluginId === pluginId);
}

/** Why this mount shows its fallback; undefined when it does not. */
export function useCrash({ pluginId, slot, id, instanceId }: CrashKey): SlotCrash | undefined {
  return useStore(crashes, () => crashNow({ pluginId, slot, id, instanceId }));
}

export function crashNow(key: CrashKey): SlotCrash | undefined {
  return (key.instanceId === null ? undefined : crashes.get().get(slotKey(key))) ?? crashes.get().get(mountKey(key));
}

/** What of one plugin shows its fallback now: the mark on its sidebar rows. The list is stable while nothing changes. */
export function useCrashes(pluginId: string): readonly SlotCrash[] {
  const ofPlugin = useCallback(
    (all: ReadonlyMap<string, SlotCrash>) => [...all.values()].filter((crash) => crash.pluginId === pluginId),
    [pluginId],
  );
  return useStore(crashes, ofPlugin, isSameList);
}
