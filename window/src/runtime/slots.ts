import type { RuntimeSlot } from "#sdk/runtime_slots.js";
export const kEagerSlots: Partial<Record<RuntimeSlot, object>> = {};
